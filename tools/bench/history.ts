/** What the store's work costs beside a long history, and beside an empty database. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openStore, type Store } from "@farthing/facilitator";
import { startPostgres } from "@farthing/facilitator/testing";
import { busySeller, fillHistory, openRaw, wallet } from "./history-database.ts";

/** Milliseconds of each kind of work, and the bytes that a settlement takes. */
export interface HistoryFigures {
  readonly engine: string;
  readonly rows: number;
  readonly fillSeconds: number;
  readonly bytesEach: number;
  readonly work: readonly {
    readonly name: string;
    readonly emptyMs: number;
    readonly longMs: number;
  }[];
}

/** Settlements of one group, and repetitions of each work: the median counts. */
const groupSize = 50;
const rounds = 15;

const day = 24 * 60 * 60 * 1000;

/** Measures on both engines, one after the other. */
export async function measureHistory(
  rows: number,
  tell: (line: string) => void,
): Promise<HistoryFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-history-"));
  const figures: HistoryFigures[] = [];
  try {
    const urls = [
      `sqlite:${join(folder, "empty.db")}`,
      `sqlite:${join(folder, "long.db")}`,
    ] as const;
    figures.push(await compare(urls, rows, tell));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const server = await startPostgres({ isDurable: true });
  try {
    const urls = [await server.createDatabase(), await server.createDatabase()] as const;
    figures.push(await compare(urls, rows, tell));
  } finally {
    await server.stop();
  }
  return figures;
}

async function compare(
  [emptyUrl, longUrl]: readonly [string, string],
  rows: number,
  tell: (line: string) => void,
): Promise<HistoryFigures> {
  const now = Date.now();
  await (await openStore(longUrl)).close();
  const raw = await openRaw(longUrl);
  const before = await raw.size();
  const startedMs = performance.now();
  tell(`${raw.engine}: filling ${rows.toLocaleString("en")} settlements`);
  await fillHistory(raw, rows, now);
  const fillSeconds = (performance.now() - startedMs) / 1000;
  const bytesEach = ((await raw.size()) - before) / rows;
  await raw.close();
  tell(`${raw.engine}: filled in ${fillSeconds.toFixed(0)} s, ${bytesEach.toFixed(0)} bytes each`);
  const empty = await measureStore(emptyUrl, now);
  const long = await measureStore(longUrl, now);
  const work = [...empty].map(([name, emptyMs]) => ({
    name,
    emptyMs,
    longMs: long.get(name) ?? 0,
  }));
  for (const { name, emptyMs, longMs } of work) {
    tell(
      `  ${name}: ${emptyMs.toFixed(2)} ms, ${longMs.toFixed(2)} ms, ratio ${(longMs / emptyMs).toFixed(2)}`,
    );
  }
  return { engine: raw.engine, rows, fillSeconds, bytesEach, work };
}

async function measureStore(databaseUrl: string, now: number): Promise<Map<string, number>> {
  const samples = new Map<string, number[]>();
  async function time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const result = await work();
    samples.set(name, [...(samples.get(name) ?? []), performance.now() - startedMs]);
    return result;
  }
  for (let round = 0; round < 5; round++) {
    await (await time("start", () => openStore(databaseUrl))).close();
  }
  const store = await openStore(databaseUrl);
  await store.ensureAccount(busySeller, now);
  await store.grantCredits(
    { account: busySeller, kind: "grant", credits: 1_000_000, actor: "bench", note: null },
    now,
  );
  // The first rounds fill caches and plans.
  for (let round = -5; round < rounds; round++) {
    if (round === 0) samples.delete("claim of 50");
    await oneRound(store, now, time, round < 0);
  }
  await store.close();
  return new Map([...samples].map(([name, all]) => [name, median(all)]));
}

let made = 0;

async function oneRound(
  store: Store,
  now: number,
  time: <T>(name: string, work: () => Promise<T>) => Promise<T>,
  isWarmUp: boolean,
): Promise<void> {
  const measured: typeof time = isWarmUp ? (_name, work) => work() : time;
  const ids = await measured("settle of 50, from claim to final", () =>
    settle(store, now, measured),
  );
  await measured("a block without payments", async () => {
    await store.listUnfinalizedBlocks(50);
    await store.recordFinalized(50, 2_000_000_000, now);
  });
  await measured("a settlement by its id", () => store.findSettlement(ids[0] ?? ""));
  await measured("history, newest 50", () =>
    store.listAccountSettlements(busySeller, {}, { limit: 50 }),
  );
  await measured("usage of 30 days", () =>
    store.listUsage(busySeller, { since: now - 30 * day, before: now + day }),
  );
  await measured("credits", () => store.findCredits(busySeller));
  await measured("ledger, newest 50", () => store.listCreditEntries(busySeller, { limit: 50 }));
}

async function settle(
  store: Store,
  now: number,
  time: <T>(name: string, work: () => Promise<T>) => Promise<T>,
): Promise<string[]> {
  const claims = Array.from({ length: groupSize }, () => claimOf(now));
  await time("claim of 50", () => store.claimSettlements(claims, now));
  const ids = claims.map(({ id }) => id);
  const lease = await store.takeLane({
    chainId: 50,
    lane: wallet,
    owner: "bench",
    nonceFloor: 1_000_000_000,
    leaseMs: 60_000,
    now,
  });
  if (!lease) throw new Error("the wallet is another process's");
  const plan = {
    settlementIds: ids,
    to: busySeller,
    data: "0x00",
    gasLimit: 1n,
    gasPrice: 1n,
  } as const;
  const [transaction] = await store.reserveTransactions(lease, [plan], now);
  if (!transaction) throw new Error("nothing was reserved");
  const hash = hex32(++made);
  await store.recordSigned(lease, [{ id: transaction.id, raw: "0x00", hash }], now);
  await store.recordSent([transaction.id], now);
  const blockNumber = 1_000_000_000 + made;
  const block = { transaction: hash, blockNumber, blockHash: hash, logIndex: 0 };
  const mined = { ...block, settledBy: "relayer" } as const;
  await store.recordConfirmed(
    ids.map((id) => ({ id, mined })),
    now,
  );
  await store.closeTransactions([transaction.id], "mined", blockNumber);
  await store.recordFinalized(50, blockNumber, now);
  await store.pruneSignedBytes(50, blockNumber, groupSize);
  return ids;
}

function claimOf(now: number) {
  const nonce = hex32(++made);
  return {
    id: `stl_bench_${made}_${now}`,
    chainId: 50,
    asset: busySeller,
    payer: `0x${(made % 500).toString(16).padStart(40, "c")}`,
    nonce,
    payTo: busySeller,
    amount: 10_000n,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(now / 1000) + 300),
    signature: `0x${"ab".repeat(65)}`,
    payerHasCode: false,
    seenUnusedAt: 1,
    networkName: "eip155:50",
    keyId: null,
    account: busySeller,
    requestId: "bench",
    price: 1,
    payerCap: null,
    claimingCall: { caller: "c", idempotencyKey: null, isUpfront: false, successToldTo: "w" },
  } as const;
}

/** Above everything that a history has. */
function hex32(number: number): `0x${string}` {
  return `0x${(Date.now() * 1_000_000 + number).toString(16).padStart(64, "e")}`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
