/** CPU of the service for one settlement on each database, and how two processes share the work of one. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import { startPostgres } from "@farthing/engine/testing";
import { farthingWallets, startFarthing } from "./contenders.ts";
import { runLoad } from "./load.ts";
import { openMint, type Mint } from "./payments.ts";
import { cores, pin, type Server } from "./processes.ts";

/** What is measured. */
export interface DatabasePlan {
  /** Callers of the closed loop. */
  readonly callers: number;
  /** Each has a window of every service. */
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly countMs: number;
}

export const databasePlan: DatabasePlan = {
  callers: 3_000,
  rounds: 7,
  warmUpMs: 4_000,
  countMs: 10_000,
};

/** The services that are compared. */
export const storeSetups = ["SQLite", "PostgreSQL", "PostgreSQL, two processes"] as const;

/** One of {@link storeSetups}. */
export type StoreSetup = (typeof storeSetups)[number];

/** One window. */
export interface StoreWindow {
  readonly setup: StoreSetup;
  readonly round: number;
  readonly perSecond: number;
  /** Of all processes of the service, without the database's own, for one settlement. */
  readonly cpuMicros: number;
  /** The part of that CPU time that the busiest process used. */
  readonly busiestShare: number;
  readonly complaint: string | undefined;
}

/** XDC's main network starts its nodes with this limit. */
const blockGasLimit = 420_000_000;

const payers = 500;

/** All run all the time; a service without callers does next to nothing. */
export async function measureDatabases(
  plan: DatabasePlan,
  tell: (line: string) => void,
): Promise<StoreWindow[]> {
  pin(process.pid, cores.others);
  await using stack = new AsyncDisposableStack();
  const devnet = await startDevnet({
    blockTimeSeconds: 1,
    buyers: payers,
    relayers: farthingWallets * storeSetups.length,
    blockGasLimit,
  });
  stack.defer(() => devnet.stop());
  pin(devnet.pid, cores.others);
  // As durable as a SQLite file with synced writes.
  const postgres = await startPostgres({ isDurable: true });
  stack.defer(() => postgres.stop());
  const shared = await postgres.createDatabase();
  const urls: Readonly<Record<StoreSetup, readonly (string | undefined)[]>> = {
    SQLite: [undefined],
    PostgreSQL: [await postgres.createDatabase()],
    "PostgreSQL, two processes": [shared, shared],
  };
  const services = new Map<StoreSetup, Server[]>();
  for (const [index, setup] of storeSetups.entries()) {
    const servers: Server[] = [];
    for (const url of urls[setup]) {
      const server = await startFarthing(devnet, devnet.rpcUrl, 0, {
        FARTHING_RELAYER_KEYS: keysOf(devnet, index),
        ...(url === undefined ? {} : { DATABASE_URL: url }),
      });
      stack.defer(async () => void (await server.stop()));
      servers.push(server);
    }
    services.set(setup, servers);
  }
  const mint = await openMint(devnet);
  const windows: StoreWindow[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    // Each comes first in turn.
    const turn = round % storeSetups.length;
    for (const setup of [...storeSetups.slice(turn), ...storeSetups.slice(0, turn)]) {
      const window = await measureWindow(services.get(setup) ?? [], mint, plan);
      windows.push({ ...window, setup, round });
      tell(JSON.stringify(windows.at(-1)));
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

async function measureWindow(servers: readonly Server[], mint: Mint, plan: DatabasePlan) {
  const { callers, warmUpMs, countMs } = plan;
  const each = Math.ceil(callers / servers.length);
  const seconds = (warmUpMs + countMs) / 1_000;
  const measured = await Promise.all(
    servers.map(async (server) => {
      // An answer for each block and caller at most.
      const bodies = mint.make(each * seconds);
      const marks: number[] = [];
      const result = await runLoad({
        url: server.url,
        path: "/settle",
        callers: each,
        next: () => bodies.pop(),
        warmUpMs,
        countMs,
        onCounting: () => void marks.push(server.usage()?.cpuSeconds ?? Number.NaN),
      });
      const [begin = Number.NaN, end = Number.NaN] = marks;
      return { ...result, cpuSeconds: end - begin };
    }),
  );
  const good = measured.reduce((sum, one) => sum + one.good, 0);
  const cpuSeconds = measured.reduce((sum, one) => sum + one.cpuSeconds, 0);
  return {
    perSecond: measured.reduce((sum, { perSecond }) => sum + perSecond, 0),
    cpuMicros: (cpuSeconds * 1e6) / good,
    busiestShare: Math.max(...measured.map((one) => one.cpuSeconds)) / cpuSeconds,
    complaint: measured.find(({ complaint }) => complaint !== undefined)?.complaint,
  };
}
