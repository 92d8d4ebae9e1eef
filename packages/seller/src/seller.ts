/** The seller: charges for requests on web-standard Request and Response. */
import {
  toRequirementsV2,
  toWireAuthorization,
  type Payment,
  type Requirements,
} from "@farthing/protocol";
import {
  challenge,
  dress,
  preflight,
  reasonOf,
  say,
  type AnswerCode,
  type ChallengeTerms,
} from "./answers.ts";
import { bind } from "./binding.ts";
import { readBytes } from "./body.ts";
import { systemClock, type Clock } from "./clock.ts";
import {
  parseRouteOptions,
  parseSellerOptions,
  type Configuration,
  type RouteConfiguration,
  type RouteOptions,
  type SellerOptions,
} from "./configuration.ts";
import type { Serve } from "./delivery.ts";
import { warnOnConsole, type EventListener } from "./events.ts";
import { exchange, type Sale, type Surroundings } from "./exchange.ts";
import { createMemoryGrants } from "./memory-grants.ts";
import { matchOffer, offersOf } from "./offer.ts";
import { readPresentedPayment } from "./presented-payment.ts";

/** For servers that hand over requests in their own way. */
export interface ChargeOptions {
  /**
   * Reads the request's body, for the binding of payment and request; undefined when it is larger
   * than `bytesMax`. Without it, the body is read from a clone of the request.
   */
  readonly readBody?: (bytesMax: number) => Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** A route with a price. */
export interface Route {
  /**
   * Answers one request: a challenge when nothing was paid, the content of `serve` when the
   * payment is confirmed. The answer's own headers tell the buyer everything.
   */
  charge(request: Request, serve: Serve, options?: ChargeOptions): Promise<Response>;
}

/** A seller. `charge` uses the price of the seller's options, `route` sets another. */
export interface Seller extends Route {
  /** Checks the options at once and throws {@link ConfigurationError} when they are wrong. */
  route(options?: RouteOptions): Route;
}

/**
 * Creates a seller. Throws {@link ConfigurationError} for options that cannot work.
 *
 * @example
 * const seller = createSeller({
 *   facilitator: { url: "https://facilitator.example", apiKey: process.env.FARTHING_API_KEY },
 *   payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
 *   price: "0.01",
 * });
 * const answer = await seller.charge(request, () => Response.json({ report: "…" }));
 */
export function createSeller(options: SellerOptions, clock: Clock = systemClock): Seller {
  const configuration = parseSellerOptions(options);
  const at: Surroundings = {
    facilitator: configuration.facilitator,
    grants: options.grants ?? createMemoryGrants({ now: () => clock.now() }),
    clock,
    waitMs: configuration.waitMs,
    emit: guard(options.onEvent ?? warnOnConsole),
  };
  const route = (own: RouteOptions = {}): Route =>
    createRoute(at, configuration, parseRouteOptions({ ...options, ...own }));
  // Checked now when it is given, so that a wrong price stops the start and not the first sale.
  let fallback = options.price === undefined ? undefined : route();
  return {
    route,
    charge: async (request, serve, more) => (fallback ??= route()).charge(request, serve, more),
  };
}

function guard(listener: EventListener): EventListener {
  return (event) => {
    try {
      listener(event);
    } catch {
      // A listener's mistake must not cost a buyer the answer he paid for.
    }
  };
}

function createRoute(at: Surroundings, seller: Configuration, route: RouteConfiguration): Route {
  const { amount, maxTimeoutSeconds, isStreamed } = route;
  const offers = offersOf({ ...seller.terms, amount, maxTimeoutSeconds });

  async function answer(request: Request, serve: Serve, options: ChargeOptions) {
    if (request.method === "OPTIONS") return preflight();
    const resource = resourceOf(request, seller, route);
    const terms: ChallengeTerms = { offers, resource, mode: seller.mode };
    const presented = readPresentedPayment(request.headers);
    if (presented.kind === "none") return challenge(terms);
    if (presented.kind === "refused") return challenge(terms, reasonOf(presented.refusal));
    if (presented.kind === "ambiguous") {
      return refuseRequest(400, "ambiguous_payment", "Send one payment header, once.");
    }
    if (presented.kind === "too_large") {
      return refuseRequest(431, "payment_header_too_large", "The payment header is too long.");
    }
    const sale = await openSale(seller, terms, presented.payment, request, options);
    return sale instanceof Response ? sale : exchange(at, { ...sale, serve, isStreamed });
  }

  return {
    charge: async (request, serve, options = {}) =>
      dress(await answer(request, serve, options), seller.allowOrigin),
  };
}

/** Holds a payment against the route and binds it to the request; or says what is wrong with it. */
async function openSale(
  seller: Configuration,
  terms: ChallengeTerms,
  payment: Payment,
  request: Request,
  options: ChargeOptions,
): Promise<Omit<Sale, "serve" | "isStreamed"> | Response> {
  const { url } = terms.resource;
  const match = matchOffer(terms.offers, payment, ownUrl(url, seller.publicUrl !== undefined));
  if (!match.ok) return challenge(terms, reasonOf(match.refusal));
  const body = await readBody(request, seller.bodyBytesMax, options);
  if (!body) {
    const message = `A paid request has at most ${seller.bodyBytesMax} bytes of body.`;
    return refuseRequest(413, "request_too_large", message);
  }
  const offer = match.value;
  const binding = await bind({ method: request.method, url, body }, payment, offer);
  return { payment, offer, binding, terms, request: toFacilitatorRequest(payment, offer, terms) };
}

function refuseRequest(status: number, error: AnswerCode, message: string): Response {
  return say(status, { error, message, retryable: false });
}

function resourceOf(request: Request, seller: Configuration, route: RouteConfiguration) {
  const { origin, pathname, search } = new URL(request.url);
  const { description, mimeType } = route;
  return {
    url: `${seller.publicUrl ?? origin}${pathname}${search}`,
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
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

async function readBody(
  request: Request,
  bytesMax: number,
  { readBody }: ChargeOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (readBody) return readBody(bytesMax);
  return request.body ? readBytes(request.clone().body, bytesMax) : new Uint8Array();
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
