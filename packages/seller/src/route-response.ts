/** What a route responds to one request: a challenge, a refusal, or the content after its payment. */
import {
  declarePaymentIdentifier,
  defined,
  passHeaders,
  paymentIdentifierName,
  signInHeader,
  type Payment,
} from "@farthing/protocol";
import { withoutBody } from "./body.ts";
import type { WaitUntil } from "./clock.ts";
import {
  ConfigurationError,
  type Configuration,
  type RouteConfiguration,
} from "./configuration.ts";
import type { PaidRequest } from "./events.ts";
import { audienceOf } from "./exchange/binding.ts";
import { exchange } from "./exchange/exchange.ts";
import { respondToHead } from "./exchange/head.ts";
import { matchPayment, type BodyReader } from "./exchange/match-payment.ts";
import { ask, undecided } from "./exchange/open-responses.ts";
import {
  factsAfter,
  type ExchangeDeps,
  type ExchangeResult,
  type MatchedPayment,
  type Serve,
} from "./exchange/paid-request.ts";
import { withRefusal } from "./exchange/refused-payment.ts";
import { serveToken } from "./exchange/serve-token.ts";
import { declareBazaar } from "./extensions/bazaar.ts";
import { declarationsOf } from "./extensions/hooks.ts";
import { checkInput } from "./extensions/input-check.ts";
import { signInTo } from "./extensions/sign-in.ts";
import { createQuote, type Terms } from "./offer.ts";
import { offerPage } from "./paywall/offer-page.ts";
import { readPresentedPayment } from "./presented-payment.ts";
import { openChannels, respondToChannel } from "./channels/channel-route.ts";
import { checkRequestAddress } from "./request-address.ts";
import {
  preflight,
  reasonOf,
  refuseAddress,
  refuseRequest,
  type ChallengeTerms,
} from "./responses.ts";
import type { SaleBooks } from "./sale-books.ts";

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

/** A route with what is computed once for all of its requests. */
export type OpenRoute<R> = ReturnType<typeof openRoute<R>>;

export interface RouteRequest<R> {
  readonly request: Request;
  readonly resource: ChallengeTerms["resource"];
  readonly serve: Serve;
  readonly options: ChargeOptions<R>;
}

interface RouteResult extends ExchangeResult {
  readonly payment?: PaidRequest;
}

/** Throws {@link ConfigurationError} for a route that cannot work with its seller. */
export function openRoute<R>(
  seller: ExchangeDeps,
  of: Configuration,
  route: RouteConfiguration<R>,
) {
  checkTogether(of, route);
  const isPublic = of.publicUrl !== undefined;
  const { pass, balance, channel } = openSale(seller, route);
  const { pass: _pass, balance: _balance, channel: _channel, ...rules } = route;
  return {
    of,
    route,
    rules,
    isPublic,
    quote: createQuote(of.networks, route),
    pass,
    balance,
    channel,
    hasToken: pass !== undefined || balance !== undefined,
    // The buyer writes the Host header, so only a configured address names the domain of a sign-in.
    signIn: isPublic ? signInTo({ ...pass, ...balance }, seller, of) : undefined,
  };
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

/** Returns the route's pass or balance with the part of the store that keeps it. */
function openSale<R>({ records }: ExchangeDeps, { pass, balance, channel }: RouteConfiguration<R>) {
  const { passes, balances, channels } = records;
  const example = "createMemoryGrants()";
  if (pass && !passes) {
    throw new ConfigurationError("grants", "a store that keeps passes", example);
  }
  if (balance && !balances) {
    throw new ConfigurationError("grants", "a store that keeps balances", example);
  }
  if (channel && !channels) {
    throw new ConfigurationError("grants", "a store that keeps channels", example);
  }
  return defined({
    channel: channel && channels && { ...channel, channels },
    pass: pass && passes && { ...pass, passes },
    balance: balance && balances && { ...balance, balances },
  });
}

const channelsOnly = {
  error: "unsupported_scheme",
  message: "This resource is paid by channels only, with the scheme batch-settlement.",
} as const;

/** Responds to one request. Throws what the seller's own functions throw. */
export async function respond<R>(
  deps: ExchangeDeps,
  at: OpenRoute<R>,
  asked: RouteRequest<R>,
): Promise<RouteResult> {
  const { of, route } = at;
  const { request, serve, options } = asked;
  if (request.method === "OPTIONS") return undecided(preflight());
  const malformed = checkRequestAddress(request);
  if (malformed) return undecided(refuseAddress(malformed));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a framework, R is Request
  const original = options.original ?? (request as R);
  const offered = await termsOf(at, asked, original);
  const channels = await openChannels(deps, at, offered.offers);
  const terms = { ...offered, ...defined({ channels }) };
  const presented = readPresentedPayment(request.headers);
  // A payment that is presented is checked once it is known to be new.
  const wrong =
    presented.kind === "payment" || (presented.kind === "channel" && channels)
      ? undefined
      : await checkInput({ ...options, ...of, ...route, request });
  if (wrong) return undecided(wrong);
  if (request.method === "HEAD" && route.head !== "charge") {
    const isPaid = presented.kind !== "none";
    return respondToHead(terms, isPaid, route.head === "free" ? serve : undefined);
  }
  if (presented.kind === "none") {
    return (await respondToToken(deps, at, asked, terms)) ?? challenge(deps, at, request, terms);
  }
  if (presented.kind === "refused") {
    return withRefusal(ask(terms, reasonOf(presented.refusal)), terms);
  }
  if (presented.kind === "unreadable") return undecided(refuseRequest(presented));
  if (presented.kind === "channel") {
    if (!channels) return withRefusal(ask(terms, reasonOf(presented.refusal)), terms);
    return respondToChannel(deps, at, { ...asked, ...presented, channels }, terms);
  }
  if (channels?.isOnly === true) return ask(terms, channelsOnly);
  return respondToPayment(deps, at, { ...asked, original, payment: presented.payment }, terms);
}

async function termsOf<R>(
  { of, route, quote, signIn }: OpenRoute<R>,
  { request, resource }: RouteRequest<R>,
  original: R,
): Promise<ChallengeTerms> {
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
  return { offers, resource, mode: of.mode, extensions };
}

/** Returns undefined where the request shows no token and no sign-in that the route takes. */
async function respondToToken<R>(
  deps: ExchangeDeps,
  at: OpenRoute<R>,
  asked: RouteRequest<R>,
  terms: ChallengeTerms,
): Promise<RouteResult | undefined> {
  const { request, serve, options } = asked;
  const token = request.headers.get(passHeaders.token);
  const signed = request.headers.get(signInHeader);
  if (!at.hasToken || (token === null && signed === null)) return undefined;
  const shown = { request, token, signed, terms, serve };
  const more = { ...shown, ...(await soldFor(at, asked)), ...defined({ signIn: at.signIn }) };
  const result = await serveToken(deps, { ...options, ...at.of, ...at.rules, ...more });
  if (!result) return undefined;
  const { outcome } = result;
  return "payment" in outcome ? { ...result, payment: outcome.payment } : result;
}

async function challenge<R>(
  { clock }: ExchangeDeps,
  { of }: OpenRoute<R>,
  request: Request,
  terms: ChallengeTerms,
): Promise<RouteResult> {
  const asked = ask(terms);
  const response = await offerPage(asked.response, terms, request, of.paywall, clock.now());
  return { ...asked, response };
}

async function respondToPayment<R>(
  deps: ExchangeDeps,
  at: OpenRoute<R>,
  asked: RouteRequest<R> & { readonly original: R; readonly payment: Payment },
  terms: ChallengeTerms,
): Promise<RouteResult> {
  const { of, route, isPublic } = at;
  const { request, serve, options, original, payment } = asked;
  const readBooks = () => booksOf(route, options.routeName, request, original);
  const shown = { request, payment, terms, isPublic, readBooks };
  const matched = await matchPayment(deps, { ...options, ...of, ...route, ...shown });
  if ("response" in matched) return withRefusal(matched, terms, payment);
  const more = await soldFor(at, asked);
  const exchanged = await exchange(deps, { ...at.rules, ...matched, serve, ...more });
  const result = withRefusal(exchanged, terms, payment);
  return { ...result, ...defined({ payment: paymentBehind(matched, result) }) };
}

/** What a payment buys besides the content, or a token opens, and for whom. */
async function soldFor<R>(at: OpenRoute<R>, { request, resource, options }: RouteRequest<R>) {
  const { pass, balance } = at;
  const { isGone = () => request.signal.aborted } = options;
  return defined({
    // `boundTo` binds the payment to the credentials already.
    audience: options.boundTo === undefined ? await audienceOf(request) : undefined,
    pass: pass && { ...pass, scope: pass.scope ?? scopeAt(at, resource.url), isGone },
    balance: balance && { ...balance, scope: balance.scope ?? scopeAt(at, resource.url), isGone },
  });
}

/** The buyer writes the Host header, which must not choose what a pass or balance opens. */
function scopeAt<R>({ of, isPublic }: OpenRoute<R>, url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return isPublic || of.hasOwnAddresses ? `${protocol}//${host}${pathname}` : pathname;
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
