/** Purchases of credits for tests of stores. */
import type { Address, Hex } from "@farthing/protocol";
import type { PurchaseMove, PurchaseState } from "../../src/features/purchases/model.ts";
import { chainId, hex32, next } from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

const seller: Address = `0x${"33".repeat(20)}`;
const other: Address = `0x${"44".repeat(20)}`;

/** A purchase that awaits payment; gives its id. */
export async function purchased(
  store: ServiceStore,
  changes: { createdAt?: number; account?: Address; payer?: Address; nonce?: Hex } = {},
) {
  const id = `pur_${next()}`;
  const { createdAt = 1_000, account = seller, payer = null, nonce = null } = changes;
  const purchase = { id, account, chainId, payer, nonce, credits: 500, units: 500_000n };
  const times = { createdAt, expiresAt: createdAt + 1_000 };
  await store.createPurchase({ ...purchase, ...times }, { awaitingMax: 20 });
  return id;
}

/** Every move, as it can be made. */
export const purchaseSteps: Readonly<Record<PurchaseState, (logIndex: number) => PurchaseMove>> = {
  awaiting_payment: () => ({ to: "awaiting_payment" }),
  settling: () => ({ to: "settling", payer: other, settlementId: null }),
  confirmed: (logIndex) => ({ to: "confirmed", transaction: hex32(9), blockNumber: 7, logIndex }),
  held: () => ({ to: "held", holdReason: "amount_above_limit" }),
  credited: () => ({ to: "credited" }),
  rejected: () => ({ to: "rejected", reviewer: "op", reviewNote: "no" }),
  failed: () => ({ to: "failed", failureMessage: "reverted" }),
  expired: () => ({ to: "expired" }),
  canceled: () => ({ to: "canceled" }),
};

/** Brings a purchase to a state by the shortest way. */
export async function bringPurchase(store: ServiceStore, to: PurchaseState): Promise<string> {
  const ways: Readonly<Partial<Record<PurchaseState, PurchaseState[]>>> = {
    settling: ["settling"],
    confirmed: ["settling", "confirmed"],
    held: ["settling", "confirmed", "held"],
    credited: ["settling", "confirmed", "credited"],
    rejected: ["settling", "confirmed", "held", "rejected"],
    failed: ["settling", "failed"],
    expired: ["expired"],
    canceled: ["canceled"],
  };
  const id = await purchased(store);
  let from: PurchaseState = "awaiting_payment";
  for (const state of ways[to] ?? []) {
    const moved = await store.movePurchase(id, from, purchaseSteps[state](next()), 2_000);
    if (moved?.state !== state) throw new Error(`a purchase did not go from ${from} to ${state}`);
    from = state;
  }
  return id;
}
