/**
 * What every store must do, whichever database is behind it: one settlement per authorization,
 * guarded moves, nonces without gaps or twins, one writer per wallet.
 */
import { refusalCodes, zeroAddress, type Hex } from "@farthing/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SettlementState } from "../../src/index.ts";
import type { RelayerTransaction, WalletLease } from "../../src/model/relayer-transaction.ts";
import { storeForEach } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  held,
  hex32,
  idOf,
  isAllowedMove,
  lane,
  minedIn,
  next,
  otherLane,
  planOf,
  replaceAt,
  reserved,
  take,
  type StoreBench,
  type TestStore,
} from "./store-values.testing.ts";

/** The tests, on databases that `start` makes. */
export function storeSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  const storeNow = () => at().store;

  describe("a claim", () => claimTests(at));
  describe("moves", () => moveTests(storeNow));
  describe("leases", () => leaseTests(at));
  describe("nonces", () => nonceTests(storeNow));
}

function claimTests(at: () => { bench: StoreBench; store: TestStore }): void {
  test.each([
    ["random ids", () => ({})],
    ["the id that derives from it", (id: string) => ({ id })],
  ])("of one authorization, fifty times at once with %s: one settlement", async (_name, idFor) => {
    const { store } = at();
    const { id, nonce } = claimOf();
    const claim = () => claimOf({ nonce, ...idFor(id) });
    // Two of each call are claimed in one transaction.
    const results = (
      await Promise.all(
        Array.from({ length: 25 }, () => store.claimSettlements([claim(), claim()], 1)),
      )
    ).flat();
    expect(results.filter(({ kind }) => kind === "created")).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === "existing")).toHaveLength(49);
    expect(new Set(results.map(idOf)).size).toBe(1);
  });

  test("of one authorization by two processes: one settlement", async () => {
    const { bench, store } = at();
    const second = await bench.open();
    try {
      for (let round = 0; round < 20; round++) {
        const nonce = hex32(next());
        const claim = (by: TestStore) => by.claimSettlements([claimOf({ nonce })], 1);
        const [one, other] = bench.isConcurrent
          ? await Promise.all([claim(store), claim(second)])
          : [await claim(store), await claim(second)];
        const kinds = new Set([one[0]?.kind, other[0]?.kind]);
        expect(kinds).toEqual(new Set(["created", "existing"]));
        expect(idOf(one[0])).toBe(idOf(other[0]));
      }
    } finally {
      await second.close();
    }
  });

  test("twice in one group, in whatever case: the first makes it, the second finds it", async () => {
    const nonce: Hex = `0x${"ab".repeat(32)}`;
    const first = claimOf({ nonce });
    const duplicate = claimOf({ nonce: `0x${"AB".repeat(32)}`, payer: `0x${"11".repeat(20)}` });
    const results = await at().store.claimSettlements([first, claimOf(), duplicate], 1);
    expect(results.map(({ kind }) => kind)).toEqual(["created", "created", "existing"]);
    expect(idOf(results[2])).toBe(first.id);
  });

  test("keeps every field, and another process reads the same", async () => {
    const { bench, store } = at();
    const claim = claimOf({ amount: 2n ** 200n, validAfter: 5n });
    await store.claimSettlements([claim], 123);
    const other = await bench.open();
    try {
      const found = await other.findSettlement(claim.id);
      const { terms: _, claimingCall: _call, ...kept } = claim;
      expect(found).toMatchObject({ ...kept, state: "queued", transaction: null });
      expect(await other.findSettlementsByKey([claimOf(), claim])).toEqual([undefined, found]);
      expect(await other.listNonces(claim, 2)).toEqual([claim.nonce]);
    } finally {
      await other.close();
    }
  });

  test("of none is nothing", async () => {
    const { store } = at();
    expect(await store.claimSettlements([], 1)).toEqual([]);
    expect(await store.findSettlementsByKey([])).toEqual([]);
    expect(await store.listNonces({ ...claimOf(), payer: zeroAddress }, 2)).toEqual([]);
    expect(await store.findSettlement("stl_nowhere")).toBeUndefined();
  });
}

/** Every verb that moves a settlement, tried on one in whatever state. */
const movingMethods: readonly ((store: TestStore, id: string) => Promise<unknown>)[] = [
  (store, id) => store.recordConfirmed([{ id, mined: minedIn(100) }], 5),
  (store, id) =>
    store.recordFailed([{ id, code: "transaction_reverted", message: "m", transaction: null }], 6),
  (store) => store.recordReorganised(chainId, 90, 8),
  (store) => store.recordReorganised(chainId, 101, 8),
  (store) => store.recordFinalized(chainId, 100, 7),
  (store) => store.recordFinalized(chainId, 99, 7),
];

function moveTests(store: () => TestStore): void {
  test("open settlements are counted by state, with the age of the oldest", async () => {
    const counted = async () =>
      new Map((await store().countOpenSettlements(chainId)).map((one) => [one.state, one]));
    const before = await counted();
    const claims = [claimOf(), claimOf()];
    await store().claimSettlements(claims, 5_000);
    const after = await counted();
    expect(after.get("queued")?.count).toBe((before.get("queued")?.count ?? 0) + 2);
    expect(after.get("queued")?.oldestAt).toBeLessThanOrEqual(5_000);
    const failure = { code: "transaction_reverted", message: "m", transaction: null } as const;
    await store().recordFailed(
      claims.map(({ id }) => ({ id, ...failure })),
      6_000,
    );
    expect(await counted()).toEqual(before);
  });

  test("whatever is tried in whatever order, only allowed moves happen", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...movingMethods), { maxLength: 8 }),
        async (methods) => {
          const claim = claimOf();
          await store().claimSettlements([claim], 1);
          let before: SettlementState = "queued";
          let hasFailed = false;
          for (const verb of methods) {
            await verb(store(), claim.id);
            const now = await store().findSettlement(claim.id);
            const state = now?.state ?? "failed";
            // Queued ones may be confirmed by a stranger's transaction and lose it to a reorganisation.
            const failsAgain = hasFailed && before === "confirmed" && state === "failed";
            if (state !== before) expect(failsAgain || isAllowedMove(before, state)).toBe(true);
            if (hasFailed) expect(["failed", "confirmed"]).toContain(state);
            hasFailed ||= state === "failed";
            if (now?.finalizedAt != null) expect(state).toBe("confirmed");
            before = state;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("a verb gives what it moved, once", async () => {
    const claim = claimOf();
    await store().claimSettlements([claim], 1);
    const confirm = () => store().recordConfirmed([{ id: claim.id, mined: minedIn(9) }], 2);
    expect(await confirm()).toMatchObject([{ id: claim.id, state: "confirmed", blockNumber: 9 }]);
    expect(await confirm()).toEqual([]);
    expect(await store().recordFinalized(chainId, 9, 3)).toMatchObject([{ finalizedAt: 3 }]);
    expect(await store().recordFinalized(chainId, 9, 4)).toEqual([]);
    expect(await store().recordReorganised(chainId, 1, 8)).toEqual([]);
    expect(await store().listUnfinalizedBlocks(chainId)).toEqual([]);
  });

  test.each(refusalCodes)("a failure %s is kept with its sentence", async (code) => {
    const claim = claimOf();
    await store().claimSettlements([claim], 1);
    const failure = { id: claim.id, code, message: `because of ${code}`, transaction: hex32(1) };
    expect(await store().recordFailed([failure], 2)).toMatchObject([
      { state: "failed", failure: code, failureMessage: failure.message, failedAt: 2 },
    ]);
    expect(await store().listOpenSettlements(chainId)).toEqual([]);
  });
}

function leaseTests(at: () => { bench: StoreBench; store: TestStore }): void {
  test("of one wallet by many processes at once: one has it", async () => {
    const { store } = at();
    const owners = Array.from({ length: 10 }, (_, index) => `owner ${index}`);
    const leases = await Promise.all(owners.map((owner) => take(store, owner)));
    expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  test("a take-over waits for the end, unless the holder is gone or gave it back", async () => {
    const { store } = at();
    const first = await held(store);
    expect(await take(store, "two", { stoppedOwner: "somebody" })).toBeUndefined();
    const taken = await take(store, "two", { stoppedOwner: "one" });
    expect(taken?.fence).toBeGreaterThan(first.fence);
    // The former holder gives nothing back that is not his.
    await store.releaseWallets(chainId, "one");
    expect(await take(store, "three")).toBeUndefined();
    await store.releaseWallets(chainId, "two");
    expect((await take(store, "three"))?.fence).toBeGreaterThan(taken?.fence ?? 0);
  });

  test("who lost it writes nothing any more", async () => {
    const { store } = at();
    const former = await held(store);
    const [claim, other] = [claimOf(), claimOf()];
    await store.claimSettlements([claim, other], 1);
    const [reserved] = await store.reserveTransactions(former, [planOf(claim.id)], 1);
    const newer = await take(store, "two", { stoppedOwner: "one" });
    const lost = { code: "lease_lost" };
    await expect(store.reserveTransactions(former, [planOf(other.id)], 1)).rejects.toMatchObject(
      lost,
    );
    const signed = [{ id: reserved?.id ?? 0, raw: hex32(1), hash: hex32(1) }];
    await expect(store.recordSigned(former, signed, 1)).rejects.toMatchObject(lost);
    expect(await store.renewWalletLease(former, "one", { leaseMs: 1_000, now: 0 })).toBe(false);
    expect((await store.findSettlement(claim.id))?.state).toBe("queued");
    // The new holder finds the nonce that was taken, and signs for it.
    expect(await store.listOpenTransactions(chainId, lane)).toMatchObject([
      { id: reserved?.id, state: "intent", raw: null, settlementIds: [claim.id] },
    ]);
    if (newer) expect(await store.recordSigned(newer, signed, 1)).toMatchObject([{ id: claim.id }]);
  });

  test("what was not signed is released, but for what an earlier transaction may carry", async () => {
    const { store } = at();
    const lease = await held(store);
    const [fresh, sent] = [claimOf(), claimOf()];
    await store.claimSettlements([fresh, sent], 1);
    const plans = [planOf(fresh.id), planOf(sent.id)];
    const [first, second] = await store.reserveTransactions(lease, plans, 1);
    const signed = [{ id: second?.id ?? 0, raw: hex32(2), hash: hex32(2) }];
    await store.recordSigned(lease, signed, 1);
    const nonce = second?.nonce ?? 0;
    const replacement = await replaceAt(store, lease, nonce, planOf(sent.id), 2);
    await store.releaseUnsigned(lease, [first?.id ?? 0, replacement.id], 2);
    const unassigned = await store.listUnassigned({ ids: [fresh.id, sent.id] });
    expect(unassigned.map(({ id }) => id)).toEqual([fresh.id]);
    const open = await store.listOpenTransactions(chainId, lane);
    expect(open.map(({ id }) => id)).toEqual([second?.id, replacement.id]);
    await take(store, "two", { stoppedOwner: "one" });
    await expect(store.releaseUnsigned(lease, [], 3)).rejects.toMatchObject({ code: "lease_lost" });
  });

  test("what another transaction carries by now is not released with the one before it", async () => {
    const { store } = at();
    const claim = claimOf();
    await store.claimSettlements([claim], 1);
    const former = await held(store);
    const lease = await held(store, "two", otherLane);
    const [given] = await store.reserveTransactions(former, [planOf(claim.id)], 1);
    const ids = given ? [given.id] : [];
    await store.releaseUnsigned(former, ids, 2);
    const [carrier] = await store.reserveTransactions(lease, [planOf(claim.id)], 2);
    await store.releaseUnsigned(former, ids, 3);
    expect(await store.listUnassigned({ ids: [claim.id] })).toEqual([]);
    expect(await store.listOpenTransactions(chainId, otherLane)).toMatchObject([
      { id: carrier?.id, settlementIds: [claim.id] },
    ]);
  });

  test("the next nonce follows the chain up and never down", async () => {
    const { store } = at();
    const nonceAt = async (nonceFloor: number) =>
      (await take(store, "one", { nonceFloor }))?.nextNonce;
    expect(await nonceAt(5)).toBe(5);
    expect(await nonceAt(2)).toBe(5);
    expect(await nonceAt(9)).toBe(9);
  });
}

function nonceTests(store: () => TestStore): void {
  /** Steps of a relayer's life: how many plans at once, and whether work that is carried is planned again. */
  const step = fc.record({
    lane: fc.constantFrom(lane, otherLane),
    plans: fc.integer({ min: 0, max: 4 }),
    repeats: fc.integer({ min: 0, max: 2 }),
    fate: fc.constantFrom("leave", "sign", "send", "close"),
  });

  test("whatever happens, each is given once, in order and without a gap", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const given = new Map<string, number[]>([lane, otherLane].map((one) => [one, []]));
        const carried: string[] = [];
        const floors = new Map<string, number>();
        for (const { lane: at, plans, repeats, fate } of steps) {
          const lease = await held(store(), "one", at);
          if (!floors.has(at)) floors.set(at, lease.nextNonce);
          const claims = Array.from({ length: plans }, () => claimOf());
          await store().claimSettlements(claims, 1);
          const ids = [...carried.slice(0, repeats), ...claims.map(({ id }) => id)];
          const plansWanted = ids.map((id) => planOf(id));
          const taken = await store().reserveTransactions(lease, plansWanted, 1);
          // What is carried already gets no second nonce.
          expect(taken.flatMap(({ settlementIds }) => settlementIds)).toEqual(
            claims.map(({ id }) => id),
          );
          given.get(at)?.push(...taken.map(({ nonce }) => nonce));
          carried.push(...claims.map(({ id }) => id));
          await carryOn(store(), lease, taken, fate);
        }
        for (const [at, nonces] of given) {
          const first = floors.get(at) ?? 0;
          expect(nonces).toEqual(nonces.map((_, index) => first + index));
        }
      }),
      { numRuns: 40 },
    );
  });

  test("one plan with one settlement that is carried already is left out whole", async () => {
    const lease = await held(store());
    const [one, two, three] = [claimOf(), claimOf(), claimOf()];
    await store().claimSettlements([one, two, three], 1);
    await store().reserveTransactions(lease, [planOf(one.id)], 1);
    const batches = [planOf(one.id, two.id), planOf(three.id)];
    const taken = await store().reserveTransactions(lease, batches, 1);
    expect(taken).toMatchObject([{ settlementIds: [three.id], nonce: lease.nextNonce + 1 }]);
  });

  test("the same settlement in two plans of one call is carried once", async () => {
    const lease = await held(store());
    const claim = claimOf();
    await store().claimSettlements([claim], 1);
    const twice = [planOf(claim.id), planOf(claim.id)];
    expect(await store().reserveTransactions(lease, twice, 1)).toHaveLength(1);
  });

  test("an id that is given again changes no other transaction", async () => {
    const { lease, transaction: taken } = await reserved(store());
    await carryOn(store(), lease, [taken], "sign");
    // What a process remembers of a transaction that the database lost: the id is another's now.
    const lost = { ...taken, hash: hex32(77) };
    for (const name of [
      lost,
      { ...taken, nonce: taken.nonce + 1 },
      { ...taken, lane: otherLane },
    ]) {
      await store().recordSent([name], 2);
      await store().closeTransactions([name], "mined", 9);
    }
    expect(await store().listOpenTransactions(chainId, lane)).toMatchObject([{ state: "signed" }]);
    await store().closeTransactions([taken], "mined", 9);
    expect(await store().listOpenTransactions(chainId, lane)).toEqual([]);
  });

  test("a lease of another holder with the same fencing token writes nothing", async () => {
    const lease = await held(store());
    const claim = claimOf();
    await store().claimSettlements([claim], 1);
    const former = { ...lease, holder: "a process of before the failover" };
    await expect(store().reserveTransactions(former, [planOf(claim.id)], 1)).rejects.toThrow(
      /worked by another process/,
    );
    expect(await store().reserveTransactions(lease, [planOf(claim.id)], 1)).toHaveLength(1);
  });

  test("what a reorganisation undid is open again", async () => {
    const lease = await held(store());
    const claim = claimOf();
    await store().claimSettlements([claim], 1);
    const taken = await store().reserveTransactions(lease, [planOf(claim.id)], 1);
    await carryOn(store(), lease, taken, "sign");
    await store().closeTransactions(taken, "mined", 100);
    await store().reopenTransactions(chainId, { fromBlock: 101 });
    expect(await store().listOpenTransactions(chainId, lane)).toEqual([]);
    await store().reopenTransactions(chainId, { fromBlock: 100 });
    expect(await store().listOpenTransactions(chainId, lane)).toMatchObject([{ state: "sent" }]);
  });
}

async function carryOn(
  store: TestStore,
  lease: WalletLease,
  taken: readonly RelayerTransaction[],
  fate: string,
): Promise<void> {
  if (fate === "leave") return;
  const signed = taken.map(({ id }) => ({
    id,
    raw: hex32(id),
    hash: hex32(1_000_000 + id),
  }));
  const moved = await store.recordSigned(lease, signed, 1);
  expect(moved.map(({ state }) => state)).toEqual(taken.map(() => "submitted"));
  if (fate !== "sign") await store.recordSent(taken, 1);
  if (fate === "close") await store.closeTransactions(taken, "mined");
}
