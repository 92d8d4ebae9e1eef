/** The part of the scenario that refunds a payment. */
import { refundNonce, type Address } from "@farthing/protocol";
import type { ServiceStore } from "../../src/features/open-store.ts";
import { claimOf } from "./store-values.testing.ts";

/** A refund that fails, and is signed again. */
export async function refund(
  store: ServiceStore,
  at: { readonly of: string; readonly account: Address; readonly now: number },
): Promise<void> {
  const { of, account, now } = at;
  const payment = await store.findSettlement(of);
  if (!payment) throw new Error("the payment is missing");
  const nonce = refundNonce(payment, 0);
  const parties = { payer: payment.payTo, payTo: payment.payer };
  const terms = { account, price: 1, refund: { of, unitsMin: 1n } };
  const [made, again] = [1, 2].map(() => claimOf({ ...parties, ...terms, nonce }));
  if (!made || !again) throw new Error("there is no claim");
  const why = { code: "transaction_reverted", message: "m", transaction: null } as const;
  for (const claim of [made, again]) {
    await store.claimSettlements([claim], now);
    await store.recordFailed([{ id: made.id, ...why }], now);
  }
  await store.listRefunds([of]);
}
