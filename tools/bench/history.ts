/** What the work of store and service costs beside a long history, and beside an empty database. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { openStore } from "@farthing/facilitator";
import { startPostgres } from "@farthing/engine/testing";
import { farthingWallets } from "./contenders.ts";
import { engineNames, openRaw, type HistoryEngine } from "./history-database.ts";
import { fillHistory, fillPages, fillSums, type HistoryScene, type Tell } from "./history-fill.ts";
import {
  measureServices,
  serviceTrials,
  settlingName,
  useNonces,
  type ServiceTrials,
} from "./history-settling.ts";
import { measureStores, roundsThatCount, Samples, sides, type OfBoth } from "./history-work.ts";
import { openMint } from "./payments.ts";
import { cores, pin } from "./processes.ts";

/** The figures of one kind of work; the ratio is above 1 where a long history costs more. */
export interface WorkFigures extends OfBoth<number> {
  readonly name: string;
  readonly ratio: number;
}

/** What was measured on one database. */
export interface HistoryFigures {
  readonly engine: HistoryEngine;
  readonly rows: number;
  readonly fillSeconds: number;
  /** On the disk, for each settlement. */
  readonly bytesEach: number;
  readonly work: readonly WorkFigures[];
}

/** What to measure. */
export interface HistoryPlan {
  readonly engine: HistoryEngine;
  readonly rows: number;
  /** Rounds of the store's work, and how the service is measured; a test needs less of both. */
  readonly rounds?: number;
  readonly trials?: ServiceTrials;
  readonly tell: Tell;
}

/** Payers of the settlements over HTTP. */
const payers = 500;

/** As XDC's main network starts its nodes. */
const blockGasLimit = 420_000_000;

/** Fills one database and measures it beside an empty one. */
export async function measureHistory(plan: HistoryPlan): Promise<HistoryFigures> {
  pin(process.pid, cores.others);
  const devnet = await startDevnet({
    blockTimeSeconds: 1,
    buyers: payers,
    relayers: farthingWallets,
    blockGasLimit,
  });
  try {
    pin(devnet.pid, cores.others);
    return await withDatabases(plan.engine, (urls) => measureBoth(urls, devnet, plan));
  } finally {
    await devnet.stop();
  }
}

/** Makes two databases for a while. */
export async function withDatabases<T>(
  engine: HistoryEngine,
  work: (urls: OfBoth<string>) => Promise<T>,
): Promise<T> {
  if (engine === "sqlite") {
    const folder = mkdtempSync(join(tmpdir(), "farthing-history-"));
    try {
      const [empty, long] = sides.map((side) => `sqlite:${join(folder, `${side}.db`)}`);
      return await work({ empty: String(empty), long: String(long) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const server = await startPostgres({ isDurable: true });
  try {
    return await work({
      empty: await server.createDatabase(),
      long: await server.createDatabase(),
    });
  } finally {
    await server.stop();
  }
}

async function measureBoth(
  urls: OfBoth<string>,
  devnet: Devnet,
  { engine, rows, rounds = roundsThatCount, trials = serviceTrials, tell }: HistoryPlan,
): Promise<HistoryFigures> {
  const scene = sceneOf(devnet);
  const now = Date.now();
  for (const side of sides) await (await openStore(urls[side])).close();
  const { fillSeconds, bytesEach } = await fill(urls, scene, { rows, now, tell });
  const samples = new Samples();
  await measureStores(urls, scene, { samples, rounds });
  await useNonces(devnet, scene, rows);
  const stand = { devnet, mint: await openMint(devnet), scene };
  await measureServices(urls, stand, { trials, samples, tell });
  const work = samples.medians().map(({ name, empty, long }) => {
    const ratio = name === settlingName(trials) ? empty / long : long / empty;
    tell(`  ${name}: ${empty.toFixed(3)}, ${long.toFixed(3)}, ratio ${ratio.toFixed(2)}`);
    return { name, empty, long, ratio };
  });
  return { engine, rows, fillSeconds, bytesEach, work };
}

/** The seller and the wallets of a chain as those of a history. */
export function sceneOf(devnet: Devnet): HistoryScene {
  const { chainId, token, seller, relayers } = devnet;
  return {
    chainId,
    token,
    seller: seller.address,
    wallets: relayers.map(({ address }) => address),
  };
}

async function fill(
  urls: OfBoth<string>,
  scene: HistoryScene,
  { rows, now, tell }: { rows: number; now: number; tell: Tell },
): Promise<{ fillSeconds: number; bytesEach: number }> {
  const empty = await openRaw(urls.empty);
  await fillPages(empty, scene, { rows: 0, now });
  await empty.size();
  await empty.close();
  const raw = await openRaw(urls.long);
  const name = engineNames[raw.engine];
  const before = await raw.size();
  const startedMs = performance.now();
  tell(`${name}: filling ${rows.toLocaleString("en")} settlements`);
  await fillHistory(raw, scene, { rows, now, tell });
  const bytesEach = ((await raw.size()) - before) / rows;
  await fillSums(raw, now);
  await fillPages(raw, scene, { rows, now });
  await raw.size();
  const fillSeconds = (performance.now() - startedMs) / 1000;
  await raw.close();
  tell(`${name}: filled in ${fillSeconds.toFixed(0)} s, ${bytesEach.toFixed(0)} bytes each`);
  return { fillSeconds, bytesEach };
}
