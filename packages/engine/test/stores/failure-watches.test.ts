/** The list of failed settlements that somebody else may still submit, on both databases. */
import { apothem } from "@farthing/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ChainView } from "../../src/chain/follower/chain-view.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Proof } from "../../src/settlement/chain-proofs.ts";
import { createFailureWatch } from "../../src/settlement/failure-watch.ts";
import type { Settlement } from "../../src/index.ts";
import { bothEngines, storeForEach } from "./store-benches.testing.ts";
import { chainId, claimOf, minedIn, type TestStore } from "./store-values.testing.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

/** When the settlements of these tests fail. */
const failedAt = 1_000 * day;

/** Entries of one look. */
const limit = 500;

async function failOne(store: TestStore, validBefore: bigint): Promise<string> {
  const claim = claimOf({ validBefore });
  await store.claimSettlements([claim], 1);
  const failure = { code: "insufficient_funds", message: "m", transaction: null } as const;
  await store.recordFailed([{ id: claim.id, ...failure }], failedAt);
  return claim.id;
}

/** The block in which a payer cancels. */
const canceledAt = 9;

function canceled(settlement: Settlement): Proof {
  const { payer, nonce } = settlement;
  const { transaction, blockNumber, blockHash, logIndex } = minedIn(canceledAt);
  const event = { kind: "canceled" as const, payer, nonce, transaction };
  return { settlement, event: { ...event, blockNumber, blockHash, logIndex } };
}

const seconds = (ms: number) => BigInt(ms / 1_000);

/** When an authorization ends that is looked at meanwhile. */
const endsAt = failedAt + 90_000;

/** The head is a block after the cancellation, and past the end; the block that is final is, or is just before. */
const viewOf = (isPast: boolean): ChainView => ({
  head: { number: canceledAt + 1, hash: "0x1", parentHash: "0x0", time: seconds(endsAt) + 2n },
  finalized: {
    number: isPast ? canceledAt : canceledAt - 1,
    time: isPast ? seconds(endsAt) : seconds(endsAt) - 1n,
  },
  gasPrice: 1n,
  wallets: new Map(),
  seenSecondsAgo: 0,
  walkedTo: canceledAt + 1,
});

describe.each(bothEngines())("%s", (_, start) => {
  const at = storeForEach(start);
  const dueAt = async (now: number) => {
    const due = await at().store.takeFailuresToLookAt(chainId, limit, now);
    return due.map(({ id }) => id);
  };

  test("an authorization without end is looked at ever more rarely, once a day at least", async () => {
    const id = await failOne(at().store, (1n << 256n) - 1n);
    expect(await dueAt(failedAt + minute - 1)).toEqual([]);
    const looks: number[] = [];
    for (let now = failedAt; now < failedAt + 30 * day; now += minute) {
      if ((await dueAt(now)).length > 0) looks.push((now - failedAt) / minute);
      if (looks.length === 12) break;
    }
    expect(looks.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(looks.at(-1)).toBe(2_048);
    const last = failedAt + 2_048 * minute;
    expect(await dueAt(last + day - 1)).toEqual([]);
    expect(await dueAt(last + day)).toEqual([id]);
  });

  test("one that ends is looked at once more after its end, and again until that is final", async () => {
    const { store } = at();
    const end = failedAt + 90_000;
    const id = await failOne(store, seconds(end));
    // Each network's watch asks its own chain.
    expect(await store.takeFailuresToLookAt(50, limit, failedAt + minute)).toEqual([]);
    expect(await dueAt(failedAt + minute)).toEqual([id]);
    expect(await dueAt(end)).toEqual([]);
    expect(await dueAt(end + 30_000)).toEqual([id]);
    expect(await dueAt(end + 60_000)).toEqual([id]);
    await store.endFailureWatches([{ id, validBefore: seconds(end) }]);
    expect(await dueAt(end + day)).toEqual([]);
  });

  test("what expired before it failed is not watched", async () => {
    await failOne(at().store, seconds(failedAt - minute));
    expect(await dueAt(failedAt + 100 * day)).toEqual([]);
  });

  test("one that was paid after all is not looked at again", async () => {
    const { store, bench } = at();
    const id = await failOne(store, (1n << 256n) - 1n);
    await store.recordConfirmed([{ id, mined: minedIn(9) }], failedAt + 1);
    expect(await dueAt(failedAt + day)).toEqual([]);
    expect(await bench.query("select * from failure_watches")).toEqual([]);
  });

  test.each([
    ["a cancellation", (1n << 256n) - 1n, canceled],
    ["its end", seconds(endsAt), undefined],
  ])("%s ends the watch once its block is final, and not before", async (_what, end, proofOf) => {
    const { store, bench } = at();
    await failOne(store, end);
    let now = failedAt + minute;
    let isPast = false;
    const watched: boolean[] = [];
    const isOver = Promise.withResolvers<void>();
    const watch = createFailureWatch({
      chain: { network: apothem },
      log: silentLog,
      store,
      clock: {
        nowMs: () => now,
        async sleep() {
          watched.push((await bench.query("select * from failure_watches")).length > 0);
          now += day;
          if (watched.length === 2) isPast = true;
          if (watched.length < 3) return;
          isOver.resolve();
          await new Promise((resolve) => setImmediate(resolve));
        },
      },
      proofs: {
        find: async (due) =>
          proofOf
            ? { found: due.map(proofOf), unused: [], unexplained: [] }
            : { found: [], unused: due, unexplained: [] },
      },
      view: () => viewOf(isPast),
      conclude: async () => undefined,
    });
    onTestFinished(() => watch.stop());
    watch.start();
    await isOver.promise;
    expect(watched.slice(0, 3)).toEqual([true, true, false]);
  });

  test("of two that look at once, one gets each entry; the longest due comes first", async () => {
    const { store } = at();
    const early = await failOne(store, seconds(failedAt));
    const late = await failOne(store, (1n << 256n) - 1n);
    const looks = await Promise.all([dueAt(failedAt + day), dueAt(failedAt + day)]);
    expect(looks.flat().toSorted()).toEqual([early, late].toSorted());
    const [first] = await store.takeFailuresToLookAt(chainId, 1, failedAt + 2 * day);
    expect(first?.id).toBe(early);
  });

  test("failures of an earlier version are taken in, expired ones are not", async () => {
    const { store, bench } = at();
    const id = await failOne(store, (1n << 256n) - 1n);
    await failOne(store, seconds(failedAt + minute));
    await bench.query("delete from failure_watches");
    const start = failedAt + 60 * minute;
    await store.watchFailedSince(chainId, failedAt + 1, start);
    expect(await dueAt(start + day)).toEqual([]);
    await store.watchFailedSince(chainId, failedAt - 1, start);
    await store.watchFailedSince(chainId, failedAt - 1, start);
    expect(await dueAt(start + day)).toEqual([id]);
  });
});
