/** The list of watched failures: what an earlier version did not write is added, however many tries that takes. */
import { networkOfChain } from "@farthing/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { silentLog } from "../base/log.ts";
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
    evidence: { lookUp: async () => ({ found: [], unused: [], untold: [] }) },
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
