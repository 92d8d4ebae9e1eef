/** What an upgrade of a large database takes, and what a claim costs meanwhile. */
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { openStore, silentLog, type Log, type ServiceStore } from "@farthing/facilitator";
import { createEarlierSchema, lateIndexNames } from "@farthing/engine/testing/earlier-schema";
import { withDatabases } from "./history.ts";
import { engineNames, openRaw, type HistoryEngine } from "./history-database.ts";
import { fillHistory, type HistoryScene, type Tell } from "./history-fill.ts";
import { claimOf, groupSize, median } from "./history-work.ts";
import { percentile } from "./load.ts";

/** What was measured. */
export interface UpgradeFigures {
  readonly engine: HistoryEngine;
  readonly rows: number;
  /** Until the store was open. */
  readonly openSeconds: number;
  /** Of each index, in the order in which they are created. */
  readonly indexes: readonly { readonly name: string; readonly seconds: number }[];
  /** Until usage and sales are summed up, from when that began. */
  readonly sumSeconds: number;
  /** From the start until nothing was left to do. */
  readonly allSeconds: number;
  /** Milliseconds of a claim of 50 payments: while the upgrade went on, and afterwards. */
  readonly claims: {
    readonly meanwhile: {
      readonly count: number;
      readonly p50: number;
      readonly p99: number;
      readonly most: number;
    };
    readonly afterwards: number;
    readonly failed: number;
  };
  /** Milliseconds in which the signed bytes of 500 transactions are removed. */
  readonly bytesMs: number;
}

const address = (number: number) => `0x${number.toString(16).padStart(40, "0")}` as const;

/** Unused addresses; no chain is asked. */
const scene: HistoryScene = {
  chainId: 50,
  token: address(0xdc),
  seller: address(0x5e11e7),
  wallets: Array.from({ length: 16 }, (_, index) => address(0xaa0000 + index)),
};

/** Pause between claims: twenty a second of 50 payments each are a busy service. */
const claimEveryMs = 50;

/** Claims after the upgrade, and groups of transactions whose bytes are removed. */
const claimsAfterwards = 50;
const bytesGroups = 40;
const bytesGroupMax = 500;

/** Fills a database of an earlier version and opens it with this one. */
export function measureUpgrade(plan: {
  readonly engine: HistoryEngine;
  readonly rows: number;
  readonly tell: Tell;
}): Promise<UpgradeFigures> {
  return withDatabases(plan.engine, ({ long }) => measureOn(long, plan));
}

async function measureOn(
  databaseUrl: string,
  { engine, rows, tell }: Parameters<typeof measureUpgrade>[0],
): Promise<UpgradeFigures> {
  tell(`${engineNames[engine]}: filling ${rows.toLocaleString("en")} settlements`);
  await createEarlierSchema(databaseUrl);
  const raw = await openRaw(databaseUrl);
  await fillHistory(raw, scene, { rows, now: Date.now(), isEarlier: true, tell });
  tell(
    `${engineNames[engine]}: ${((await raw.size()) / 2 ** 30).toFixed(2)} GiB before the upgrade`,
  );
  await raw.close();

  const diary = createDiary(tell);
  const startedMs = performance.now();
  const store = await openStore(databaseUrl, { log: diary.log });
  const openSeconds = (performance.now() - startedMs) / 1000;
  tell(`  open after ${openSeconds.toFixed(1)} s`);
  const grant = { account: scene.seller, kind: "grant", actor: "bench", note: null } as const;
  await store.grantCredits({ ...grant, credits: 1_000_000_000 }, Date.now());
  const { times, failed } = await claimUntil(store, diary.isDone);
  const allSeconds = (performance.now() - startedMs) / 1000;
  const afterwards: number[] = [];
  for (let count = 0; count < claimsAfterwards; count++) afterwards.push(await timeClaim(store));
  const bytes: number[] = [];
  for (let group = 0; group < bytesGroups; group++) {
    bytes.push(await time(() => store.pruneSignedBytes(scene.chainId, rows, bytesGroupMax)));
  }
  await store.close();
  const sorted = times.toSorted((one, other) => one - other);
  return {
    engine,
    rows,
    openSeconds,
    indexes: diary.indexes(),
    sumSeconds: diary.secondsBetween("usage_sums_started", "usage_sums_completed"),
    allSeconds,
    claims: {
      meanwhile: {
        count: sorted.length,
        p50: percentile(sorted, 0.5),
        p99: percentile(sorted, 0.99),
        most: percentile(sorted, 1),
      },
      afterwards: median(afterwards),
      failed,
    },
    bytesMs: median(bytes),
  };
}

/** Claims again and again until the upgrade is done, once at least. */
async function claimUntil(
  store: ServiceStore,
  isDone: () => boolean,
): Promise<{ times: number[]; failed: number }> {
  const times: number[] = [];
  let failed = 0;
  do {
    try {
      times.push(await timeClaim(store));
    } catch {
      // A statement that met its limit: the caller is told to come back.
      failed++;
    }
    await pause(claimEveryMs);
  } while (!isDone());
  return { times, failed };
}

function timeClaim(store: ServiceStore): Promise<number> {
  const now = Date.now();
  const claims = Array.from({ length: groupSize }, () => claimOf(scene, now));
  return time(() => store.claimSettlements(claims, now));
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

interface DiaryLine {
  readonly event: string;
  readonly index: string | undefined;
  readonly atMs: number;
}

/** Notes when the log says what. */
function createDiary(tell: Tell) {
  const lines: DiaryLine[] = [];
  const note = (fields: object) => {
    const { event, index } = { event: "", index: undefined, ...fields };
    lines.push({ event, index, atMs: performance.now() });
    tell(`  ${event} ${index ?? ""}`);
  };
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const find = (event: string, index?: string) =>
    lines.find((line) => line.event === event && line.index === index)?.atMs;
  const secondsBetween = (one: string, other: string, index?: string) =>
    ((find(other, index) ?? Number.NaN) - (find(one, index) ?? Number.NaN)) / 1000;
  return {
    log,
    secondsBetween,
    isDone: () =>
      find("usage_sums_completed") !== undefined &&
      lateIndexNames.every((name) => find("index_created", name) !== undefined),
    indexes: () =>
      lateIndexNames.map((name) => ({
        name,
        seconds: secondsBetween("index_creation_started", "index_created", name),
      })),
  };
}
