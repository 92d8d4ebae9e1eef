/** This checkout beside another one: CPU time and JSON-RPC calls of the service for one settlement. */
import { setTimeout as pause } from "node:timers/promises";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { startPostgres } from "@farthing/engine/testing";
import { startOrdinaryNode, type RunningNode } from "@farthing/lab/ordinary-node";
import { farthingWallets, startFarthing } from "./contenders.ts";
import { runLoad } from "./load.ts";
import { openMint, type Mint } from "./payments.ts";
import { cores, pin, type Server } from "./processes.ts";
import { middleOf, short, table, withRange } from "./report-table.ts";
import { payDuring } from "./rpc-cost.ts";

/** The load of each window. */
export interface BesidePlan {
  /** Windows of each checkout; the two of a round are compared. */
  readonly rounds: number;
  /** Callers of the closed loop. */
  readonly callers: number;
  /** Settlements of a window, from the first question to the last answer: none counts by halves. */
  readonly payments: number;
  /** Both checkouts then meet the same blocks, so that their calls can be compared. */
  readonly steady: { readonly perSecond: number; readonly seconds: number };
}

/**
 * Ten pairs. The two checkouts settle at the same time on the same core: when one followed the other,
 * neighbouring windows differed by a factor of two, as the speed of the core did. A window of a fixed
 * time contains a different number of blocks each time, whereas a fixed number of payments is the same
 * work each time. With more payments the local chain takes gigabytes and slows down the measurement.
 */
export const besidePlan: BesidePlan = {
  rounds: 10,
  callers: 3_000,
  payments: 3_000,
  steady: { perSecond: 10, seconds: 12 },
};

/** A window that takes longer ends without its other payments. */
const windowMsMax = 120_000;

/** What follows the last answer, final blocks and what they write, counts as well. */
const afterwardsMs = 3_000;

const checkouts = ["before", "now"] as const;
type Checkout = (typeof checkouts)[number];

const databases = ["SQLite", "PostgreSQL"] as const;
type Database = (typeof databases)[number];

/** One window. */
export interface BesideWindow {
  readonly database: Database;
  readonly checkout: Checkout;
  readonly round: number;
  readonly perSecond: number;
  /** CPU time of the service, in microseconds for one settlement. */
  readonly cpuMicros: number;
  /** JSON-RPC calls for one settlement; each member of a batch is one. */
  readonly calls: number;
  /** The same, and for its verification, at a steady rate. */
  readonly steadyCalls: number;
  readonly complaint: string | undefined;
}

/** XDC's main network starts its nodes with this limit. */
const blockGasLimit = 420_000_000;

/** What a service asks when it starts does not count. */
const settleDownMs = 10_000;

interface Service {
  readonly database: Database;
  readonly checkout: Checkout;
  readonly server: Server;
  readonly node: RunningNode;
}

/**
 * Runs the services of both checkouts on one chain, each with its own wallets, database and count of
 * calls. The other checkout needs its dependencies installed.
 */
export async function measureBeside(
  folder: string,
  plan: BesidePlan,
  tell: (line: string) => void,
): Promise<BesideWindow[]> {
  pin(process.pid, cores.others);
  await using stack = new AsyncDisposableStack();
  const devnet = await startDevnet({
    blockTimeSeconds: 1,
    buyers: 500,
    relayers: farthingWallets * checkouts.length * databases.length,
    blockGasLimit,
  });
  stack.defer(() => devnet.stop());
  pin(devnet.pid, cores.others);
  // As durable as a SQLite file with synced writes.
  const postgres = await startPostgres({ isDurable: true });
  stack.defer(() => postgres.stop());
  const services: Service[] = [];
  for (const database of databases) {
    for (const checkout of checkouts) {
      const node = await startOrdinaryNode(devnet.rpcUrl);
      stack.defer(() => node.stop());
      const settings = {
        FARTHING_RELAYER_KEYS: keysOf(devnet, services.length),
        ...(database === "PostgreSQL" && { DATABASE_URL: await postgres.createDatabase() }),
      };
      const at = checkout === "before" ? folder : undefined;
      const server = await startFarthing(devnet, node.url, 0, settings, at);
      stack.defer(async () => void (await server.stop()));
      services.push({ database, checkout, server, node });
    }
  }
  await pause(settleDownMs);
  const mint = await openMint(devnet);
  const windows: BesideWindow[] = [];
  // The first round compiles the hot code of each service and does not count.
  for (let round = 0; round <= plan.rounds; round++) {
    for (const database of databases) {
      const pair = services.filter((service) => service.database === database);
      const measured = await measurePair(pair, mint, plan);
      if (round === 0) continue;
      for (const window of measured) {
        windows.push({ ...window, round });
        tell(JSON.stringify(windows.at(-1)));
      }
    }
  }
  return windows;
}

function keysOf({ relayers }: Devnet, index: number): string {
  return relayers
    .slice(index * farthingWallets, (index + 1) * farthingWallets)
    .map(({ privateKey }) => privateKey)
    .join(",");
}

/** Both services begin at once, with payments that were signed before. */
async function measurePair(
  pair: readonly Service[],
  mint: Mint,
  { callers, payments, steady }: BesidePlan,
) {
  const bodies = pair.map(() => mint.make(payments));
  const full = await Promise.all(
    pair.map(async ({ database, checkout, server, node }, index) => {
      const cpuBefore = server.usage()?.cpuSeconds ?? Number.NaN;
      node.record.reset();
      const { good, perSecond, complaint } = await runLoad({
        url: server.url,
        path: "/settle",
        callers,
        next: () => bodies[index]?.pop(),
        warmUpMs: 0,
        countMs: windowMsMax,
      });
      await pause(afterwardsMs);
      const cpuSeconds = (server.usage()?.cpuSeconds ?? Number.NaN) - cpuBefore;
      const calls = node.record.calls() / good;
      return {
        database,
        checkout,
        perSecond,
        cpuMicros: (cpuSeconds * 1e6) / good,
        calls,
        complaint,
      };
    }),
  );
  const steadyCalls = await Promise.all(pair.map((service) => callsAtRate(service, mint, steady)));
  return full.map((window, index) => ({
    ...window,
    steadyCalls: steadyCalls[index] ?? Number.NaN,
  }));
}

async function callsAtRate(
  { server, node }: Service,
  mint: Mint,
  steady: BesidePlan["steady"],
): Promise<number> {
  node.record.reset();
  const outcomes = await payDuring(steady, server.url, mint);
  return node.record.calls() / outcomes.filter(Boolean).length;
}

type Figure = "perSecond" | "cpuMicros" | "calls" | "steadyCalls";

/** The middle of each figure, and of the ratios of the windows of one round. */
export function besideTable(windows: readonly BesideWindow[]): string {
  const rows = databases.flatMap((database) => {
    const of = (checkout: Checkout, round: number) =>
      windows.find(
        (one) => one.database === database && one.checkout === checkout && one.round === round,
      );
    const pairs = [...new Set(windows.map(({ round }) => round))].flatMap((round) => {
      const [before, now] = [of("before", round), of("now", round)];
      return before && now ? [{ before, now }] : [];
    });
    const row = (name: string, figure: Figure) => [
      database,
      name,
      short(middleOf(pairs.map(({ before }) => before[figure]))),
      short(middleOf(pairs.map(({ now }) => now[figure]))),
      withRange(pairs.map(({ before, now }) => now[figure] / before[figure])),
    ];
    return [
      row("settlements a second", "perSecond"),
      row("CPU µs a settlement", "cpuMicros"),
      row("JSON-RPC calls a settlement", "calls"),
      row("JSON-RPC calls a settlement, at a steady rate", "steadyCalls"),
    ];
  });
  return table(["database", "", "before", "now", "ratio"], rows);
}
