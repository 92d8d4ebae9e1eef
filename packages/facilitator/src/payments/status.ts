/** /health, /ready and /v1/status, which need no key. */
import { formatEther, validitySeconds, type EndpointLimits } from "@farthing/engine";
import { messageOf, timeText } from "@farthing/engine/base";
import { formatUsdc } from "@farthing/protocol";
import { unitsMinOf } from "../http/access/surface.ts";
import type { NetworkStatus, PaymentContext, SurfaceScope } from "./context.ts";
import { describeStatus } from "./describe-surface.ts";
import { daysOf, hoursOf, totalOf, type Minutes } from "./history-sums.ts";
import type { HistoryPart } from "./service-history.ts";
import type { ReadyCheck } from "./ready-check.ts";
import type { SettlementCost } from "./settlement-cost.ts";

export function registerStatus({ server, context, surface }: SurfaceScope): void {
  const { basePath } = surface;
  const description = describeStatus(surface);
  server.get(`${basePath}/health`, description.health, async () => ({ status: "ok" }));
  server.get(`${basePath}/ready`, description.ready, async (_, reply) => {
    const checks = await readiness(context);
    const isReady = checks.every(({ ok }) => ok);
    return reply
      .status(isReady ? 200 : 503)
      .send({ status: isReady ? "ready" : "not ready", checks });
  });
  server.get(`${basePath}/v1/status`, description.status, async () => {
    const history = await context.readHistory();
    return {
      version: context.version,
      surfaces: context.surfaces.map((one) => ({
        name: one.name,
        path: one.basePath === "" ? "/" : one.basePath,
        settle: one.settle,
        auth: one.auth,
        networks: one.networks.map(({ id }) => id),
        minAmountUsdc: formatUsdc(unitsMinOf(context, one)),
      })),
      networks: context.networks.map((status) => ({
        ...describe(context, status),
        availability: availabilityOf(history.get(status.network.chainId), context.clock.nowMs()),
      })),
    };
  });
}

function availabilityOf({ availability = [] }: Partial<HistoryPart> = {}, now: number) {
  return {
    last24Hours: describeMinutes(hoursOf(availability, now)),
    last90Days: describeMinutes(daysOf(availability, now)),
  };
}

function describeMinutes(spans: readonly Minutes[]) {
  const { looked, available } = totalOf(spans);
  return {
    measuredMinutes: looked,
    availableMinutes: available,
    share: looked === 0 ? null : available / looked,
  };
}

const weiPerGwei = 1e9;

function describe(context: PaymentContext, status: NetworkStatus) {
  const { network, relayers, view, load, endpointLimits, gasPrice } = status;
  const { head, finalized, walkedTo, clockSkewSeconds } = view() ?? {};
  const { inFlight, queued, walletsUsable, walletsElsewhere, batching } = load();
  return {
    network: network.id,
    headBlock: head?.number ?? null,
    headAgeSeconds: findHeadAge(context, status) ?? null,
    readToBlock: walkedTo ?? null,
    finalizedBlock: finalized?.number ?? null,
    clockSkewSeconds: clockSkewSeconds ?? null,
    relayers: relayers.length,
    inFlight,
    queued,
    lanesUsable: walletsUsable,
    lanesElsewhere: walletsElsewhere,
    batching,
    gasPriceGwei: Number(gasPrice().wei) / weiPerGwei,
    isGasPricePaid: gasPrice().problem === undefined,
    isTokenPaused: status.tokenPausedSinceMs() !== undefined,
    ...describeCost(context.costOf(status)),
    settlementFeeSince: feeSinceOf(context, status),
    endpoints: endpointLimits().map(describeLimits),
  };
}

function describeCost({ wei, units, incomeUnits }: SettlementCost) {
  return {
    settlementCostXdc: formatEther(wei),
    settlementCostUsdc: units === undefined ? null : formatUsdc(units),
    settlementFeeUsdc: formatUsdc(incomeUnits),
  };
}

/** Null where a settlement costs nothing, and while the fee never changed. */
function feeSinceOf(context: PaymentContext, status: NetworkStatus): string | null {
  return context.costOf(status).incomeUnits === 0n ? null : timeText(context.feeSince());
}

function describeLimits(limits: EndpointLimits) {
  const { requestsPerSecond: rate, countsCalls } = limits;
  return {
    requestsPerSecond: rate === undefined ? null : Math.round(rate * 10) / 10,
    countsCalls,
    batchCalls: limits.batchCalls ?? null,
    logRangeBlocks: limits.logRangeBlocks ?? null,
    bodyBytes: limits.bodyBytes ?? null,
  };
}

/**
 * Seconds by which the newest block may be in the future. The doctor allows five; here a single
 * block ahead of its time must not remove a service from its balancer. Beyond half a minute
 * payments are evaluated wrongly, because most are valid for one or two minutes.
 */
const maxSkewSeconds = 30;

/** Seven periods; an endpoint with separate backends catches up in two or three. */
const maxUnreadSeconds = 15;

/**
 * Two periods without a reply of any endpoint, beyond what is usual. A pause of a block's leader is
 * none: its node still replies.
 */
const maxSilentSeconds = 4;

/** Seconds; undefined before the first block was read. */
export function findHeadAge(
  context: PaymentContext,
  { view }: Pick<NetworkStatus, "view">,
): number | undefined {
  const seen = view();
  if (!seen) return undefined;
  // By the chain's time where this machine's clock is wrong, which is a fault of its own.
  const seconds = Number(validitySeconds(context.clock, seen) - seen.head.time);
  return Math.max(0, seconds);
}

/**
 * A check waits so long for the database, as a payment can at most: who asks would give up before the
 * database's own limits, and see no reason.
 */
const maxPingMs = 6_000;

async function pingProblem({ clock, pingStore }: PaymentContext): Promise<string | undefined> {
  const answered = new AbortController();
  const silent = clock.sleep(maxPingMs, answered.signal).then(() => {
    return `the database has not answered for ${maxPingMs / 1000} s; see whether its machine hangs, and look at the network`;
  });
  const pinged = pingStore().then(() => undefined, messageOf);
  const problem = await Promise.race([pinged, silent]);
  answered.abort();
  return problem;
}

/** The step of a start, as the database and each network report it. */
const waitsFor = {
  chain: {
    database: "it is opened once the chain has been checked",
    network: "the chain is being checked and has not answered everything yet",
  },
  database: {
    database: "it is being opened and brought to this version",
    network: "its blocks are followed once the database is open",
  },
} as const;

export async function readiness(context: PaymentContext): Promise<ReadyCheck[]> {
  const step = context.startStep();
  if (step !== "done") {
    const { network } = waitsFor[step];
    const database = context.writeProblem() ?? waitsFor[step].database;
    return [
      { name: "database", ok: false, text: database },
      ...context.networks.map(({ network: { id: name } }) => ({ name, ok: false, text: network })),
    ];
  }
  return [
    check("database", context.writeProblem() ?? (await pingProblem(context))),
    ...context.networks.map((status) =>
      check(status.network.id, problemOf(context, status), status.lostUnread()),
    ),
  ];
}

/** `hint`: what to do although all is well. */
function check(name: string, problem: string | undefined, hint?: string): ReadyCheck {
  if (problem !== undefined) return { name, ok: false, text: problem };
  return hint === undefined ? { name, ok: true } : { name, ok: true, text: hint };
}

/** Returns why a network is not usable. */
function problemOf(context: PaymentContext, status: NetworkStatus): string | undefined {
  const view = status.view();
  const { head, walkedTo, unread, clockSkewSeconds = 0, unansweredSeconds = 0 } = view ?? {};
  const maxAge = context.limits.headAgeMaxSeconds;
  if (!head) return "the chain has not answered yet";
  const behind = Math.round(Number(head.time) - context.clock.nowMs() / 1000);
  if (behind > maxSkewSeconds) {
    return `this machine's clock is ${behind} s behind the newest block; set it by NTP`;
  }
  const lost = status.lostProblem();
  if (lost !== undefined) return lost;
  const age = findHeadAge(context, status) ?? 0;
  if (maxAge > 0 && age > maxAge) return `the newest block is ${age} s old`;
  if (unansweredSeconds > maxSilentSeconds) {
    return `no RPC endpoint has answered for ${Math.round(unansweredSeconds)} s`;
  }
  if (unread && unread.seconds > maxUnreadSeconds) {
    return `blocks after ${walkedTo} cannot be read since ${Math.round(unread.seconds)} s, so no outcome is told: ${unread.problem}`;
  }
  if (clockSkewSeconds > maxSkewSeconds) {
    return `this machine's clock is ${clockSkewSeconds} s ahead of new blocks; set it by NTP`;
  }
  const pausedSinceMs = status.tokenPausedSinceMs();
  if (pausedSinceMs !== undefined) {
    return `USDC is paused by its issuer since ${timeText(pausedSinceMs)}; accepted payments wait for the end of the pause`;
  }
  const { problem } = status.gasPrice();
  if (problem !== undefined) return problem;
  const { walletsUsable, walletsElsewhere } = status.load();
  // A process without a wallet accepts payments, and its peers send them.
  return walletsUsable + walletsElsewhere > 0 ? undefined : "no relayer wallet can take work";
}
