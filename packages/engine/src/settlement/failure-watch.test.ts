/** The list of watched failures: what an earlier version did not write is added, however many tries that takes. */
import { networkOfChain } from "@farthing/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { silentLog } from "../base/log.ts";
import type { ChainView } from "../chain/follower/chain-view.ts";
import { createFailureWatch } from "./failure-watch.ts";

test("failures of an earlier version are watched once the database could be asked for them", async () => {
  const watchFailedSince = vi.fn(async (_chain: number, _since: number) => undefined);
  watchFailedSince.mockRejectedValueOnce(new Error("canceling statement due to statement timeout"));
  let now = 10_000_000_000;
  let looks = 0;
  const watch = createFailureWatch({
    chain: { network: networkOfChain(50) },
    log: silentLog,
    store: {
      watchFailedSince,
      takeFailuresToLookAt: async () => [],
      endFailureWatches: async () => undefined,
    },
    clock: {
      nowMs: () => now,
      sleep: (ms) => {
        now += ms;
        looks++;
        return new Promise((resolve) => setImmediate(resolve));
      },
    },
    proofs: { find: async () => ({ found: [], unused: [], unexplained: [] }) },
    view: () => undefined,
    conclude: async () => undefined,
  });
  onTestFinished(() => watch.stop());
  watch.start();
  await vi.waitFor(() => expect(looks).toBeGreaterThan(3));
  expect(watchFailedSince).toHaveBeenCalledTimes(2);
  // From the same time on, or what failed first would be left out.
  const [first, second] = watchFailedSince.mock.calls;
  expect(second?.[1]).toBe(first?.[1]);
});

test("while the node is away, the list is gone through ever more seldom", async () => {
  let now = 10_000_000_000;
  let looks = 0;
  const isOver = Promise.withResolvers<void>();
  const startMs = now;
  const watch = createFailureWatch({
    chain: { network: networkOfChain(50) },
    log: silentLog,
    store: {
      watchFailedSince: async () => undefined,
      takeFailuresToLookAt: async () => {
        looks++;
        throw new Error("RPC endpoint 0: no answer (ECONNREFUSED)");
      },
      endFailureWatches: async () => undefined,
    },
    clock: {
      nowMs: () => now,
      async sleep(ms) {
        now += ms;
        if (now < startMs + 3_600_000) return;
        isOver.resolve();
        await new Promise((resolve) => setImmediate(resolve));
      },
    },
    proofs: { find: async () => ({ found: [], unused: [], unexplained: [] }) },
    view: () => viewOf(1),
    conclude: async () => undefined,
  });
  onTestFinished(() => watch.stop());
  watch.start();
  await isOver.promise;
  // Ten seconds doubled up to five minutes fit seventeen times into an hour.
  expect(looks).toBeLessThanOrEqual(18);
});

const viewOf = (number: number): ChainView => ({
  head: { number, hash: "0x1", parentHash: "0x0", time: 0n },
  finalized: { number, time: 0n },
  gasPrice: 1n,
  wallets: new Map(),
  seenSecondsAgo: 0,
  walkedTo: number,
});
