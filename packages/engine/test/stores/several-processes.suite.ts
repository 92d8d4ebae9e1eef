/** Several processes on one database: guarded transitions, wallets that change hands, unassigned work. */
import type { Hex } from "@farthing/protocol";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { SettlementState } from "../../src/index.ts";
import type * as relayed from "../../src/model/relayer-transaction.ts";
import { storesForEach } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  held,
  hex32,
  isAllowedMove,
  lane,
  minedIn,
  next,
  otherLane,
  planOf,
  reserved,
  take,
  type StoreBench,
  type TestStore,
} from "./store-values.testing.ts";

/** The tests, on databases that `start` makes. */
export function severalProcessesSuite(start: () => Promise<StoreBench>): void {
  const storeAt = storesForEach(start, 3);
  describe("every verb in state", () => guardTests(storeAt));
  describe("a wallet that changes hands", () => handOverTests(storeAt));
  test("another process finds whether a node has accepted a transaction", async () => {
    const [here, there] = [storeAt(0), storeAt(1)];
    const way = await queued(here);
    const hash = hex32(way.transaction.id);
    await sign(here, way);
    expect(await there.isTransactionSent(way.id, hash)).toBe(false);
    await here.recordSent([{ ...way.transaction, hash }], 3);
    expect(await there.isTransactionSent(way.id, hash)).toBe(true);
    expect(await there.isTransactionSent(way.id, hex32(next()))).toBe(false);
  });
  describe("a lease that has run out", () => expiryTests(storeAt));
  describe("a wallet that is asked for", () => askingTests(storeAt));
  describe("work that nobody carries", () => unassignedTests(storeAt));
}

/** A settlement on its way, and the lease under which it goes. */
interface OnItsWay {
  readonly id: string;
  readonly lease: relayed.WalletLease;
  readonly transaction: relayed.RelayerTransaction;
}

async function queued(store: TestStore): Promise<OnItsWay> {
  const { claim, lease, transaction } = await reserved(store);
  return { id: claim.id, lease, transaction };
}

const sign = (store: TestStore, { lease, transaction }: OnItsWay) =>
  store.recordSigned(
    lease,
    [{ id: transaction.id, raw: hex32(transaction.id), hash: hex32(transaction.id) }],
    2,
  );
const confirm = (store: TestStore, { id }: OnItsWay) =>
  store.recordConfirmed([{ id, mined: minedIn(100) }], 3);
const fail = (store: TestStore, { id }: OnItsWay) =>
  store.recordFailed([{ id, code: "transaction_reverted", message: "m", transaction: null }], 4);

async function giveBack(store: TestStore, { id, transaction }: OnItsWay) {
  const open = await store.listOpenTransactions(chainId, transaction.lane);
  await store.closeTransactions(open, "dropped");
  return store.requeueSettlements([id], 4, 0);
}

type Verb = (store: TestStore, way: OnItsWay) => Promise<unknown>;

/** How a settlement comes to where the verbs are tried. */
const beginnings: Readonly<Record<string, readonly Verb[]>> = {
  queued: [],
  submitted: [sign],
  confirmed: [sign, confirm],
  "confirmed unsigned": [confirm],
  final: [sign, confirm, (store) => store.recordFinalized(chainId, 100, 5)],
  failed: [sign, fail],
  "failed unsigned": [fail],
};

/** What moves settlements, and whereto. */
const methods: Readonly<Record<string, readonly [SettlementState, Verb]>> = {
  sign: ["submitted", sign],
  replace: [
    "submitted",
    async (store, way) => {
      const { transaction: former, lease, id } = way;
      const newer = await store.replaceTransaction(lease, former.nonce, planOf(id), 6);
      return sign(store, { ...way, transaction: newer ?? former });
    },
  ],
  confirm: ["confirmed", confirm],
  fail: ["failed", fail],
  "undo the block": ["submitted", (store) => store.recordReorganised(chainId, 100, 8)],
  "give back": ["queued", giveBack],
};

function guardTests(storeAt: (index: number) => TestStore): void {
  test.each(Object.keys(beginnings))("%s: an allowed move or none at all", async (begin) => {
    for (const [name, [goal, verb]] of Object.entries(methods)) {
      const way = await queued(storeAt(0));
      for (const step of beginnings[begin] ?? []) await step(storeAt(0), way);
      const before = await storeAt(0).findSettlement(way.id);

      // Whoever holds the lease may write, also from another connection.
      await verb(storeAt(1), way);

      const after = await storeAt(2).findSettlement(way.id);
      if (!before || !after) throw new Error("the settlement is gone");
      const isAllowed = isAllowedMove(before.state, goal);
      if (after.state !== before.state) {
        expect([name, isAllowed, after.state]).toEqual([name, true, goal]);
        // What is final stays.
        expect(before.finalizedAt).toBeNull();
      } else if (!isAllowed && before.state !== goal) expect([name, after]).toEqual([name, before]);
    }
  });

  test("a replacement is carried on, and counts as sent since the first", async () => {
    const way = await queued(storeAt(0));
    await sign(storeAt(0), way);
    const { transaction: former, lease } = way;
    const { nonce } = former;
    const newer = (await storeAt(0).replaceTransaction(lease, nonce, planOf(way.id), 8)) ?? former;
    expect(newer).toMatchObject({ nonce, state: "intent", settlementIds: [way.id] });
    const bytes = { id: newer.id, raw: hex32(newer.id), hash: hex32(newer.id) };
    await storeAt(0).recordSigned(lease, [bytes], 9);
    expect(await storeAt(1).findSettlement(way.id)).toMatchObject({
      transaction: hex32(newer.id),
      submittedAt: 2,
    });
    const open = await storeAt(1).listOpenTransactions(chainId, lane);
    expect(open.map(({ id }) => id)).toEqual([way.transaction.id, newer.id]);
  });
}

/** A process that works a wallet, as it believes. */
interface Worker {
  readonly store: TestStore;
  readonly owner: string;
  lease: relayed.WalletLease | undefined;
}

const stepOf = fc.record({
  who: fc.integer({ min: 0, max: 2 }),
  what: fc.constantFrom("take over", "wait its turn", "reserve", "sign", "send", "mined", "die"),
  count: fc.integer({ min: 1, max: 4 }),
});

function handOverTests(storeAt: (index: number) => TestStore): void {
  test("whatever the interleaving, nonces are taken once, in order, without a gap", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepOf, { minLength: 5, maxLength: 25 }), async (steps) => {
        const at = `0x${hex32(next()).slice(-40)}` as const;
        const workers = [0, 1, 2].map((index): Worker => ({
          store: storeAt(index),
          owner: `${at}/${index}`,
          lease: undefined,
        }));
        const given: number[] = [];
        for (const { who, what, count } of steps) {
          const worker = workers[who];
          if (worker) given.push(...(await act(worker, workers, what, { at, count })));
        }
        expect(given).toEqual(given.map((_, index) => index));
        await expectWhole(storeAt(0), at, given);
      }),
      { numRuns: 40 },
    );
  });
}

/** Carries a step out; gives the nonces that it took. */
async function act(
  worker: Worker,
  workers: readonly Worker[],
  what: string,
  { at, count }: { at: Hex; count: number },
): Promise<number[]> {
  const { store, owner, lease } = worker;
  switch (what) {
    case "take over":
      worker.lease = await take(store, owner, { lane: at, stoppedOwner: await ownerOf(store, at) });
      return [];
    case "wait its turn":
      worker.lease = (await take(store, owner, { lane: at })) ?? worker.lease;
      return [];
    case "die":
      worker.lease = undefined;
      return [];
    default:
      return lease ? work(store, lease, what, isHolder(worker, workers), count) : [];
  }
}

/** The newest fence holds; who believes otherwise must be told. */
function isHolder(worker: Worker, workers: readonly Worker[]): boolean {
  const fences = workers.map(({ lease }) => lease?.fence ?? 0);
  return worker.lease?.fence === Math.max(...fences);
}

async function ownerOf(store: TestStore, at: Hex): Promise<string | undefined> {
  const [holder] = await store.findWalletHolders(chainId, [at], 0);
  return holder?.owner ?? undefined;
}

async function work(
  store: TestStore,
  lease: relayed.WalletLease,
  what: string,
  mayHold: boolean,
  count: number,
): Promise<number[]> {
  const open = await store.listOpenTransactions(chainId, lease.lane);
  const those = (state: string) => open.filter((one) => one.state === state);
  try {
    if (what === "reserve") {
      const claims = Array.from({ length: count }, () => claimOf());
      await store.claimSettlements(claims, 1);
      const plans = claims.map(({ id }) => planOf(id));
      const taken = await store.reserveTransactions(lease, plans, 1);
      expect(mayHold).toBe(true);
      return taken.map(({ nonce }) => nonce);
    }
    const bytes = those("intent").map(({ id }) => ({
      id,
      raw: hex32(id),
      hash: hex32(2 ** 40 + id),
    }));
    if (what === "sign") await store.recordSigned(lease, bytes, 2);
    if (what === "send") await store.recordSent(those("signed"), 3);
    if (what === "mined") await store.closeTransactions(those("sent").slice(0, count), "mined");
  } catch (error) {
    expect(error).toMatchObject({ code: "lease_lost" });
  }
  return [];
}

/** Every nonce has its transaction, which has its settlement; nothing was lost on the way. */
async function expectWhole(store: TestStore, at: Hex, given: readonly number[]): Promise<void> {
  const open = await store.listOpenTransactions(chainId, at);
  const nonces = open.map(({ nonce }) => nonce);
  expect(new Set(nonces).size).toBe(nonces.length);
  expect(nonces.every((nonce) => given.includes(nonce))).toBe(true);
  const last = await take(store, "last", { lane: at, stoppedOwner: await ownerOf(store, at) });
  expect(last?.nextNonce).toBe(given.length);
  for (const { settlementIds, state } of open) {
    const [id = ""] = settlementIds;
    const settlement = await store.findSettlement(id);
    expect(settlement?.state).toBe(state === "intent" ? "queued" : "submitted");
  }
}

function expiryTests(storeAt: (index: number) => TestStore): void {
  test("writes nothing, also when nobody has taken the wallet over", async () => {
    const claim = claimOf();
    await storeAt(0).claimSettlements([claim], 1);
    const lease = await take(storeAt(0), "one", { leaseMs: 1 });
    if (!lease) throw new Error("the lane is free");
    await vi.waitFor(async () => {
      const holders = await storeAt(1).findWalletHolders(chainId, [lane], 5);
      expect(holders).toEqual([
        { owner: "one", isRunning: false, wantedBy: null, nextNonce: lease.nextNonce },
      ]);
    });
    const lost = { code: "lease_lost" };
    const plans = [planOf(claim.id)];
    await expect(storeAt(0).reserveTransactions(lease, plans, 5)).rejects.toMatchObject(lost);
    await expect(storeAt(0).recordSigned(lease, [], 5)).rejects.toMatchObject(lost);
    const replacing = storeAt(0).replaceTransaction(lease, 0, planOf(claim.id), 5);
    await expect(replacing).rejects.toMatchObject(lost);

    // Renewed in time it goes on, with the nonce that was not burnt.
    expect(await storeAt(0).renewWalletLease(lease, "one", { leaseMs: 60_000, now: 5 })).toBe(true);
    const taken = await storeAt(0).reserveTransactions(lease, plans, 6);
    expect(taken).toMatchObject([{ nonce: lease.nextNonce }]);
  });

  test("lets anybody have the wallet", async () => {
    await take(storeAt(0), "one", { leaseMs: 1 });
    await expect.poll(() => take(storeAt(1), "two", { now: 5 })).toBeDefined();
  });
}

function askingTests(storeAt: (index: number) => TestStore): void {
  const holderOf = async (at: number) =>
    (await storeAt(at).findWalletHolders(chainId, [lane], 0))[0] ?? undefined;
  const terms = { to: "two", leaseMs: 60_000, now: 0 };

  test("goes to the first who asked, and its former holder writes nothing any more", async () => {
    const way = await queued(storeAt(0));
    for (const owner of ["two", "three"]) {
      await storeAt(1).askForWallet(chainId, lane, { holder: "one", owner });
    }
    expect(await holderOf(2)).toMatchObject({ owner: "one", isRunning: true, wantedBy: "two" });

    const others = { ...terms, to: "three" };
    expect(await storeAt(0).handOverWallet(way.lease, "one", others)).toBe(false);
    expect(await storeAt(0).handOverWallet(way.lease, "one", terms)).toBe(true);
    expect(await storeAt(0).handOverWallet(way.lease, "one", terms)).toBe(false);
    expect(await holderOf(2)).toMatchObject({ owner: "two", isRunning: true, wantedBy: null });
    await expect(sign(storeAt(0), way)).rejects.toMatchObject({ code: "lease_lost" });
    expect(await take(storeAt(2), "three")).toBeUndefined();

    const lease = await held(storeAt(1), "two");
    expect(lease.nextNonce).toBe(way.lease.nextNonce + 1);
    expect(await sign(storeAt(1), { ...way, lease })).toMatchObject([{ state: "submitted" }]);
  });

  test("stays where it is when it changed hands meanwhile, or who asked has gone", async () => {
    const lease = await held(storeAt(0));
    await storeAt(1).askForWallet(chainId, lane, { holder: "somebody", owner: "two" });
    expect(await holderOf(2)).toMatchObject({ owner: "one", wantedBy: null });
    await storeAt(1).askForWallet(chainId, lane, { holder: "one", owner: "two" });
    await storeAt(1).releaseWallets(chainId, "two");
    expect(await storeAt(0).handOverWallet(lease, "one", terms)).toBe(false);
    expect(await holderOf(2)).toMatchObject({ owner: "one", wantedBy: null });
  });

  test("is free with all the others of a process that has gone", async () => {
    await held(storeAt(0));
    await held(storeAt(0), "one", otherLane);
    await storeAt(1).releaseWallets(chainId, "one");
    const holders = await storeAt(2).findWalletHolders(chainId, [otherLane, lane, hex40("ee")], 0);
    const free = { owner: null, isRunning: false, wantedBy: null };
    expect(holders).toMatchObject([free, free, undefined]);
  });

  test("knows which of its nonces are used up, whoever used them", async () => {
    const at = hex40("cd");
    const lease = await held(storeAt(0), "one", at);
    expect(await storeAt(1).countMinedNonces(chainId, at)).toBe(0);
    const claims = [claimOf(), claimOf(), claimOf()];
    await storeAt(0).claimSettlements(claims, 1);
    const plans = claims.map(({ id }) => planOf(id));
    const taken = await storeAt(0).reserveTransactions(lease, plans, 1);
    await storeAt(0).closeTransactions(taken.slice(1, 2), "mined", 9);
    await storeAt(0).closeTransactions(taken.slice(2), "dropped");
    expect(await storeAt(1).countMinedNonces(chainId, at)).toBe(2);
  });
}

function unassignedTests(storeAt: (index: number) => TestStore): void {
  test("is listed, oldest first, to whoever asks", async () => {
    const lease = await held(storeAt(0));
    const [newest, oldest, carried] = [claimOf(), claimOf(), claimOf()];
    const [failed, fresh] = [claimOf(), claimOf()];
    const elsewhere = claimOf({ chainId: 50 });
    await storeAt(0).claimSettlements([oldest, carried, failed, elsewhere], 10);
    await storeAt(0).claimSettlements([newest], 20);
    await storeAt(0).claimSettlements([fresh], 30);
    await storeAt(0).reserveTransactions(lease, [planOf(carried.id)], 30);
    const failure = { id: failed.id, code: "token_paused" as const, message: "m" };
    await storeAt(0).recordFailed([{ ...failure, transaction: null }], 30);
    const list = async (olderThan: number, limit: number) =>
      (await storeAt(1).listUnassigned({ chainId, olderThan, limit })).map(({ id }) => id);
    expect(await list(30, 10)).toEqual([oldest.id, newest.id]);
    expect(await list(30, 1)).toEqual([oldest.id]);
    expect(await list(10, 10)).toEqual([]);
    const keyless = { olderThan: 30, limit: 10, isKeyed: false, from: 11 };
    expect(await storeAt(1).listUnassigned({ chainId, ...keyless })).toMatchObject([
      { id: newest.id },
    ]);
    expect(await storeAt(1).listUnassigned({ chainId, ...keyless, isKeyed: true })).toEqual([]);
    const ids = [fresh, carried, failed, oldest].map(({ id }) => id);
    const found = await storeAt(1).listUnassigned({ ids });
    expect(found.map(({ id }) => id)).toEqual([oldest.id, fresh.id]);
    expect(await storeAt(1).listUnassigned({ ids: [] })).toEqual([]);
  });

  test("is listed again when its transaction can never be mined", async () => {
    const way = await queued(storeAt(0));
    await sign(storeAt(0), way);
    expect(await storeAt(1).requeueSettlements([way.id], 4, 0)).toEqual([]);
    expect(await giveBack(storeAt(1), way)).toMatchObject([{ state: "queued" }]);
    const found = await storeAt(1).listUnassigned({ chainId, olderThan: 2, limit: 1 });
    expect(found).toMatchObject([{ id: way.id, transaction: null, submittedAt: null }]);
  });

  test("goes to one of two that plan it", async () => {
    const claim = claimOf();
    await storeAt(0).claimSettlements([claim], 1);
    const [one, other] = [await held(storeAt(0)), await held(storeAt(1), "two", hex40("cc"))];
    const plans = [planOf(claim.id)];
    expect(await storeAt(0).reserveTransactions(one, plans, 1)).toHaveLength(1);
    expect(await storeAt(1).reserveTransactions(other, plans, 1)).toEqual([]);
  });
}

function hex40(byte: string): Hex {
  return `0x${byte.repeat(20)}`;
}
