/** The seller: charges for requests on web-standard Request and Response. */
import { defined, type Address } from "@farthing/protocol";
import { createChannelDesk, type ChannelDesk } from "./channels/channel-desk.ts";
import { createSellerChannels, type SellerChannels } from "./channels/claim-channels.ts";
import { addCommonHeaders, addTokenVary, type ChallengeTerms } from "./responses.ts";
import { checkSeller, reportReady, type SellerChecks } from "./check-seller.ts";
import { systemClock, type Clock } from "./clock.ts";
import {
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
import { readOnce } from "./extensions/input-check.ts";
import { signOffers, signReceipt, type ReceiptSigner } from "./extensions/offer-receipt.ts";
import { createMemoryGrants } from "./payment-records/memory/memory.ts";
import { parsePayTo } from "./option-values.ts";
import { createQuickChallenge, type ChallengeQuickly } from "./quick-challenge.ts";
import { createQuickPass, type UsePassQuickly } from "./quick-pass.ts";
import { createRefunds, type Refunds } from "./refund-balance.ts";
import type { ExchangeDeps, Serve } from "./exchange/paid-request.ts";
import { openRoute, respond, type ChargeOptions } from "./route-response.ts";
import { compileWherePossible } from "./exchange/compile-where-possible.ts";
import { createWalletBudget } from "./exchange/wallet-budget.ts";

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
  /** Claims what channels were charged, and gives back what is left in them. */
  readonly channels: SellerChannels;
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
  /** Of several sellers with the same key and facilitators; the seller's own when absent. */
  desk?: ChannelDesk,
): Seller<R> {
  return openSeller(options, parseSellerOptions(options), clock, desk);
}

/** Creates a seller of tools. It creates their addresses, so it needs no `publicUrl`. */
export function createToolSeller(options: SellerOptions): Seller {
  return openSeller(options, parseSellerOptions(options, true), systemClock);
}

function openSeller<R>(
  options: SellerOptions<R>,
  configuration: Configuration,
  clock: Clock,
  shared?: ChannelDesk,
): Seller<R> {
  const records = options.grants ?? createMemoryGrants({ now: () => clock.now() });
  const desk = shared ?? createChannelDesk({ ...configuration, records }, clock);
  const deps: ExchangeDeps = {
    facilitators: configuration.facilitators,
    records,
    clock,
    waitMs: configuration.waitMs,
    emit: guard(options.onEvent ?? createConsoleWarnings(clock)),
    wallets: createWalletBudget(clock),
    rateLimit: configuration.rateLimit,
    extensions: configuration.extensions,
    background: createBackgroundSettlements(() => deps),
    finality: createFinalitySource(configuration.finality),
    ...desk,
  };
  const channelPayees = new Set<Address>();
  const isOwnStore = options.grants === undefined;
  let isSoldAhead = false;
  const payees = new Set(typeof options.payTo === "string" ? [parsePayTo(options.payTo)] : []);
  const route = (own: RouteOptions<R> = {}): Route<R> => {
    const parsed = parseRouteOptions({ ...options, ...own });
    if (typeof parsed.payTo === "string") payees.add(parsed.payTo);
    if (typeof parsed.payTo === "string" && parsed.channel) channelPayees.add(parsed.payTo);
    if (parsed.channel) {
      compileWherePossible();
      desk.leftVouchers.start();
    }
    if (parsed.pass || parsed.balance) isSoldAhead = true;
    return createRoute(deps, configuration, parsed);
  };
  // Checked at the start, so that a wrong price does not fail at the first payment.
  let fallback = options.price === undefined ? undefined : route();
  const clients = configuration.facilitators.map(({ client }) => client);
  const ofChannels = () =>
    channelPayees.size > 0 ? { hasKey: configuration.authorizerKey !== undefined } : undefined;
  const checked = () => ({
    ...configuration,
    facilitators: clients,
    payees: [...payees],
    ...defined({ channels: ofChannels(), memory: isOwnStore ? { isSoldAhead } : undefined }),
  });
  return {
    route,
    check: async () => checkSeller(checked()),
    ready: async () => reportReady(checked()),
    ...createRefunds({
      ...deps,
      facilitator: defined({ refunds: refundsInOrder(deps.facilitators, clock) }),
      signer: options.refundSigner,
      isOwnStore,
    }),
    channels: createSellerChannels({
      ...deps,
      channels: deps.records.channels,
      payees: () => [...channelPayees],
      networks: configuration.networks,
    }),
    charge: async (request, serve, more) => (fallback ??= route()).charge(request, serve, more),
  };
}

interface SignedExchange
  extends Pick<Charged, "response" | "outcome">, Pick<ExchangeDeps, "clock" | "emit"> {
  readonly payment: PaidRequest | undefined;
  readonly url: string;
}

function createRoute<R>(
  seller: ExchangeDeps,
  of: Configuration,
  route: RouteConfiguration<R>,
): Route<R> {
  const at = openRoute(seller, of, route);
  return {
    challenge: createQuickChallenge(seller.emit, of, route),
    usePass: createQuickPass(seller, of, route, at.pass),
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
        const asked = { request, resource, serve, options: readOnce(options) };
        const { response, outcome, payment } = await respond(deps, at, asked);
        await addSignatures(of.receiptSigner, { response, outcome, payment, url, ...seller });
        addCommonHeaders(response.headers, of.allowOrigin);
        if (at.hasToken) addTokenVary(response.headers);
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
