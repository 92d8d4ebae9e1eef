/** Recovery: a start without the check for reorganised-out blocks, and a payment whose nonce is stored as used. */
import { expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../test/stores/store-benches.testing.ts";
import { chainId, hex32, reserved } from "../../test/stores/store-values.testing.ts";
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

test("a payment that waits while its nonce is stored as used gets its own transaction back, and no other", async () => {
  const store = await openStore("sqlite::memory:");
  onTestFinished(() => store.close());
  const { lease, claim, transaction } = await reserved(store);
  const signed = { id: transaction.id, raw: hex32(7), hash: hex32(8) };
  await store.recordSigned(lease, [signed], 2);
  await store.closeNonce({ ...transaction, hash: signed.hash }, 100);
  const enqueue = vi.fn();
  const recovery = createRecovery({
    chainId,
    log: silentLog,
    store,
    outcomes: {
      catchUp: async () => undefined,
      recheck: async () => undefined,
      unproven: (ids) => ids,
      requeue: async (ids) => [...(await store.requeueSettlements(ids, 3, 0))],
    },
    relayer: { enqueue, onReorganised: async () => undefined },
  });
  await recovery.requeueWaiting([claim.id]);
  const open = await store.listOpenTransactions(chainId, lease.lane);
  expect(open).toMatchObject([{ hash: signed.hash, settlementIds: [claim.id] }]);
  expect(await store.listOpenSettlements(chainId)).toMatchObject([{ state: "submitted" }]);
  expect(enqueue).not.toHaveBeenCalled();
});
