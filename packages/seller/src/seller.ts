/** The seller: charges for requests on web-standard Request and Response. */
import {
  declarePaymentIdentifier,
  defined,
  passHeaders,
  paymentIdentifierName,
  signInHeader,
} from "@farthing/protocol";
import {
  addCommonHeaders,
  addTokenVary,
  preflight,
  reasonOf,
  refuseAddress,
  refuseRequest,
  type ChallengeTerms,
} from "./responses.ts";
import { checkSeller, reportReady, type SellerChecks } from "./check-seller.ts";
import { withoutBody } from "./body.ts";
import { audienceOf } from "./exchange/binding.ts";
import { systemClock, type Clock, type WaitUntil } from "./clock.ts";
import {
  ConfigurationError,
  parseRouteOptions,
  parseSellerOptions,
  type Configuration,
  type RouteConfiguration,
  type RouteOptions,
  type SellerOptions,
} from "./configuration.ts";
import { timeCalls, type ChargeTimings } from "./exchange/call-timings.ts";
import { traceCalls } from "./exchange/trace-calls.ts";
import { createFinalitySource } from "./exchange/finality-source.ts";
import { createBackgroundSettlements } from "./exchange/background-settlement.ts";
import { createConsoleWarnings } from "./console-warnings.ts";
import { emitOutcome, guard, type ChargeOutcome, type PaidRequest } from "./events.ts";
import { toError } from "./errors.ts";
import type { Facilitator } from "./facilitator.ts";
import { mapClients, refundsInOrder } from "./facilitator-order.ts";
import { exchange } from "./exchange/exchange.ts";
import { declareBazaar } from "./extensions/bazaar.ts";
import { declarationsOf } from "./extensions/hooks.ts";
import { checkInput, readOnce } from "./extensions/input-check.ts";
import { signOffers, signReceipt, type ReceiptSigner } from "./extensions/offer-receipt.ts";
import { signInTo } from "./extensions/sign-in.ts";
import { respondToHead } from "./exchange/head.ts";
import { withRefusal } from "./exchange/refused-payment.ts";
import { createMemoryGrants } from "./payment-records/memory/memory.ts";
import { ask, undecided } from "./exchange/open-responses.ts";
import { offerPage } from "./paywall/offer-page.ts";
import { parsePayTo } from "./option-values.ts";
import { createQuote, type Terms } from "./offer.ts";
import { createQuickChallenge, type ChallengeQuickly } from "./quick-challenge.ts";
import { createQuickPass, type UsePassQuickly } from "./quick-pass.ts";
import { readPresentedPayment } from "./presented-payment.ts";
import { createRefunds, type Refunds } from "./refund-balance.ts";
import { matchPayment, type BodyReader } from "./exchange/match-payment.ts";
import { checkRequestAddress } from "./request-address.ts";
import {
  factsAfter,
  type ExchangeDeps,
  type ExchangeResult,
  type MatchedPayment,
  type Serve,
} from "./exchange/paid-request.ts";
import type { SaleBooks } from "./sale-books.ts";
import { serveToken } from "./exchange/serve-token.ts";
import { createWalletBudget } from "./exchange/wallet-budget.ts";

export interface ChargeOptions<R = unknown> extends BodyReader {
  /** The framework's own request for price and payee functions; `request` when absent. */
  readonly original?: R;
  /** Further terms that a payment may have been signed for. Challenges name the route's own. */
  readonly acceptedTerms?: readonly Terms[];
  /** The route as a router names it, where its options name none. */
  readonly routeName?: string | undefined;
  /** That of this request; by default `waitUntil` of the seller's options. */
  readonly waitUntil?: WaitUntil | undefined;
}

export interface Charged {
  /** To be sent to the buyer unchanged. */
  readonly response: Response;
  /** The event that the listener has received, without its `url`. */
  readonly outcome: ChargeOutcome;
  /** Absent where none was valid. Without a transaction while the settlement is open. */
  readonly payment?: PaidRequest;
  readonly timings: ChargeTimings;
}

export interface Route<R = unknown> {
  /** Responds with a challenge, or with the content of `serve` once the payment is confirmed. */
  charge(request: Request, serve: Serve, options?: ChargeOptions<R>): Promise<Charged>;
  /** @internal The same challenge with less work, where there is one for the whole route. */
  readonly challenge?: ChallengeQuickly | undefined;
  /** @internal The use of a pass with less work, where the route allows it. */
  readonly usePass?: UsePassQuickly | undefined;
}

/** A seller. `charge` uses the price of the seller's options, `route` sets another. */
export interface Seller<R = unknown> extends Route<R>, SellerChecks, Refunds {
  /** Throws {@link ConfigurationError} for invalid options. */
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
 * const { response } = await seller.charge(request, () => Response.json({ report: "…" }));
 */
export function createSeller<R = Request>(
  options: SellerOptions<R>,
  clock: Clock = systemClock,
): Seller<R> {
  return openSeller(options, parseSellerOptions(options), clock);
}

/** Creates a seller of tools. It creates their addresses, so it needs no `publicUrl`. */
export function createToolSeller(options: SellerOptions): Seller {
  return openSeller(options, parseSellerOptions(options, true), systemClock);
}

function openSeller<R>(
  options: SellerOptions<R>,
  configuration: Configuration,
  clock: Clock,
): Seller<R> {
  const deps: ExchangeDeps = {
    facilitators: configuration.facilitators,
    records: options.grants ?? createMemoryGrants({ now: () => clock.now() }),
    clock,
    waitMs: configuration.waitMs,
    emit: guard(options.onEvent ?? createConsoleWarnings(clock)),
    wallets: createWalletBudget(clock),
    rateLimit: configuration.rateLimit,
    extensions: configuration.extensions,
    background: createBackgroundSettlements(() => deps),
    finality: createFinalitySource(configuration.finality),
  };
  const payees = new Set(typeof options.payTo === "string" ? [parsePayTo(options.payTo)] : []);
  const route = (own: RouteOptions<R> = {}): Route<R> => {
    const parsed = parseRouteOptions({ ...options, ...own });
    if (typeof parsed.payTo === "string") payees.add(parsed.payTo);
    return createRoute(deps, configuration, parsed);
  };
  // Checked at the start, so that a wrong price does not fail at the first payment.
  let fallback = options.price === undefined ? undefined : route();
  const clients = configuration.facilitators.map(({ client }) => client);
  const checked = () => ({ ...configuration, facilitators: clients, payees: [...payees] });
  return {
    route,
    check: async () => checkSeller(checked()),
    ready: async () => reportReady(checked()),
    ...createRefunds({
      ...deps,
      facilitator: defined({ refunds: refundsInOrder(deps.facilitators, clock) }),
      signer: options.refundSigner,
      isOwnStore: options.grants === undefined,
    }),
    charge: async (request, serve, more) => (fallback ??= route()).charge(request, serve, more),
  };
}

interface ResourceRequest {
  readonly request: Request;
  readonly resource: ChallengeTerms["resource"];
  readonly serve: Serve;
}

interface SignedExchange
  extends Pick<Charged, "response" | "outcome">, Pick<ExchangeDeps, "clock" | "emit"> {
  readonly payment: PaidRequest | undefined;
  readonly url: string;
}

/** Checks options of a route that depend on those of its seller. */
function checkTogether<R>(of: Configuration, route: RouteConfiguration<R>): void {
  const [{ client }, ...others] = of.facilitators;
  if (route.serveWhen === "queued" && (client.isInProcess !== true || others.length > 0)) {
    const shape = "confirmed, unless an engine in this process (inProcess: true) is alone";
    throw new ConfigurationError("serveWhen", shape, '"confirmed"');
  }
  if (route.requiresBinding && of.publicUrl === undefined && !of.hasOwnAddresses) {
    // The buyer writes the Host header and would choose the server that a payment is bound to.
    const shape = "the address that buyers use, because requireBinding is true";
    throw new ConfigurationError("publicUrl", shape, '"https://api.example.com"');
  }
}

function createRoute<R>(
  seller: ExchangeDeps,
  of: Configuration,
  route: RouteConfiguration<R>,
): Route<R> {
  checkTogether(of, route);
  const isPublic = of.publicUrl !== undefined;
  const quote = createQuote(of.networks, route);
  const { pass, balance } = openSale(seller, route);
  const hasToken = pass !== undefined || balance !== undefined;
  // The buyer writes the Host header, so only a configured address names the domain of a sign-in.
  const signIn = isPublic ? signInTo({ ...pass, ...balance }, seller, of) : undefined;
  const soldAt = <T extends { readonly scope: string | undefined }>(sale: T, url: string) => {
    const { protocol, host, pathname } = new URL(url);
    // The buyer writes the Host header, which must not choose what a pass or balance opens.
    const path = isPublic || of.hasOwnAddresses ? `${protocol}//${host}${pathname}` : pathname;
    return { ...sale, scope: sale.scope ?? path };
  };
  const soldFor = (request: Request, url: string, options: ChargeOptions<R>) => {
    const { isGone = () => request.signal.aborted } = options;
    return defined({
      pass: pass && { ...soldAt(pass, url), isGone },
      balance: balance && { ...soldAt(balance, url), isGone },
    });
  };

  async function respond(
    deps: ExchangeDeps,
    { request, resource, serve }: ResourceRequest,
    options: ChargeOptions<R>,
  ): Promise<ExchangeResult & Pick<Charged, "payment">> {
    if (request.method === "OPTIONS") return undecided(preflight());
    const malformed = checkRequestAddress(request);
    if (malformed) return undecided(refuseAddress(malformed));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a framework, R is Request
    const original = options.original ?? (request as R);
    const offers = await quote(request, original);
    // A store that fails now costs a buyer the sign-in, and not the challenge.
    const place = { url: resource.url, offers };
    const asksWho = await signIn?.declare(place).catch(() => undefined);
    const extensions = {
      [paymentIdentifierName]: declarePaymentIdentifier(),
      ...(await declareBazaar(route.describe, request, original)),
      ...declarationsOf(of.extensions),
      ...asksWho,
    };
    const terms: ChallengeTerms = { offers, resource, mode: of.mode, extensions };
    const presented = readPresentedPayment(request.headers);
    // A payment that is presented is checked once it is known to be new.
    const wrong =
      presented.kind === "payment"
        ? undefined
        : await checkInput({ ...options, ...of, ...route, request });
    if (wrong) return undecided(wrong);
    if (request.method === "HEAD" && route.head !== "charge") {
      const isPaid = presented.kind !== "none";
      return respondToHead(terms, isPaid, route.head === "free" ? serve : undefined);
    }
    if (presented.kind === "none") {
      const token = request.headers.get(passHeaders.token);
      const signed = request.headers.get(signInHeader);
      if (hasToken && (token !== null || signed !== null)) {
        const audience = options.boundTo === undefined ? await audienceOf(request) : undefined;
        const shown = { request, token, signed, terms, serve };
        const sold = soldFor(request, resource.url, options);
        const { pass: _pass, balance: _balance, ...rules } = route;
        const more = { ...shown, ...sold, ...defined({ audience, signIn }) };
        const result = await serveToken(deps, { ...options, ...of, ...rules, ...more });
        if (result) {
          const { outcome } = result;
          return "payment" in outcome ? { ...result, payment: outcome.payment } : result;
        }
      }
      const asked = ask(terms);
      const response = offerPage(asked.response, terms, request, of.paywall, deps.clock.now());
      return { ...asked, response: await response };
    }
    if (presented.kind === "refused") {
      return withRefusal(ask(terms, reasonOf(presented.refusal)), terms);
    }
    if (presented.kind === "unreadable") return undecided(refuseRequest(presented));
    const { payment } = presented;
    const readBooks = () => booksOf(route, options.routeName, request, original);
    const shown = { request, payment, terms, isPublic, readBooks };
    const matched = await matchPayment(deps, { ...options, ...of, ...route, ...shown });
    if ("response" in matched) return withRefusal(matched, terms, payment);
    // `boundTo` binds the payment to the credentials already.
    const audience = options.boundTo === undefined ? await audienceOf(request) : undefined;
    const { pass: _pass, balance: _balance, ...rules } = route;
    const more = { ...defined({ audience }), ...soldFor(request, resource.url, options) };
    const exchanged = await exchange(deps, { ...rules, ...matched, serve, ...more });
    const result = withRefusal(exchanged, terms, payment);
    return { ...result, ...defined({ payment: paymentBehind(matched, result) }) };
  }

  return {
    challenge: createQuickChallenge(seller.emit, of, route),
    usePass: createQuickPass(seller, of, route, pass),
    async charge(request, serve, options = {}) {
      const timings: { verifyMs?: number; settleMs?: number } = {};
      const { clock } = seller;
      const add = (call: "verify" | "settle", ms: number): void => {
        timings[`${call}Ms`] = (timings[`${call}Ms`] ?? 0) + ms;
      };
      const watch = (client: Facilitator) =>
        timeCalls(traceCalls(client, request), () => clock.now(), add);
      const facilitators = mapClients(seller.facilitators, watch);
      const resource = resourceOf(request, of, route);
      const { url } = resource;
      try {
        const { waitUntil = of.waitUntil } = options;
        const deps = { ...seller, facilitators, waitUntil };
        const { response, outcome, payment } = await respond(
          deps,
          { request, resource, serve },
          readOnce(options),
        );
        await addSignatures(of.receiptSigner, { response, outcome, payment, url, ...seller });
        addCommonHeaders(response.headers, of.allowOrigin);
        if (hasToken) addTokenVary(response.headers);
        emitOutcome(seller.emit, url, outcome);
        return { response, outcome, ...defined({ payment }), timings };
      } catch (error) {
        seller.emit({ type: "broken", url, error });
        // Frameworks read other values as "no error", and would run the handler.
        throw toError(error);
      }
    },
  };
}

async function booksOf<R>(
  { reference, routeName, pass, balance }: RouteConfiguration<R>,
  routersName: string | undefined,
  request: Request,
  original: R,
): Promise<SaleBooks> {
  const own =
    typeof reference === "function" ? await reference(withoutBody(request), original) : reference;
  const opens = pass ? "pass" : balance && "balance";
  return defined({ route: routeName ?? routersName, reference: own, opens } as const);
}

/** Signs what the response offers or delivers. A signer that fails costs no buyer the response. */
async function addSignatures(
  signer: ReceiptSigner | undefined,
  { response, outcome, payment, url, clock, emit }: SignedExchange,
): Promise<void> {
  if (!signer) return;
  const nowMs = clock.now();
  const isDelivered =
    outcome.type === "delivered" || (outcome.type === "repeated" && outcome.isKept);
  try {
    if (outcome.type === "challenged") await signOffers(signer, response.headers, nowMs);
    if (isDelivered && payment) {
      await signReceipt(signer, response.headers, { url, payment, nowMs });
    }
  } catch (error) {
    emit({ type: "broken", url, error });
  }
}

/** Returns the route's pass or balance with the part of the store that keeps it. */
function openSale<R>({ records }: ExchangeDeps, { pass, balance }: RouteConfiguration<R>) {
  const { passes, balances } = records;
  const example = "createMemoryGrants()";
  if (pass && !passes) {
    throw new ConfigurationError("grants", "a store that keeps passes", example);
  }
  if (balance && !balances) {
    throw new ConfigurationError("grants", "a store that keeps balances", example);
  }
  return defined({
    pass: pass && passes && { ...pass, passes },
    balance: balance && balances && { ...balance, balances },
  });
}

/** Returns the payment that a result is about: one that was verified, or whose receipt is sent. */
function paymentBehind(
  matched: MatchedPayment,
  { outcome, receipt }: ExchangeResult,
): PaidRequest | undefined {
  if ("payment" in outcome) return outcome.payment;
  if (receipt === undefined) return undefined;
  const { transaction, ...facts } = factsAfter(matched, receipt);
  return transaction === "" ? facts : { ...facts, transaction };
}

function resourceOf(
  request: Request,
  seller: Configuration,
  { description, mimeType }: Pick<RouteConfiguration, "description" | "mimeType">,
): ChallengeTerms["resource"] {
  // An address that cannot be parsed is refused; only events name it.
  if (!URL.canParse(request.url)) return { url: request.url };
  const { protocol, host, pathname, search } = new URL(request.url);
  // Not `origin`: that is "null" for the address of an MCP tool, `mcp://tool/…`.
  const origin = `${protocol}//${host}`;
  return {
    url: `${seller.publicUrl ?? origin}${pathname}${search}`,
    ...defined({ description, mimeType }),
  };
}
