/** Recovery at start succeeds without the check for reorganised-out blocks, which is repeated later. */
import { expect, test, vi } from "vitest";
import { Fault } from "../base/fault.ts";
import { silentLog } from "../base/log.ts";
import { createRecovery } from "./recovery.ts";

test("a start goes on where the node refuses to say which blocks were reorganised out", async () => {
  const recheck = vi.fn(async () => undefined);
  recheck.mockRejectedValueOnce(new Fault("rpc_unavailable", "rate limited"));
  const recovery = createRecovery({
    chainId: 50,
    log: silentLog,
    store: {
      listOpenSettlements: async () => [],
      reopenTransactions: async () => undefined,
      findRevertedTwice: async () => new Set(),
    },
    outcomes: {
      catchUp: async () => undefined,
      recheck,
      unproven: () => [],
      requeue: async () => [],
    },
    relayer: { enqueue: () => undefined, onReorganised: async () => undefined },
  });
  expect(await recovery.run()).toEqual([]);
  expect(recovery.isDue()).toBe(true);
  recovery.onBlock();
  await vi.waitFor(() => expect(recheck).toHaveBeenCalledTimes(2));
  expect(recovery.isDue()).toBe(false);
});
