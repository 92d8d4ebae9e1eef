/** What a store does all day, timed beside an empty database and beside a long history in turn. */
import { performance } from "node:perf_hooks";
import { openStore, type ServiceStore } from "@farthing/facilitator";
import { commonWord, dayMs, daysShown, rareWord, type HistoryScene } from "./history-fill.ts";

/** The two databases that are compared. */
export const sides = ["empty", "long"] as const;
export type Side = (typeof sides)[number];
export type OfBoth<T> = Readonly<Record<Side, T>>;

/** Milliseconds, or another measure, of each kind of work on each side. */
export class Samples {
  readonly #all = new Map<string, Record<Side, number[]>>();

  add(name: string, side: Side, value: number): void {
    const of = this.#all.get(name) ?? { empty: [], long: [] };
    this.#all.set(name, of);
    of[side].push(value);
  }

  async time<T>(name: string, side: Side, work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const result = await work();
    this.add(name, side, performance.now() - startedMs);
    return result;
  }

  /** The median of each kind and side, in the order in which the kinds came. */
  medians(): readonly ({ readonly name: string } & OfBoth<number>)[] {
    return [...this.#all].map(([name, { empty, long }]) => ({
      name,
      empty: median(empty),
      long: median(long),
    }));
  }
}

/** The middle one; NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Settlements of one group. */
export const groupSize = 50;

/** Rounds that count; a third as many before them fill caches and plans. */
export const roundsThatCount = 15;
const warmUpShare = 3;

/** Repetitions of what takes less than a millisecond, in each round: one alone is mostly noise. */
const readsEach = 20;

/** Listings of a page, and of what is found. */
const listed = 20;

/** Above every block and nonce of a history. */
const farAhead = 1_000_000_000;

/** A wallet of its own, so that the service's have the nonces that the chain says. */
const storeWallet = `0x${"aa".repeat(20)}` as const;

type Timer = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Measures both, a round of one and a round of the other. */
export async function measureStores(
  urls: OfBoth<string>,
  scene: HistoryScene,
  { samples, rounds }: { readonly samples: Samples; readonly rounds: number },
): Promise<void> {
  const warmUpRounds = Math.floor(rounds / warmUpShare);
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const side of sides) {
      const opening = () => openStore(urls[side]);
      const store =
        round < 0 ? await opening() : await samples.time("start of the store", side, opening);
      await store.close();
    }
  }
  const stores = { empty: await openStore(urls.empty), long: await openStore(urls.long) };
  const now = Date.now();
  for (const side of sides) {
    const grant = { account: scene.seller, kind: "grant", credits: 1_000_000 } as const;
    await stores[side].grantCredits({ ...grant, actor: "bench", note: null }, now);
  }
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const side of sides) {
      const time: Timer = (name, work) => (round < 0 ? work() : samples.time(name, side, work));
      await oneRound(stores[side], scene, { now, time });
    }
  }
  for (const side of sides) await stores[side].close();
}

let made = 0;

async function oneRound(
  store: ServiceStore,
  scene: HistoryScene,
  { now, time }: { readonly now: number; readonly time: Timer },
): Promise<void> {
  const { seller, chainId } = scene;
  const ids = await time("settle of 50, from claim to final", () =>
    settle(store, scene, { now, time }),
  );
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    "a block without payments": async () => {
      await store.listUnfinalizedBlocks(chainId);
      await store.recordFinalized(chainId, 2 * farAhead, now);
    },
    "a settlement by its id": () => store.findSettlement(ids[0] ?? ""),
    "history, newest 50": () => store.listAccountSettlements(seller, {}, { limit: 50 }),
    "usage of 30 days": () =>
      store.listUsage(seller, { since: now - daysShown * dayMs, before: now + dayMs, chainId }),
    credits: () => store.findCredits(seller),
    "ledger, newest 50": () => store.listCreditEntries(seller, { limit: 50 }),
  };
  for (const [name, read] of Object.entries(reads)) {
    for (let times = 0; times < readsEach; times++) await time(name, read);
  }
  await time("search of a frequent word", () =>
    store.searchPublicListings([commonWord], {}, listed),
  );
  await time("search of a rare word", () => store.searchPublicListings([rareWord], {}, listed));
  await time("listings, newest 20", () =>
    store.listPublicListings({}, { limit: listed, offset: 0 }),
  );
}

async function settle(
  store: ServiceStore,
  { chainId, token, seller }: HistoryScene,
  { now, time }: { readonly now: number; readonly time: Timer },
): Promise<string[]> {
  const claims = Array.from({ length: groupSize }, () => claimOf({ chainId, token, seller }, now));
  await time("claim of 50", () => store.claimSettlements(claims, now));
  const ids = claims.map(({ id }) => id);
  const lease = await store.takeWalletLease({
    chainId,
    lane: storeWallet,
    owner: "bench",
    nonceFloor: farAhead,
    leaseMs: 60_000,
    now,
  });
  if (!lease) throw new Error("the wallet is another process's");
  const plan = { settlementIds: ids, to: token, data: "0x00", gasLimit: 1n, gasPrice: 1n } as const;
  const [transaction] = await store.reserveTransactions(lease, [plan], now);
  if (!transaction) throw new Error("nothing was reserved");
  const hash = hex32(++made);
  await store.recordSigned(lease, [{ id: transaction.id, raw: "0x00", hash }], now);
  await store.recordSent([transaction], now);
  const blockNumber = farAhead + made;
  const block = { transaction: hash, blockNumber, blockHash: hash, logIndex: 0 };
  const mined = { ...block, settledBy: "relayer" } as const;
  await store.recordConfirmed(
    ids.map((id) => ({ id, mined })),
    now,
  );
  await store.closeTransactions([transaction], "mined", blockNumber);
  await store.recordFinalized(chainId, blockNumber, now);
  await store.pruneSignedBytes(chainId, blockNumber, groupSize);
  return ids;
}

/** Payers of what is settled beside the history. */
const payers = 500;

/** A payment to the seller whose history it is. */
export function claimOf(
  { chainId, token, seller }: Pick<HistoryScene, "chainId" | "token" | "seller">,
  now: number,
) {
  const nonce = hex32(++made);
  return {
    id: `stl_bench_${made}_${now}`,
    chainId,
    asset: token,
    payer: `0x${(made % payers).toString(16).padStart(40, "c")}`,
    nonce,
    payTo: seller,
    amount: 10_000n,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(now / 1000) + 300),
    signature: `0x${"ab".repeat(65)}`,
    payerHasCode: false,
    seenUnusedAt: 1,
    networkName: `eip155:${chainId}`,
    keyId: null,
    owner: seller,
    priority: "open",
    requestId: "bench",
    credits: 1,
    terms: {},
    claimingCall: { caller: "c", idempotencyKey: null, isUpfront: false, successWriter: "w" },
  } as const;
}

/** Above everything that a history has. */
function hex32(number: number): `0x${string}` {
  return `0x${(Date.now() * 1_000_000 + number).toString(16).padStart(64, "e")}`;
}
