/**
 * Purchases up to the payment. The nonce of the authorization derives from the purchase's id: a
 * payment on chain names its purchase, which can be paid once only.
 */
import type { EngineStore, Paging, TimeCursor } from "@farthing/engine/storage";
import { createHash, randomBytes } from "node:crypto";
import {
  isSameAddress,
  networkOfChain,
  type Address,
  type Authorization,
  type ChainId,
  type Hex,
  unitsPerCredit,
} from "@farthing/protocol";
import type { AuthorizationKey, Settlement } from "@farthing/engine";
import type { Runtime } from "@farthing/engine/base";
import type { CreditPurchase } from "./model.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { PurchaseStore } from "./store.ts";
import type { WalletStore } from "../sign-in/wallet-store.ts";

/** The time to pay: the owners of a contract wallet have to coordinate. */
export const purchaseLifetimeMs = 60 * 60 * 1000;

/** Unpaid purchases of one account at once; they soon expire. */
export const awaitingMax = 10;

/** A million USDC, more than any balance here. */
export const creditsMax = 1_000_000_000;

export interface PurchaseInput extends Pick<CreditPurchase, "account" | "chainId" | "credits"> {
  /** The wallet that will sign. */
  readonly payer: Address;
  /** A payment that the payer has signed already; expiry in milliseconds since 1970. */
  readonly signed?: { readonly nonce: Hex; readonly expiresAt: number };
}

export type PurchaseOutcome =
  | { readonly kind: "created"; readonly purchase: CreditPurchase }
  /** This service sells no credits. */
  | { readonly kind: "no_treasury" }
  | { readonly kind: "below_minimum" }
  /** The payer is neither the account nor linked to it on this chain, or is the treasury itself. */
  | { readonly kind: "payer_not_linked" }
  /** Too many wait for payment, or the payment is that of another purchase. */
  | { readonly kind: "too_many" };

export interface PurchaseDeps extends Runtime {
  readonly store: PurchaseStore &
    Pick<AccountStore, "ensureAccount" | "findAccount"> &
    Pick<WalletStore, "findWallet">;
  readonly treasury: Address | undefined;
  /** USDC base units. */
  readonly minUnits: bigint;
}

export type Purchases = ReturnType<typeof createPurchases>;

export function createPurchases(deps: PurchaseDeps) {
  const { store, clock, log, treasury } = deps;

  async function create(input: PurchaseInput): Promise<PurchaseOutcome> {
    const { account, chainId, payer, credits } = input;
    if (treasury === undefined) return { kind: "no_treasury" };
    const units = BigInt(credits) * unitsPerCredit;
    if (units < deps.minUnits) return { kind: "below_minimum" };
    const mayPay = await isLinked(store, { account, payer, chainId });
    if (!mayPay || isSameAddress(payer, treasury)) return { kind: "payer_not_linked" };
    const now = clock.nowMs();
    await store.ensureAccount(account, now);
    const id = `pur_${randomBytes(16).toString("hex")}`;
    // Authorizations are signed in whole seconds.
    const unsigned = { expiresAt: Math.floor((now + purchaseLifetimeMs) / 1000) * 1000 };
    const terms = { account, chainId, payer, credits, units };
    const made = { id, ...terms, createdAt: now, ...(input.signed ?? unsigned) };
    if (!(await store.createPurchase(made, { awaitingMax }))) return { kind: "too_many" };
    log.info(
      { event: "purchase_created", account, purchaseId: id, chainId, payer, credits },
      "Purchase created",
    );
    const purchase = await store.findPurchase(id, account);
    return purchase ? { kind: "created", purchase } : { kind: "too_many" };
  }

  /** Cancels a purchase that waits for payment; returns it in any state. */
  async function cancel(account: Address, id: string): Promise<CreditPurchase | undefined> {
    const move = { to: "canceled" } as const;
    const found = await store.findPurchase(id, account);
    if (found?.state !== "awaiting_payment") return found;
    const canceled = await store.movePurchase(id, "awaiting_payment", move, clock.nowMs());
    if (canceled)
      log.info({ event: "purchase_canceled", account, purchaseId: id }, "Purchase canceled");
    return canceled ?? store.findPurchase(id, account);
  }

  return {
    create,
    cancel,
    /** Newest first. */
    list: (account: Address, paging: Paging<TimeCursor>) => store.listPurchases(account, paging),
  };
}

/** A contract wallet may pay on its own chain only. */
export async function isLinked(
  store: Pick<AccountStore, "findAccount"> & Pick<WalletStore, "findWallet">,
  who: { readonly account: Address; readonly payer: Address; readonly chainId: ChainId },
): Promise<boolean> {
  const isOwn = isSameAddress(who.account, who.payer);
  const chainId = isOwn
    ? (await store.findAccount(who.account))?.contractChainId
    : (await store.findWallet(who.account, who.payer))?.chainId;
  // An account's own address may pay before its chain is known; other wallets must be linked.
  if (chainId === undefined) return isOwn;
  return chainId === null || chainId === who.chainId;
}

export function purchaseNonce({ id, nonce }: Pick<CreditPurchase, "id" | "nonce">): Hex {
  return nonce ?? `0x${createHash("sha256").update(`farthing purchase ${id}`).digest("hex")}`;
}

/** The authorization key of the payment. */
export function purchaseKey(purchase: CreditPurchase): AuthorizationKey | undefined {
  const { chainId, payer } = purchase;
  if (payer === null) return undefined;
  return { chainId, asset: networkOfChain(chainId).usdc, payer, nonce: purchaseNonce(purchase) };
}

export function purchaseAuthorization(
  purchase: CreditPurchase,
  { payer, treasury }: { readonly payer: Address; readonly treasury: Address },
): Authorization {
  return {
    from: payer,
    to: treasury,
    value: purchase.units,
    validAfter: 0n,
    validBefore: BigInt(purchase.expiresAt / 1000),
    nonce: purchaseNonce(purchase),
  };
}

/** Whether a settlement with the purchase's nonce also pays its price to the treasury. */
function paysPurchase(
  settlement: Pick<Settlement, "payTo" | "amount" | "refundOf">,
  purchase: Pick<CreditPurchase, "units">,
  treasury: Address | undefined,
): boolean {
  return (
    treasury !== undefined &&
    settlement.refundOf === null &&
    isSameAddress(settlement.payTo, treasury) &&
    settlement.amount === purchase.units
  );
}

/** Finds the settlement of a purchase by its nonce; undefined when it does not pay the price. */
export async function findPaymentOf(
  store: Pick<EngineStore, "findSettlementsByKey">,
  purchase: CreditPurchase,
  treasury: Address | undefined,
): Promise<Settlement | undefined> {
  const key = purchaseKey(purchase);
  const [found] = key ? await store.findSettlementsByKey([key]) : [];
  return found && paysPurchase(found, purchase, treasury) ? found : undefined;
}

/** Whether the nonce is that of a refund to the treasury, which buys nothing. */
export async function isRefunding(
  store: Pick<EngineStore, "findSettlementsByKey">,
  purchase: CreditPurchase,
): Promise<boolean> {
  const key = purchaseKey(purchase);
  const [found] = key ? await store.findSettlementsByKey([key]) : [];
  return found !== undefined && found.refundOf !== null;
}
