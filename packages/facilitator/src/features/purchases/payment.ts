/**
 * The payment of a purchase: an x402 payment to the treasury through the engine, without a key and
 * without a price. The purchase leaves `awaiting_payment` before the claim; after any interruption
 * the payment is found by its nonce, which is derived from the purchase's id.
 */
import {
  networkOfChain,
  requestFor,
  type Address,
  type Authorization,
  type ChainId,
  type Hex,
  type Refusal,
} from "@farthing/protocol";
import { createFindPurchase, type LostPurchaseDeps } from "./lost-purchases.ts";
import { findPaymentOf, purchaseAuthorization } from "./service.ts";
import {
  type GasRefusal,
  isGasRefusal,
  isNotAdmitted,
  type KeylessTerms,
  type Settle,
  type Settlement,
  type SettleOptions,
} from "@farthing/engine";
import type { CreditPurchase, PurchaseMove } from "./model.ts";

/** The same wait for the broadcast as in an asynchronous settle. */
const broadcastWaitMs = 500;

/** Reads of a purchase that other calls change at the same moment. */
const readsMax = 3;

export type PayOutcome =
  /** The payment is claimed, was claimed before, or is over, as the state shows. */
  | { readonly kind: "purchase"; readonly purchase: CreditPurchase }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly purchase: CreditPurchase }
  /** It cannot be paid any more; the payment was not verified. */
  | { readonly kind: "closed"; readonly purchase: CreditPurchase }
  /** The gas budget of buyers is used up; the purchase can be paid later. */
  | { readonly kind: "denied"; readonly code: GasRefusal };

export interface PurchasePayment {
  readonly account: Address;
  readonly id: string;
  readonly signature: Hex;
  /** What was signed, where the payer wrote it; derived from the purchase when left out. */
  readonly authorization?: Authorization;
  readonly requestId: string;
  /** The gas limits of callers without a key, as they apply to the buyer. */
  keylessOf(chainId: ChainId): KeylessTerms | undefined;
}

export interface PayDeps extends LostPurchaseDeps {
  readonly settle: Settle;
  readonly marginSeconds: bigint;
}

/**
 * Pays a purchase, or returns the state of its earlier payment; undefined when the account has no
 * such purchase. Faults that it throws lose nothing.
 */
export type PayPurchase = (payment: PurchasePayment) => Promise<PayOutcome | undefined>;

export function createPayPurchase(deps: PayDeps): PayPurchase {
  const { store, clock, treasury } = deps;
  const findPurchase = createFindPurchase(deps);

  async function pay(payment: PurchasePayment, reads = 1): Promise<PayOutcome | undefined> {
    const purchase = await findPurchase(payment.account, payment.id);
    if (!purchase) return undefined;
    const { state, settlementId, payer } = purchase;
    // The first payment counts; later calls return its result.
    if (settlementId !== null || paidStates.has(state)) return { kind: "purchase", purchase };
    const isOver = purchase.expiresAt <= clock.nowMs();
    // It may have been paid in time, and have lost its row since.
    const early = isOver ? await findPaymentOf(store, purchase, treasury) : undefined;
    if (early && openStates.has(state)) return named(deps, purchase, early);
    if (!openStates.has(state) || isOver || payer === null || treasury === undefined) {
      return { kind: "closed", purchase };
    }
    const begun = { to: "settling", payer, settlementId: null } as const;
    const isFirst = await move(deps, purchase, ["awaiting_payment"], begun);
    // Another call has begun the payment, or the owner has just canceled it.
    const now = isFirst ?? (await store.findPurchase(purchase.id));
    if (now?.state !== "settling") {
      return reads < readsMax ? pay(payment, reads + 1) : { kind: "closed", purchase };
    }
    const { signature, authorization = purchaseAuthorization(purchase, { payer, treasury }) } =
      payment;
    const network = networkOfChain(purchase.chainId);
    const terms = { amount: purchase.units, payTo: treasury };
    const request = requestFor(network, { authorization, signature }, terms);
    const result = await deps
      .settle(request, settleOptions(deps, payment, purchase.chainId))
      .catch(async (error: unknown) => {
        // The buyer can sign again, also from a reloaded page.
        if (isFirst && isNotAdmitted(error)) {
          await move(deps, purchase, ["settling"], { to: "awaiting_payment" });
        }
        throw error;
      });
    if (result.kind === "settlement") return named(deps, purchase, result.settlement);
    // Only the call that began the payment reverts it; the payment of another call may succeed.
    if (isFirst) await move(deps, purchase, ["settling"], { to: "awaiting_payment" });
    const settlement = await findPaymentOf(store, purchase, treasury);
    if (settlement) return named(deps, purchase, settlement);
    if (result.kind === "denied") {
      // Without a key there is no account that could refuse.
      return isGasRefusal(result.code)
        ? { kind: "denied", code: result.code }
        : { kind: "closed", purchase };
    }
    return { kind: "refused", refusal: result.refusal, purchase };
  }

  return (payment) => pay(payment);
}

async function named(
  deps: PayDeps,
  purchase: CreditPurchase,
  settlement: Settlement,
): Promise<PayOutcome> {
  const { id: settlementId, payer } = settlement;
  const transition = { to: "settling", payer, settlementId } as const;
  const moved = await move(deps, purchase, ["settling", "awaiting_payment"], transition);
  const newest = moved ?? (await deps.store.findPurchase(purchase.id)) ?? purchase;
  return { kind: "purchase", purchase: newest };
}

/** Makes a transition from whichever of these states the purchase is in. */
async function move(
  deps: PayDeps,
  { id, account }: CreditPurchase,
  states: readonly ("settling" | "awaiting_payment")[],
  to: PurchaseMove,
): Promise<CreditPurchase | undefined> {
  for (const from of states) {
    const moved = await deps.store.movePurchase(id, from, to, deps.clock.nowMs());
    if (!moved) continue;
    const { state, settlementId } = moved;
    deps.log.info(
      { event: `purchase_${state}`, account, purchaseId: id, settlementId },
      `Purchase ${state}`,
    );
    return moved;
  }
  return undefined;
}

function settleOptions(
  deps: PayDeps,
  { requestId, keylessOf }: PurchasePayment,
  chainId: ChainId,
): SettleOptions {
  return {
    served: (version, network) => version === 2 && deps.networks.includes(network),
    marginSeconds: deps.marginSeconds,
    unitsMin: 0n,
    owner: null,
    priority: "open",
    keyId: null,
    credits: 0,
    requestId,
    terms: { keyless: keylessOf(chainId) },
    exchange: null,
    goal: "broadcast",
    timeoutMs: broadcastWaitMs,
    repeatTimeoutMs: 0,
  };
}

const openStates: ReadonlySet<string> = new Set(["awaiting_payment", "settling"]);

const paidStates: ReadonlySet<string> = new Set(["confirmed", "held", "credited", "rejected"]);
