/** The seller: charges for requests on web-standard Request and Response. */
import { dress, preflight, reasonOf, refuseRequest, type ChallengeTerms } from "./answers.ts";
import { readerOf } from "./exchange/binding.ts";
import { systemClock, type Clock } from "./clock.ts";
import {
  parseRouteOptions,
  parseSellerOptions,
  type Configuration,
  type RouteConfiguration,
  type RouteOptions,
  type SellerOptions,
} from "./configuration.ts";
import { createContinuations } from "./exchange/continuation.ts";
import type { Serve } from "./exchange/delivery.ts";
import { warnOnConsole, type EventListener } from "./events.ts";
import { exchange } from "./exchange/exchange.ts";
import { createMemoryGrants } from "./grants/memory-grants.ts";
import { ask } from "./exchange/open-answers.ts";
import { offerPage } from "./paywall/offer-page.ts";
import { readPresentedPayment } from "./presented-payment.ts";
import { openPurchase, type BodyReader } from "./exchange/purchase.ts";
import { createQuote } from "./quote.ts";
import type { Surroundings } from "./exchange/sale.ts";

/** What a server can add to one charge. */
export interface ChargeOptions extends BodyReader {
  /** Hears of the events of this request, beside the seller's own listener. */
  readonly onEvent?: EventListener;
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
    continuations: createContinuations(() => at),
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

function createRoute(seller: Surroundings, of: Configuration, route: RouteConfiguration): Route {
  const { isStreamed, order, workMs } = route;
  const quote = createQuote(of.networks, route);
  const isPublic = of.publicUrl !== undefined;

  async function answer(at: Surroundings, request: Request, serve: Serve, options: ChargeOptions) {
    if (request.method === "OPTIONS") return preflight();
    const resource = resourceOf(request, of, route);
    const terms: ChallengeTerms = { offers: await quote(request), resource, mode: of.mode };
    const presented = readPresentedPayment(request.headers);
    if (presented.kind === "none") {
      return offerPage(ask(at, terms), terms, request, of.paywall, at.clock.now());
    }
    if (presented.kind === "refused") return ask(at, terms, reasonOf(presented.refusal));
    if (presented.kind === "ambiguous") {
      return refuseRequest(400, "ambiguous_payment", "Send one payment header, once.");
    }
    if (presented.kind === "too_large") {
      return refuseRequest(431, "payment_header_too_large", "The payment header is too long.");
    }
    const { payment } = presented;
    const { bodyBytesMax } = of;
    const about = { ...options, request, payment, terms, bodyBytesMax, isPublic };
    const purchase = await openPurchase(at, about);
    if (purchase instanceof Response) return purchase;
    // A server that says what else counts has bound the payment to it.
    const reader = options.boundTo === undefined ? await readerOf(request) : undefined;
    const who = reader === undefined ? {} : { reader };
    return exchange(at, { ...purchase, serve, isStreamed, order, workMs, ...who });
  }

  return {
    async charge(request, serve, options = {}) {
      const { onEvent } = options;
      const at = onEvent ? { ...seller, emit: both(seller.emit, guard(onEvent)) } : seller;
      try {
        return dress(await answer(at, request, serve, options), of.allowOrigin);
      } catch (error) {
        at.emit({ type: "broken", url: resourceOf(request, of, route).url, error });
        throw error;
      }
    },
  };
}

function both(first: EventListener, second: EventListener): EventListener {
  return (event) => {
    first(event);
    second(event);
  };
}

function resourceOf(request: Request, seller: Configuration, route: RouteConfiguration) {
  const { protocol, host, pathname, search } = new URL(request.url);
  // Not `origin`: that is "null" for the address of an MCP tool, `mcp://tool/…`.
  const origin = `${protocol}//${host}`;
  const { description, mimeType } = route;
  return {
    url: `${seller.publicUrl ?? origin}${pathname}${search}`,
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}
