/**
 * From a request with a payment to a purchase: the payment is held against the terms of this very
 * request and bound to it.
 */
import {
  toRequirementsV2,
  toWireAuthorization,
  type Payment,
  type Refusal,
  type Requirements,
} from "@farthing/protocol";
import { reasonOf, refuseRequest, type ChallengeTerms } from "../answers.ts";
import { bind } from "./binding.ts";
import { readBytes } from "../body.ts";
import { matchOffer, offersOf } from "../offer.ts";
import { ask } from "./open-answers.ts";
import type { Purchase, Surroundings } from "./sale.ts";

/** For servers that hand over requests in their own way. */
export interface BodyReader {
  /**
   * Reads the request's body, for the binding of payment and request; undefined when it is larger
   * than `bytesMax`. Without it, the body is read from a clone of the request.
   */
  readonly readBody?: (bytesMax: number) => Promise<Uint8Array<ArrayBuffer> | undefined>;
  /**
   * What else the answer depends on, such as credentials that the app looks at: whoever repeats the
   * payment with others must not get an answer that was made for the first. Only a hash is kept.
   */
  readonly boundTo?: string;
}

/** A request and the payment in its header. */
export interface Presentation extends BodyReader {
  readonly request: Request;
  readonly payment: Payment;
  readonly terms: ChallengeTerms;
  readonly bodyBytesMax: number;
  /** Whether the address in the terms is the one that the seller has configured. */
  readonly isPublic: boolean;
}

/** Holds a payment against the terms and binds it to the request; or says what is wrong with it. */
export async function openPurchase(
  at: Surroundings,
  presented: Presentation,
): Promise<Purchase | Response> {
  const { payment, terms, bodyBytesMax } = presented;
  const isOwnUrl = ownUrl(terms.resource.url, presented.isPublic);
  const match = matchOffer(terms.offers, payment, isOwnUrl);
  const offer = match.ok ? match.value : formerOffer(terms.offers, payment, isOwnUrl);
  if (!offer) return refuse(at, presented, match);
  const body = await readBody(presented);
  if (!body) {
    const message = `A paid request has at most ${bodyBytesMax} bytes of body.`;
    return refuseRequest(413, "request_too_large", message);
  }
  const { url } = terms.resource;
  const { boundTo, request: asked } = presented;
  const bound = { method: asked.method, url, body, ...(boundTo === undefined ? {} : { boundTo }) };
  const binding = await bind(bound, payment, offer);
  // Other terms than today's count for a purchase that was begun under them, and for no other.
  const isFormer = !match.ok;
  if (isFormer && !(await at.grants.has(binding))) return refuse(at, presented, match);
  const request = toFacilitatorRequest(payment, offer, terms);
  return { payment, offer, binding, terms, request, isFormer };
}

function refuse(
  at: Surroundings,
  { terms }: Presentation,
  match: { readonly ok: boolean; readonly refusal?: Refusal },
): Response {
  return ask(at, terms, match.refusal && reasonOf(match.refusal));
}

/**
 * The offer that a payment took when price, payee or network were others: whoever paid then and
 * repeats now must get what he paid for, and not be asked again.
 */
function formerOffer(
  offers: readonly Requirements[],
  payment: Payment,
  isOwnUrl: (given: string) => boolean,
): Requirements | undefined {
  const { value: amount, to: payTo } = payment.authorization;
  const [today] = offers;
  if (!today) return undefined;
  const { maxTimeoutSeconds } = today;
  const former = offersOf({ networks: [payment.network], amount, payTo, maxTimeoutSeconds });
  const match = matchOffer(former, payment, isOwnUrl);
  return match.ok ? match.value : undefined;
}

/**
 * Compares a payment's `resource.url` with the route's. Without a configured public address only
 * path and query count: behind a proxy the server does not know the scheme and host that the
 * buyer sees, and the payee and the fingerprint bind the payment to this seller anyway.
 */
function ownUrl(url: string, isPublic: boolean): (given: string) => boolean {
  const own = new URL(url);
  return (given) => {
    if (!URL.canParse(given)) return false;
    const other = new URL(given);
    if (isPublic) return other.href === own.href;
    return other.pathname === own.pathname && other.search === own.search;
  };
}

async function readBody({
  request,
  bodyBytesMax,
  readBody: own,
}: Presentation): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (own) return own(bodyBytesMax);
  return request.body ? readBytes(request.clone().body, bodyBytesMax) : new Uint8Array();
}

/**
 * Facilitators are spoken to in version 2, whatever the buyer spoke: the signed authorization is the
 * same in both, and a facilitator that serves version 2 alone settles a version 1 buyer's payment
 * as well. The entry is the seller's own, not the buyer's echo of it.
 */
function toFacilitatorRequest(payment: Payment, offer: Requirements, terms: ChallengeTerms) {
  const entry = toRequirementsV2(offer);
  const { authorization, signature } = payment;
  return {
    x402Version: 2 as const,
    paymentPayload: {
      x402Version: 2 as const,
      payload: { signature, authorization: toWireAuthorization(authorization) },
      accepted: { ...entry },
      resource: { ...terms.resource },
      ...(payment.extensions === undefined ? {} : { extensions: payment.extensions }),
    },
    paymentRequirements: entry,
  };
}
