/** The seller: charges for requests on web-standard Request and Response. */
import {
  dress,
  preflight,
  reasonOf,
  refuseAddress,
  refuseRequest,
  type ChallengeTerms,
} from "./answers.ts";
import { audienceOf } from "./exchange/binding.ts";
import { systemClock, type Clock } from "./clock.ts";
import {
  ConfigurationError,
  parseRouteOptions,
  parseSellerOptions,
  type Configuration,
  type RouteConfiguration,
  type RouteOptions,
  type SellerOptions,
} from "./configuration.ts";
import { createBackgroundSettlements } from "./exchange/background-settlement.ts";
import { warnOnConsole, type EventListener } from "./events.ts";
import { toError } from "./errors.ts";
import { exchange } from "./exchange/exchange.ts";
import { answerHead } from "./exchange/head.ts";
import { createMemoryGrants } from "./payment-records/memory.ts";
import { ask } from "./exchange/open-answers.ts";
import { offerPage } from "./paywall/offer-page.ts";
import { readPresentedPayment } from "./presented-payment.ts";
import { matchPayment, type BodyReader } from "./exchange/match-payment.ts";
import { createQuote } from "./quote.ts";
import { checkRequestAddress } from "./request-address.ts";
import type { ExchangeDeps, Serve } from "./exchange/paid-request.ts";
import { createWalletBudget } from "./exchange/wallet-budget.ts";

/** What a server can add to one charge. */
export interface ChargeOptions<R = unknown> extends BodyReader {
  /**
   * The framework's own request, which price and payee functions receive beside the web-standard
   * one. Where it is absent, they receive the request that `charge` was called with.
   */
  readonly original?: R;
  /** Hears of the events of this request, beside the seller's own listener. */
  readonly onEvent?: EventListener;
}

/** A route with a price. */
export interface Route<R = unknown> {
  /**
   * Answers one request: a challenge when nothing was paid, the content of `serve` when the
   * payment is confirmed. The answer's own headers tell the buyer everything.
   */
  charge(request: Request, serve: Serve, options?: ChargeOptions<R>): Promise<Response>;
}

/** A seller. `charge` uses the price of the seller's options, `route` sets another. */
export interface Seller<R = unknown> extends Route<R> {
  /** Checks the options at once and throws {@link ConfigurationError} when they are wrong. */
  route(options?: RouteOptions<R>): Route<R>;
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
export function createSeller<R = Request>(
  options: SellerOptions<R>,
  clock: Clock = systemClock,
): Seller<R> {
  return openSeller(options, parseSellerOptions(options), clock);
}

/**
 * Creates a seller of tools. The seller makes a tool's address itself, so that bound payments name
 * the right one without a `publicUrl`. Throws {@link ConfigurationError}, as `createSeller` does.
 */
export function createToolSeller(options: SellerOptions): Seller {
  const configuration = { ...parseSellerOptions(options), hasOwnAddresses: true };
  return openSeller(options, configuration, systemClock);
}

function openSeller<R>(
  options: SellerOptions<R>,
  configuration: Configuration,
  clock: Clock,
): Seller<R> {
  const at: ExchangeDeps = {
    facilitator: configuration.facilitator,
    records: options.grants ?? createMemoryGrants({ now: () => clock.now() }),
    clock,
    waitMs: configuration.waitMs,
    emit: guard(options.onEvent ?? warnOnConsole),
    wallets: createWalletBudget(clock),
    background: createBackgroundSettlements(() => at),
  };
  const route = (own: RouteOptions<R> = {}): Route<R> =>
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
      // A listener may be an async function as well, whose promise nobody else looks at.
      const done: unknown = listener(event);
      if (done instanceof Promise) done.catch(() => undefined);
    } catch {
      // A listener's mistake must not cost a buyer the answer he paid for.
    }
  };
}

function createRoute<R>(
  seller: ExchangeDeps,
  of: Configuration,
  route: RouteConfiguration<R>,
): Route<R> {
  const { isStreamed, order, redirects, workMs, redeliver, requiresBinding, serveWhen } = route;
  if (serveWhen === "queued" && of.facilitator.isInProcess !== true) {
    const shape = "confirmed, unless facilitator is an engine in this process (inProcess: true)";
    throw new ConfigurationError("serveWhen", shape, '"confirmed"');
  }
  const isPublic = of.publicUrl !== undefined;
  if (requiresBinding && !isPublic && !of.hasOwnAddresses) {
    // The buyer writes the Host header, and would choose the shop that a payment is bound to.
    const shape = "the address that buyers use, because requireBinding is true";
    throw new ConfigurationError("publicUrl", shape, '"https://api.example.com"');
  }
  const quote = createQuote(of.networks, route);

  async function answer(
    at: ExchangeDeps,
    request: Request,
    serve: Serve,
    options: ChargeOptions<R>,
  ): Promise<Response> {
    if (request.method === "OPTIONS") return preflight();
    const malformed = checkRequestAddress(request);
    if (malformed) return refuseAddress(malformed);
    const resource = resourceOf(request, of, route);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a framework, R is Request
    const original = options.original ?? (request as R);
    const offers = await quote(request, original);
    const terms: ChallengeTerms = { offers, resource, mode: of.mode };
    const presented = readPresentedPayment(request.headers);
    if (request.method === "HEAD" && route.head !== "charge") {
      const isPaid = presented.kind !== "none";
      const free = route.head === "free" ? serve : undefined;
      return answerHead(at, { terms, isPaid, order, redirects }, free);
    }
    if (presented.kind === "none") {
      return offerPage(ask(at, terms), terms, request, of.paywall, at.clock.now());
    }
    if (presented.kind === "refused") return ask(at, terms, reasonOf(presented.refusal));
    if (presented.kind === "ambiguous") {
      return refuseRequest(
        400,
        "ambiguous_payment",
        "Send one payment; in both headers only the same one.",
      );
    }
    if (presented.kind === "too_large") {
      return refuseRequest(431, "payment_header_too_large", "The payment header is too long.");
    }
    const { payment } = presented;
    const { bodyBytesMax } = of;
    const rules = { redeliver, requiresBinding, serveWhen };
    const about = { ...options, ...rules, request, payment, terms, bodyBytesMax, isPublic };
    const matched = await matchPayment(at, about);
    if (matched instanceof Response) return matched;
    // A server that says what else counts has bound the payment to it.
    const audience = options.boundTo === undefined ? await audienceOf(request) : undefined;
    const who = audience === undefined ? {} : { audience };
    const kind = { isStreamed, order, redirects, redeliver, workMs };
    return exchange(at, { ...matched, ...kind, serve, ...who });
  }

  return {
    async charge(request, serve, options = {}) {
      const { onEvent } = options;
      const at = onEvent ? { ...seller, emit: both(seller.emit, guard(onEvent)) } : seller;
      try {
        return dress(await answer(at, request, serve, options), of.allowOrigin);
      } catch (error) {
        at.emit({ type: "broken", url: resourceOf(request, of, route).url, error });
        // Frameworks take other values for "nothing went wrong", and run what was to be paid for.
        throw toError(error);
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

function resourceOf(
  request: Request,
  seller: Configuration,
  route: Pick<RouteConfiguration, "description" | "mimeType">,
) {
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
