/** What a start goes on without: a question that the node refuses is asked again with a later block. */
import { expect, test, vi } from "vitest";
import { Fault } from "../base/fault.ts";
import { silentLog } from "../base/log.ts";
import { createStock } from "./recovery.ts";

test("a start goes on where the node refuses to say which blocks vanished", async () => {
  const recheck = vi.fn(async () => undefined);
  recheck.mockRejectedValueOnce(new Fault("rpc_unavailable", "rate limited"));
  const stock = createStock({
    chainId: 50,
    log: silentLog,
    store: {
      listOpenSettlements: async () => [],
      reopenTransactions: async () => undefined,
      findRevertedTwice: async () => new Set(),
    },
    book: { catchUp: async () => undefined, recheck, missing: () => [], requeue: async () => [] },
    relayer: { enqueue: () => undefined, onReorganised: async () => undefined },
  });
  expect(await stock.take()).toEqual([]);
  expect(stock.isDue()).toBe(true);
  stock.onBlock();
  await vi.waitFor(() => expect(recheck).toHaveBeenCalledTimes(2));
  expect(stock.isDue()).toBe(false);
});
