/** The gateway, wired: a configuration in, a running server out; reloaded and stopped whole. */
import {
  createFacilitatorClient,
  type Facilitator,
  type PaymentRecords,
  type SellerEvent,
} from "@farthing/seller";
import type { GatewayConfig } from "./configuration/configuration.ts";
import { measureCalls, withoutSettling } from "./facilitator-calls.ts";
import { silentLog, type Log } from "./log.ts";
import { createGatewayMetrics, type GatewayMetrics } from "./metrics.ts";
import { openPaymentRecords } from "./open-payment-records.ts";
import { createResponder } from "./respond.ts";
import { activateConfiguration, type ActiveConfiguration } from "./active-configuration.ts";
import type { ChargingDeps } from "./paid-route.ts";
import { createServer } from "./server.ts";

/** A running gateway. */
export interface Gateway {
  /** Where it listens. */
  readonly url: string;
  /** Where its metrics are; undefined without a metrics listener. */
  readonly metricsUrl: string | undefined;
  /**
   * Activates another configuration, for requests from now on; those under way finish under
   * the old one. Where it listens, whom it trusts, where it stores and whether the engine is inside
   * stay as they were at the start. Throws, and changes nothing, when the network is another or a
   * route's terms cannot work.
   */
  reload(config: GatewayConfig): void;
  /** Logs that a configuration was not activated; the last good one stays. */
  refuseReload(problem: string): void;
  /** Takes no more requests, answers those under way for some seconds, and ends. */
  stop(): Promise<void>;
}

/** How to start a gateway. */
export interface GatewayOptions {
  readonly config: GatewayConfig;
  /** The engine inside, where the configuration says `embedded`. */
  readonly facilitator?: Facilitator;
  readonly log?: Log;
  /** Checks payments and settles none. */
  readonly isDryRun?: boolean;
}

/** How long requests under way may take when the gateway stops, in milliseconds: a slow settlement. */
const drainMs = 20_000;

/** How often connections that have become idle are looked for meanwhile: unnoticeable in a stop. */
const sweepMs = 100;

/** Starts a gateway. Throws when it cannot listen, or a route's terms cannot work. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log = silentLog } = options;
  const metrics = createGatewayMetrics();
  const grants = openPaymentRecords(config);
  const open = (one: GatewayConfig, before?: ActiveConfiguration) =>
    activateConfiguration(
      one,
      createChargingDeps(one, { ...options, log, metrics, grants }),
      before,
    );
  let active = open(config);
  let isStopping = false;
  metrics.watch({ inFlight: () => active.inFlight(), keptBytes: grants.keptBytes });
  const response = createResponder({
    active: () => active,
    isStopping: () => isStopping,
    log,
    metrics,
  });
  const server = createServer(config.trustedProxies, response);

  async function end(): Promise<void> {
    isStopping = true;
    log.info({}, "Gateway takes no more requests");
    const closed = server.close();
    // One that was busy a moment ago may be idle now, and would be kept alive by its client.
    const sweep = setInterval(() => server.server.closeIdleConnections(), sweepMs);
    const late = setTimeout(() => server.server.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(late);
    await active.retire();
    await metrics.close();
    grants.close();
    log.info({}, "Gateway stopped");
  }

  let ended: Promise<void> | undefined;
  const stop = () => (ended ??= end());

  const { http, metrics: ownMetrics } = config.listen;
  try {
    const metricsUrl = ownMetrics && (await metrics.listen(ownMetrics));
    const url = await server.listen({ ...http });
    log.info({ routes: config.routes.length, network: config.network.id }, "Gateway serves");
    return {
      url,
      metricsUrl,
      reload(next) {
        if (next.network.id !== config.network.id) {
          throw new Error("The network changes with a restart only.");
        }
        const before = active;
        active = open(next, before);
        void before.retire();
        metrics.reloaded("ok");
        log.info({ routes: next.routes.length }, "Configuration put in force");
      },
      refuseReload(problem) {
        metrics.reloaded("refused");
        log.error({ problem }, "Configuration refused; the last good one stays");
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createChargingDeps(
  { facilitator: place }: GatewayConfig,
  given: GatewayOptions & { log: Log; metrics: GatewayMetrics; grants: PaymentRecords },
): ChargingDeps {
  const { log, metrics, grants } = given;
  const facilitator =
    given.facilitator ?? (place.kind === "remote" ? createFacilitatorClient(place) : undefined);
  if (!facilitator) throw new Error("The configuration says embedded, and no engine was given.");
  const accepted = given.isDryRun ? withoutSettling(facilitator) : facilitator;
  return {
    facilitator: measureCalls(accepted, metrics.facilitatorResponded),
    grants,
    onEvent: ({ name: route }, event) => observe(route, event, { log, metrics }),
  };
}

/** Counts what happened to payments, and tells the operator what he has to act on. */
function observe(
  route: string,
  event: SellerEvent,
  { log, metrics }: { readonly log: Log; readonly metrics: GatewayMetrics },
): void {
  if (event.type === "undelivered") {
    metrics.undelivered(route);
    const { transaction, payer } = event.payment;
    log.error({ route, transaction, payer }, "Paid, and not delivered yet");
  } else if (event.type === "unserved") {
    const { transaction, payer } = event.receipt;
    log.warn({ route, transaction, payer }, "A used payment opened nothing; the buyer may ask");
  } else if (event.type === "account_problem") {
    log.error({ route, code: event.problem.code }, "Payments stand still: see the account");
  } else if (event.type === "facilitator_fault") {
    log.warn({ route, problem: event.fault.message }, "The facilitator does not answer");
  } else if (event.type === "broken") {
    const problem = event.error instanceof Error ? event.error.message : String(event.error);
    log.error({ route, problem }, "The exchange of payments broke");
  } else if (event.type === "full") {
    log.error({ route }, "No payment can be taken: the store is full");
  }
}
