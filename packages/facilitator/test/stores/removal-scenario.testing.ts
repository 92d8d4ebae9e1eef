/** The part of the scenario that reads what outlives settlements, and removes what is over. */
import type { Address } from "@farthing/protocol";
import type { ServiceStore } from "../../src/features/open-store.ts";
import { monthOf } from "../../src/features/revenue/participant.ts";
import { keepChannels } from "./channel-scenario.testing.ts";
import { chainId, claimOf, next } from "./store-values.testing.ts";

/** Removes signed bytes, settlements from the first one that was ever sent on, and identifiers. */
export async function removeWhatIsOver(
  store: ServiceStore,
  at: { readonly account: Address; readonly block: number; readonly now: number },
): Promise<void> {
  const { account, block, now } = at;
  const identifier = `pay_${next()}`;
  const claim = claimOf({ identifier, validBefore: 1n, account, price: 1 });
  await store.claimSettlements([claim], now);
  await store.findIdentifierConflicts([claim], now);
  const why = { code: "transaction_reverted", message: "m", transaction: null } as const;
  await store.recordFailed([{ id: claim.id, ...why }], now);
  await store.endFailureWatches([claim]);
  const terms = { madeBefore: now + 1, endedBefore: 1_000, limit: 3 };
  const place = { at: now - 1, id: "" };
  const from = { transactionId: -1_000_000_000, failed: place, elsewhere: place };
  const revenue = { chainId, basis: "payer", month: monthOf(now) } as const;
  const { next: following } = await store.listRevenue(account, revenue, { limit: 3 });
  const onward = { from: following ?? { name: "0x", rank: 5n }, limit: 3 };
  await store.listRevenue(account, revenue, onward);
  await store.listRevenueByName(account, revenue, onward);
  for (const order of ["amount", "recent", "payer"] as const) {
    const page = { from: { rank: 5n, name: claim.payer }, limit: 3 };
    await store.listCustomers(account, { chainId, order }, page);
  }
  await store.findRevenue(account, revenue, [onward.from.name]);
  await store.findBooks([`stl_${next()}`]);
  await keepChannels(store, { account, now });
  await store.pruneSettlements(chainId, { ...terms, from }, () => Promise.resolve());
  await store.pruneSignedBytes(chainId, block, 3);
  await store.forgetExpired(now, 5);
  await store.prepareTransactionMonths(now);
  await store.moveClosedTransactions({ since: now, limit: 3 });
  await store.dropTransactionMonths(1);
  await store.prepareDeliveryMonths(now);
  await store.inspectUndivided();
  await store.divideDeliveries();
  await store.prepareEarlierMonths(now);
  await store.moveEarlierDeliveries(3);
  await store.dropDeliveryMonths(1, 3, () => Promise.resolve());
  await logCalls(store, at);
}

async function logCalls(
  store: ServiceStore,
  { account, now }: { readonly account: Address; readonly now: number },
): Promise<void> {
  const call = {
    account,
    keyId: "key",
    mode: "test",
    createdAt: now,
    method: "GET",
    path: "/",
    status: 200,
    durationMs: 1,
    code: null,
    message: null,
    result: null,
    settlementId: null,
    transaction: null,
    asked: {},
  } as const;
  const ids = [`req_${next()}`, `req_${next()}`, `req_${next()}`];
  await store.recordCalls(ids.map((requestId) => ({ ...call, requestId })));
  await store.countCalls(account, { mode: "test", since: 0 });
  const { next: following } = await store.listCalls(account, {}, { limit: 2 });
  await store.listCalls(account, {}, { from: following ?? 0, limit: 2 });
  await store.findCall(account, ids[0] ?? "");
  await store.removeCalls(now, 2);
}
