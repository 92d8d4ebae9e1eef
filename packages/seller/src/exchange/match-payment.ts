/** Matches a payment with the terms of its request, and binds it to the request. */
import {
  defined,
  readPaymentIdentifier,
  readRequestBinding,
  refusal,
  toRequirementsV2,
  toWireAuthorization,
  type Network,
  type Payment,
  type Requirements,
} from "@farthing/protocol";
import { reasonOf, refuseRequest, type ChallengeTerms } from "../responses.ts";
import { bind, checkRequestBinding, hashOf, withoutProof, type BindingSubject } from "./binding.ts";
import { readBytes } from "../body.ts";
import { runCheck } from "../extensions/input-check.ts";
import type { Configuration, Redeliver, RouteConfiguration } from "../configuration.ts";
import type { Access, Proof } from "../payment-records/rules/payment-records.ts";
import { matchOffer, offersOf, type Terms } from "../offer.ts";
import type { SaleBooks } from "../sale-books.ts";
import { ask, storeFailed, tooManyWallets, undecided } from "./open-responses.ts";
import type { ExchangeDeps, ExchangeResult, MatchedPayment } from "./paid-request.ts";

/** For servers that pass requests in their own way. */
export interface BodyReader {
  /** Reads the body; undefined when it is too large. Without it, a clone of the request is read. */
  readonly readBody?: (bytesMax: number) => Promise<Uint8Array<ArrayBuffer> | undefined>;
  /**
   * What else the response depends on, such as credentials that the app checks: a repeat with
   * others must not get a response that was made for the first. Only a hash is kept.
   */
  readonly boundTo?: string;
  /** What the nonce of a bound payment commits to, where it is a tool's call. */
  readonly bindingSubject?: BindingSubject;
  /** Whether the buyer has disconnected; the signal of the request tells when absent. */
  readonly isGone?: () => boolean;
}

type MatchRules = Pick<
  RouteConfiguration,
  "redeliver" | "requiresBinding" | "serveWhen" | "maxTimeoutSeconds" | "check"
> &
  Pick<Configuration, "networks" | "bodyBytesMax">;

interface Presentation extends BodyReader, MatchRules {
  readonly request: Request;
  readonly payment: Payment;
  readonly terms: ChallengeTerms;
  readonly acceptedTerms?: readonly Terms[];
  /** Whether the address in the terms is the configured one. */
  readonly isPublic: boolean;
  /** Throws what the seller's own function throws. */
  readonly readBooks: () => Promise<SaleBooks>;
}

export async function matchPayment(
  deps: ExchangeDeps,
  presented: Presentation,
): Promise<MatchedPayment | ExchangeResult> {
  const { payment, terms, bodyBytesMax, maxTimeoutSeconds } = presented;
  const isOwnUrl = ownUrl(terms.resource.url, presented.isPublic);
  const match = matchOffer(terms.offers, payment, isOwnUrl);
  const refused = match.ok ? undefined : reasonOf(match.refusal);
  const { networks, acceptedTerms = [] } = presented;
  const accepted = match.ok ? match.value : offerUnder(networks, acceptedTerms, payment, isOwnUrl);
  // A buyer who has paid under previous terms must not be asked again.
  const { value: amount, to: payTo } = payment.authorization;
  const previous = [{ amount, payTo, maxTimeoutSeconds }];
  const offer = accepted ?? offerUnder([payment.network], previous, payment, isOwnUrl);
  if (!offer) return ask(terms, refused);
  const body = await readBody(presented);
  if (!body) {
    const message = `A paid request has at most ${bodyBytesMax} bytes of body.`;
    return undecided(refuseRequest({ status: 413, error: "request_too_large", message }));
  }
  const { url } = terms.resource;
  const { boundTo, request: asked } = presented;
  const subject = presented.bindingSubject ?? { method: asked.method, body };
  const opening = checkRequestBinding(payment, { ...subject, url });
  if (!opening.ok) return ask(terms, reasonOf(opening.refusal));
  const named = readPaymentIdentifier(payment.extensions);
  if (!named.ok) return ask(terms, reasonOf(named.refusal));
  const bound = { method: asked.method, url, body, ...defined({ boundTo }) };
  const binding = await bind(bound, payment, offer);
  // Previous terms count only for a payment that was begun under them.
  const acceptsPreviousTerms = !accepted;
  const request = toFacilitatorRequest(payment, offer, terms);
  try {
    const hasRecord = async () => deps.records.has(binding);
    if (acceptsPreviousTerms && !(await hasRecord())) return ask(terms, refused);
    // A buyer who paid before bindings were required gets what they paid for.
    const isUnbound = presented.requiresBinding && !opening.value;
    if (isUnbound && !(await hasRecord())) return ask(terms, bindingRequired);
    // A recorded payment was let through before, and needs no new call.
    if (!deps.wallets.allows(payment) && !(await hasRecord())) return undecided(tooManyWallets());
    const { check } = presented;
    // What was begun is finished, whatever the check says by now.
    const wrong = check && !(await hasRecord()) && (await runCheck(check, asked, body));
    if (wrong) return undecided(wrong);
    const books = await presented.readBooks().catch(async (error: unknown) => {
      if (await hasRecord()) return {};
      throw error;
    });
    const proof = await readProof(deps, presented, opening.value);
    const access = { proof, rule: ruleOf(presented.redeliver, acceptsPreviousTerms) };
    const servesQueued = presented.serveWhen === "queued";
    const bare = withoutProof(payment);
    const flags = { acceptsPreviousTerms, servesQueued };
    const identifier = named.value ?? undefined;
    const more = { ...flags, ...defined({ identifier }) };
    return { payment: bare, offer, binding, access, terms, request, books, ...more };
  } catch (error) {
    return storeFailed(error);
  }
}

const bindingRequired = reasonOf(refusal("binding_required"));

async function readProof(
  { records }: ExchangeDeps,
  { payment, request: { headers } }: Presentation,
  isOpened: boolean,
): Promise<Proof> {
  const token = await hashOf(readRequestBinding(payment.extensions).token);
  const payer = payment.authorization.from.toLowerCase();
  const isShared = token !== undefined && (await records.isTokenShared(token, payer));
  return defined({
    token,
    isTokenShared: isShared || undefined,
    authorization: await hashOf(headers.get("Authorization")),
    cookie: await hashOf(headers.get("Cookie")),
    isOpened: isOpened || undefined,
  });
}

/** Under previous terms only a buyer with a proof resumes. */
function ruleOf(redeliver: Redeliver, acceptsPreviousTerms: boolean): Access["rule"] {
  if (redeliver === "anyone") return "anyone";
  return acceptsPreviousTerms ? "proven" : "bound";
}

/** Returns the offer under one of the terms that the payment takes. */
function offerUnder(
  networks: readonly Network[],
  terms: readonly Terms[],
  payment: Payment,
  isOwnUrl: (given: string) => boolean,
): Requirements | undefined {
  for (const one of terms) {
    const match = matchOffer(offersOf(networks, one), payment, isOwnUrl);
    if (match.ok) return match.value;
  }
  return undefined;
}

/**
 * Compares a payment's `resource.url` with the route's. Without a configured public address only
 * path and query count: behind a proxy the server does not know the scheme and host that the buyer
 * sees, and payee and fingerprint bind the payment to this seller anyway.
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

/** Returns undefined for a body that is too large. */
export async function readBody({
  request,
  bodyBytesMax,
  readBody: own,
}: BodyReader & { readonly request: Request; readonly bodyBytesMax: number }) {
  if (own) return own(bodyBytesMax);
  return request.body ? readBytes(request.clone().body, bodyBytesMax) : new Uint8Array();
}

/**
 * Always speaks version 2, also for buyers of version 1: the signed authorization is the same, and
 * some facilitators serve version 2 alone. The entry is the seller's own, not the buyer's echo.
 */
function toFacilitatorRequest(payment: Payment, offer: Requirements, terms: ChallengeTerms) {
  const entry = toRequirementsV2(offer);
  const { scheme, network } = entry;
  const { authorization, signature } = payment;
  return {
    x402Version: 2 as const,
    paymentPayload: {
      x402Version: 2 as const,
      // Facilitators written from the service description read these beside `accepted`.
      scheme,
      network,
      payload: { signature, authorization: toWireAuthorization(authorization) },
      accepted: { ...entry },
      resource: { ...terms.resource },
      ...defined({ extensions: withoutProof(payment).extensions }),
    },
    paymentRequirements: entry,
  };
}
