/** What one process says after another has gone further: it takes nothing back that still holds. */
import { beforeEach, expect, test } from "vitest";
import { storesForEach } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  held,
  hex32,
  lane,
  minedIn,
  next,
  planOf,
  replaceAt,
  reserved,
  take,
  type StoreBench,
  type TestStore,
} from "./store-values.testing.ts";
import type { Failure } from "../../src/storage.ts";

const refused = (id: string): Failure => ({
  id,
  code: "insufficient_funds",
  message: "m",
  transaction: null,
  onlyUnassigned: true,
});

/** The tests, on databases that `start` makes. */
export function lateNewsSuite(start: () => Promise<StoreBench>): void {
  const storeAt = storesForEach(start, 2);
  let store: TestStore;
  let other: TestStore;
  beforeEach(() => {
    store = storeAt(0);
    other = storeAt(1);
  });

  async function claimed(): Promise<string> {
    const claim = claimOf();
    await store.claimSettlements([claim], 1);
    return claim.id;
  }

  test("refused before it was sent, while another process has taken a nonce for it", async () => {
    const id = await claimed();
    const lease = await held(other);
    const [transaction] = await other.reserveTransactions(lease, [planOf(id)], 2);
    expect(await store.recordFailed([refused(id)], 3)).toEqual([]);
    const [raw, hash] = [hex32(1), hex32(2)];
    await other.recordSigned(lease, [{ id: transaction?.id ?? 0, raw, hash }], 4);
    expect(await store.recordFailed([refused(id)], 5)).toEqual([]);
    expect(await store.findSettlement(id)).toMatchObject({ state: "submitted" });
  });

  test("refused before it was sent, and nobody has taken it", async () => {
    const ids = [await claimed(), await claimed()];
    const failed = await store.recordFailed(ids.map(refused), 2);
    expect(failed).toMatchObject(ids.map((id) => ({ id, state: "failed" })));
  });

  test("a reorganisation, while what took the blocks' place has confirmed already", async () => {
    const [before, after] = [await claimed(), await claimed()];
    await store.recordConfirmed([{ id: before, mined: minedIn(100) }], 2);
    const mined = { ...minedIn(100), blockHash: hex32(7) };
    await other.recordConfirmed([{ id: after, mined }], 3);
    const gone = [hex32(100), hex32(101)];
    expect(await store.recordReorganised(chainId, 100, 4, gone)).toMatchObject([{ id: before }]);
    expect(await store.findSettlement(after)).toMatchObject({ state: "confirmed" });
    expect(await store.recordReorganised(chainId, 100, 5, [])).toEqual([]);
    const blocks = [{ number: 100, hash: hex32(7) }];
    expect(await store.listUnfinalizedBlocks(chainId)).toEqual(blocks);
  });

  test("a reorganisation, of a payment that had failed before a third party made it", async () => {
    const id = await claimed();
    const [failed] = await store.recordFailed([refused(id)], 2);
    await store.recordConfirmed([{ id, mined: minedIn(100) }], 3);
    const hasLook = async () => {
      const due = await store.takeFailuresToLookAt(chainId, 500, 1e12);
      return due.some((one) => one.id === id);
    };
    expect(await hasLook()).toBe(false);
    expect(await other.recordReorganised(chainId, 100, 4, [hex32(100)])).toEqual([
      { ...failed, failedAt: 4 },
    ]);
    expect(await store.listOpenSettlements(chainId)).toEqual([]);
    expect(await store.requeueSettlements([id], 5, 0)).toEqual([]);
    expect(await hasLook()).toBe(true);
    // It is watched as before, and the second confirmation is none of a failure for good.
    await store.recordConfirmed([{ id, mined: minedIn(101) }], 6);
    expect(await store.findSettlement(id)).toMatchObject({ state: "confirmed", failure: null });
    expect(await store.recordReorganised(chainId, 101, 7)).toMatchObject([
      { failure: failed?.failure },
    ]);
  });

  test("bytes that are stored already are refused, and what repeats them is dropped", async () => {
    const { lease, claim, plan, transaction: first } = await reserved(store);
    const bytes = { raw: hex32(next()), hash: hex32(next()) };
    await store.recordSigned(lease, [{ id: first.id, ...bytes }], 1);
    const repeat = await replaceAt(store, lease, first.nonce, plan, 2);
    const other = await replaceAt(store, lease, first.nonce, plan, 2);
    const signed = [
      { id: repeat.id, ...bytes },
      { id: other.id, raw: hex32(next()), hash: hex32(next()) },
    ];
    await expect(store.recordSigned(lease, signed, 3)).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect(await store.dropRepeats(lease, signed, 3)).toBe(1);
    expect(await store.dropRepeats(lease, signed, 3)).toBe(0);
    const open = await store.listOpenTransactions(chainId, lane);
    expect(open.map(({ id, hash }) => [id, hash])).toEqual([
      [first.id, bytes.hash],
      [other.id, null],
    ]);
    // The settlement is with the newest that is left, or with the one whose bytes were repeated.
    expect(await store.recordSigned(lease, signed.slice(1), 4)).toMatchObject([{ id: claim.id }]);
    await take(store, "two", { stoppedOwner: "one" });
    await expect(store.dropRepeats(lease, [], 5)).rejects.toMatchObject({ code: "lease_lost" });
  });

  test.each(["nothing", "another transaction"])(
    "bytes that were dropped are repeated where %s is mined at their nonce",
    async (mined) => {
      const { lease, plan, transaction: first } = await reserved(store);
      const bytes = { raw: hex32(next()), hash: hex32(next()) };
      await store.recordSigned(lease, [{ id: first.id, ...bytes }], 1);
      const repeat = await replaceAt(store, lease, first.nonce, plan, 2);
      const other = await replaceAt(store, lease, first.nonce, plan, 2);
      await store.closeTransactions([first], "dropped");
      if (mined === "another transaction") await store.closeTransactions([other], "mined", 9);
      expect(await store.dropRepeats(lease, [{ id: repeat.id, ...bytes }], 3)).toBe(1);
      const open = await store.listOpenTransactions(chainId, lane);
      expect(open.map(({ id }) => id)).toEqual(mined === "nothing" ? [first.id, other.id] : []);
    },
  );
}
