/** The gateway: starts a server from a configuration, reloads it and stops it. */
import {
  createPayerCounts,
  openChannelDesk,
  timeCalls,
  type Facilitator,
  type PaymentRecords,
  type SellerEvent,
} from "@farthing/seller";
import { defined } from "@farthing/protocol";
import { allRoutes, isServedByProxy, type GatewayConfig } from "./configuration/configuration.ts";
import { createPriceChoice } from "./callers/choose-price.ts";
import type { FetchDirectory } from "./callers/fetch-directory.ts";
import { createClients, withoutSettling } from "./facilitators.ts";
import { silentLog, type Log } from "./log.ts";
import { createGatewayMetrics, type GatewayMetrics } from "./metrics.ts";
import { openPaymentRecords } from "./open-payment-records.ts";
import { createResponder, type RequestStep } from "./respond.ts";
import { activateConfiguration, type ActiveConfiguration } from "./active-configuration.ts";
import type { ChargingDeps } from "./paid-route.ts";
import { createRequestLimits } from "./request-limits.ts";
import { createServer } from "./server.ts";
import { createForwardAuthorization } from "./forward-authorization/authorize-request.ts";

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

export interface GatewayOptions {
  readonly config: GatewayConfig;
  /** The embedded facilitator, where the configuration says `embedded`. */
  readonly facilitator?: Facilitator;
  /** A node of the embedded facilitator, where the configuration has no `rpcUrl`. */
  readonly rpcUrl?: string;
  readonly log?: Log;
  /** Verifies payments and settles none. */
  readonly isDryRun?: boolean;
  /** The clock of rate limits, free requests and prices by caller. */
  readonly nowMs?: () => number;
  /** Where the keys of agents come from; their hosts by default. */
  readonly fetchDirectory?: FetchDirectory;
  /** Told of each request, for a page or a test beside the gateway. */
  readonly onRequest?: (step: RequestStep) => void;
}

/** Longest time for requests under way when the gateway stops: a slow settlement. */
const drainMs = 20_000;

/** Pause between two searches for idle connections during a stop. */
const sweepMs = 100;

/** Throws when the gateway cannot listen, or for invalid terms of a route. */
export async function startGateway(options: GatewayOptions) {
  const { config, log = silentLog, onRequest } = options;
  const metrics = createGatewayMetrics();
  const grants = openPaymentRecords(config);
  const given = { ...options, log, metrics, grants, ...createMemory(options) };
  const open = (one: GatewayConfig, before?: ActiveConfiguration) =>
    activateConfiguration(one, createChargingDeps(one, given), before);
  let active = open(config);
  let isStopping = false;
  metrics.watch(() => active.inFlight(), grants.keptBytes);
  const state = { active: () => active, isStopping: () => isStopping };
  const limits = createRequestLimits(options.nowMs);
  const server = createServer(
    config.trustedProxies,
    createResponder({
      ...state,
      log,
      metrics,
      limits,
      authorization: createForwardAuthorization(config.trustedProxies, limits),
      onRequest,
    }),
  );

  async function end(): Promise<void> {
    isStopping = true;
    log.info({ event: "gateway_stopping" }, "Shutdown started; new requests refused");
    const closed = server.close();
    // A connection that became idle would be kept alive by its client.
    const sweep = setInterval(() => server.server.closeIdleConnections(), sweepMs);
    const late = setTimeout(() => server.server.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(late);
    await active.retire();
    await metrics.close();
    grants.close();
    log.info({ event: "gateway_stopped" }, "Gateway stopped");
  }

  let ended: Promise<void> | undefined;
  const stop = () => (ended ??= end());

  const { http, metrics: ownMetrics } = config.listen;
  try {
    const metricsUrl = ownMetrics && (await metrics.listen(ownMetrics));
    const url = await server.listen({ ...http });
    const facts = { routes: config.routes.length, network: config.network.id };
    log.info({ event: "gateway_started", ...facts }, "Gateway started");
    sayWhatProxiesServe(config, log);
    return {
      url,
      /** Undefined without a metrics listener. */
      metricsUrl,
      /**
       * Activates another configuration for new requests; requests under way finish under the old
       * one. Addresses, trusted proxies, the store and the embedded facilitator stay. Throws, and
       * changes nothing, for another network or invalid terms of a route.
       */
      reload(next: GatewayConfig): void {
        if (next.network.id !== config.network.id) {
          throw new Error("The network changes with a restart only.");
        }
        const before = active;
        active = open(next, before);
        void before.retire();
        metrics.reloaded("ok");
        sayWhatProxiesServe(next, log);
        const routes = next.routes.length;
        log.info({ event: "configuration_activated", routes }, "Configuration activated");
      },
      /** Logs that a configuration was not activated. */
      refuseReload(problem: string): void {
        metrics.reloaded("refused");
        const event = "configuration_refused";
        log.error({ event, problem }, "Configuration refused; the last valid one stays active");
      },
      /** Refuses new requests, responds to those under way for some seconds, and closes. */
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What was counted and learnt survives a reload of the configuration. */
function createMemory({ config: { trustedProxies }, fetchDirectory, nowMs: now }: GatewayOptions) {
  const choosePrice = createPriceChoice({ trustedProxies, fetchDirectory, now });
  return { payers: createPayerCounts(), choosePrice };
}

/** Says what a route loses whose response the gateway never sees. */
function sayWhatProxiesServe(config: GatewayConfig, log: Log): void {
  const served = allRoutes(config).filter(({ upstream }) => isServedByProxy(upstream));
  if (served.length === 0) return;
  const routes = served.map(({ name }) => name).join(", ");
  log.info(
    { event: "routes_served_by_proxy", routes },
    "Routes served by a proxy: money moves before its work, also when that fails; no cost is read, and a repeat opens GET alone",
  );
}

function createChargingDeps(
  config: GatewayConfig,
  given: GatewayOptions & {
    readonly log: Log;
    readonly metrics: GatewayMetrics;
    readonly grants: PaymentRecords;
  } & ReturnType<typeof createMemory>,
): ChargingDeps {
  const { log, metrics, grants, payers, choosePrice } = given;
  const facilitators = createClients(config, given.facilitator).map((client) => {
    const { name = "facilitator" } = client;
    return timeCalls(
      given.isDryRun ? withoutSettling(client) : client,
      () => performance.now(),
      (call, ms) => metrics.facilitatorResponded(name, call, ms),
    );
  });
  const { channels } = config;
  return {
    facilitators,
    grants,
    log,
    // A request of a channel cannot be checked without a charge.
    ...(given.isDryRun
      ? {}
      : { desk: openChannelDesk({ facilitator: facilitators, channels, grants }) }),
    payers,
    choosePrice,
    ...defined({ rpcUrl: config.rpcUrl ?? given.rpcUrl }),
    onEvent: ({ name: route }, event) => observe(route, event, { log, metrics }),
  };
}

/** Counts outcomes of payments, and logs those that the operator has to act on. */
function observe(
  route: string,
  event: SellerEvent,
  { log, metrics }: { readonly log: Log; readonly metrics: GatewayMetrics },
): void {
  if (event.type === "undelivered") {
    metrics.undelivered(route);
    const { transaction, payer } = event.payment;
    const fields = { event: "delivery_failed", route, transaction, payer };
    log.error(fields, "Delivery of paid content failed; a repeat delivers it");
  } else if (event.type === "unserved") {
    const { transaction, payer } = event.receipt;
    const fields = { event: "payment_unserved", route, transaction, payer };
    log.warn(fields, "Used payment not served; the buyer may contact you");
  } else if (event.type === "account_problem") {
    const { code, facilitator } = event.problem;
    const fields = { event: "account_refused", route, code, facilitator };
    log.error(fields, "Account refused by the facilitator; payments stopped");
  } else if (event.type === "facilitator_fault") {
    const { message: problem, facilitator } = event.fault;
    const fields = { event: "facilitator_failed", route, problem, facilitator };
    log.warn(fields, "Facilitator call failed");
  } else if (event.type === "facilitator_skipped") {
    const { message: problem, facilitator = "" } = event.failure;
    metrics.facilitatorSkipped(facilitator);
    const fields = { event: "facilitator_skipped", route, problem, facilitator, next: event.next };
    log.warn(fields, "Facilitator skipped; the next one was asked");
  } else if (event.type === "facilitator_missing") {
    const fields = { event: "facilitator_missing", route, facilitator: event.facilitator };
    log.error(
      fields,
      "Payment under way at a facilitator that is not configured any more; add it again",
    );
  } else if (event.type === "broken") {
    const problem = event.error instanceof Error ? event.error.message : String(event.error);
    log.error({ event: "exchange_failed", route, problem }, "Payment exchange failed");
  } else if (event.type === "cost_unreadable") {
    log.warn({ event: "cost_unreadable", route }, "Cost of a response unreadable; reserve charged");
  } else if (event.type === "full") {
    log.error({ event: "store_full", route }, "Payment store filled up; new payments refused");
  }
}
