/**
 * Sells an API key with its first credits for one payment, without a browser. The payer's address is
 * the account. The payment is a purchase of credits whose payer chose the nonce; the worker of
 * purchases credits it once it is final, also after a crash here.
 *
 * After the settlement everyone can read the payment on chain. Its key is therefore returned by the
 * request that began the purchase, or by one that proves the payment's binding, and once in all.
 */
import {
  bindingNonce,
  bodyHashOf,
  readRequestBinding,
  refusal,
  unitsPerCredit,
  type Address,
  type Payment,
  type Refusal,
  type Requirements,
} from "@farthing/protocol";
import {
  authorizationKeyOf,
  isSettled,
  type Settlement,
  type Verifier,
  type VerifyOptions,
  type Waiters,
} from "@farthing/engine";
import type { Runtime } from "@farthing/engine/base";
import type { EngineStore } from "@farthing/engine/storage";
import { keyModeOf } from "../../http/access/request-key.ts";
import { workingKeysMax } from "../api-keys/service.ts";
import { drawApiKey, type NewApiKey } from "../api-keys/key-text.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { CreditPurchase } from "../purchases/model.ts";
import { isLostPayment } from "../purchases/lost-purchases.ts";
import type { PayOutcome, PayPurchase, PurchasePayment } from "../purchases/payment.ts";
import { purchaseLifetimeMs, type PurchaseOutcome, type Purchases } from "../purchases/service.ts";
import type { PurchaseStore } from "../purchases/store.ts";
import type { PaidKeyStore } from "./store.ts";

/** Many proxies and clients give up after 30 s. */
const outcomeWaitMs = 25_000;

export interface KeyOrder {
  readonly credits: number;
  readonly label: string;
  /** The address of the request, to which a bound payment commits. */
  readonly url: string;
  readonly payment: Payment;
  /** The terms of the challenge on the payment's network. */
  readonly requirements: Requirements;
  readonly treasury: Address;
  readonly requestId: string;
  readonly keylessOf: PurchasePayment["keylessOf"];
}

export interface SoldKey {
  readonly purchase: CreditPurchase;
  readonly settlement: Settlement;
  /** Present in the one response that has the key. */
  readonly made: NewApiKey | undefined;
}

export type SellOutcome =
  | ({ readonly kind: "sold" } & SoldKey)
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly settlement?: Settlement }
  | { readonly kind: "pending"; readonly settlement: Settlement | undefined }
  | { readonly kind: "inactive" | "too_many_keys" }
  | Exclude<PurchaseOutcome, { readonly kind: "created" }>
  | Extract<PayOutcome, { readonly kind: "closed" | "denied" }>;

export interface PaidKeyDeps extends Runtime {
  readonly store: PaidKeyStore &
    Pick<PurchaseStore, "findPurchase"> &
    Pick<AccountStore, "findAccount"> &
    Pick<EngineStore, "findSettlement" | "findSettlementsByKey"> & {
      countWorkingKeys(account: Address, now: number): Promise<number>;
    };
  readonly waiters: Waiters;
  readonly verifier: Pick<Verifier, "verify" | "checkSignature">;
  readonly verifyOptions: VerifyOptions;
  readonly purchases: Purchases;
  readonly payPurchase: PayPurchase;
}

export type SellKey = (order: KeyOrder) => Promise<SellOutcome>;

export function createSellKey(deps: PaidKeyDeps): SellKey {
  return (order) => sell(deps, order);
}

async function sell(deps: PaidKeyDeps, order: KeyOrder): Promise<SellOutcome> {
  const binding = checkBinding(order);
  if (binding === "mismatch") return { kind: "refused", refusal: refusal("binding_mismatch") };
  const key = authorizationKeyOf(order);
  const known = await deps.store.findPurchaseByPayment(key);
  if (known) return conclude(deps, order, known, { mayHaveKey: binding === "proven" });
  const [claimed] = await deps.store.findSettlementsByKey([key]);
  const isLost = claimed !== undefined && isLostPayment(claimed, order.treasury);
  const begun = await (isLost ? recover(deps, order, claimed) : begin(deps, order));
  // Others may have seen a payment on the chain that was lost here.
  const mayHaveKey = !isLost || binding === "proven";
  if (begun.kind === "created") return conclude(deps, order, begun.purchase, { mayHaveKey });
  const other = begun.kind === "too_many" && (await deps.store.findPurchaseByPayment(key));
  return other ? conclude(deps, order, other, { mayHaveKey: binding === "proven" }) : begun;
}

/** Makes the purchase of a payment again that the database had lost, at its own price. */
async function recover(
  deps: PaidKeyDeps,
  { payment, requirements }: KeyOrder,
  paid: Settlement,
): Promise<PurchaseOutcome | SellOutcome> {
  const signed = await deps.verifier.checkSignature({ payment, requirements }, paid);
  if (!signed.ok) return { kind: "refused", refusal: signed.refusal };
  if (paid.amount % unitsPerCredit !== 0n) {
    return { kind: "refused", refusal: refusal("nonce_already_used") };
  }
  const { chainId, payer, nonce, validBefore } = paid;
  const expiresAt = Number(validBefore) * 1_000;
  const credits = Number(paid.amount / unitsPerCredit);
  return deps.purchases.create({
    account: payer,
    chainId,
    credits,
    payer,
    signed: { nonce, expiresAt },
  });
}

/** Verifies first: strangers must not fill the table with payments that move nothing. */
async function begin(deps: PaidKeyDeps, order: KeyOrder): Promise<PurchaseOutcome | SellOutcome> {
  const { payment, requirements } = order;
  const { from: account, nonce, validBefore } = payment.authorization;
  const now = deps.clock.nowMs();
  if (validBefore > BigInt(Math.floor((now + purchaseLifetimeMs) / 1000))) {
    const message = "The authorization is valid for more than an hour; sign a shorter one.";
    return { kind: "refused", refusal: refusal("invalid_payload", message) };
  }
  if ((await deps.store.findAccount(account))?.plan === "inactive") return { kind: "inactive" };
  if ((await deps.store.countWorkingKeys(account, now)) >= workingKeysMax) {
    return { kind: "too_many_keys" };
  }
  const verified = await deps.verifier.verify({ payment, requirements }, deps.verifyOptions);
  if (!verified.ok) return { kind: "refused", refusal: verified.refusal };
  // It has paid for something else, such as a purchase in the dashboard.
  const [claimed] = await deps.store.findSettlementsByKey([authorizationKeyOf(order)]);
  if (claimed) return { kind: "refused", refusal: refusal("nonce_already_used") };
  const { chainId } = payment.network;
  const signed = { nonce, expiresAt: Number(validBefore) * 1000 };
  const { credits } = order;
  return deps.purchases.create({ account, chainId, credits, payer: account, signed });
}

async function conclude(
  deps: PaidKeyDeps,
  order: KeyOrder,
  purchase: CreditPurchase,
  { mayHaveKey }: { readonly mayHaveKey: boolean },
): Promise<SellOutcome> {
  const paid = await pay(deps, order, purchase);
  if (paid.kind !== "purchase") return paid;
  const { settlementId } = paid.purchase;
  const settlement = settlementId === null ? undefined : await outcomeOf(deps, settlementId);
  if (settlement?.state === "failed") {
    const { failure, failureMessage } = settlement;
    const why = refusal(failure ?? "transaction_reverted", failureMessage ?? undefined);
    return { kind: "refused", refusal: why, settlement };
  }
  if (settlement?.state !== "confirmed") return { kind: "pending", settlement };
  const made = mayHaveKey ? await makeKey(deps, order, paid.purchase) : undefined;
  const newest = (await deps.store.findPurchase(purchase.id)) ?? paid.purchase;
  return { kind: "sold", purchase: newest, settlement, made };
}

async function pay(
  deps: PaidKeyDeps,
  { payment, requestId, keylessOf }: KeyOrder,
  { id, account }: CreditPurchase,
): Promise<Exclude<PayOutcome, { kind: "refused" }> | Extract<SellOutcome, { kind: "refused" }>> {
  const { authorization, signature } = payment;
  const shown = { account, id, signature, authorization, requestId, keylessOf };
  const paid = await deps.payPurchase(shown);
  if (paid === undefined) throw new Error("a purchase of the payer is there");
  return paid.kind === "refused" ? { kind: "refused", refusal: paid.refusal } : paid;
}

async function outcomeOf(deps: PaidKeyDeps, settlementId: string): Promise<Settlement | undefined> {
  // The waiter is registered before the read, so that no change in between is missed.
  const waiting = deps.waiters.wait(settlementId, "outcome", outcomeWaitMs);
  let settlement = await deps.store.findSettlement(settlementId);
  if (settlement && !isSettled(settlement)) {
    await waiting.done;
    settlement = await deps.store.findSettlement(settlementId);
  }
  waiting.cancel();
  return settlement;
}

async function makeKey(
  deps: PaidKeyDeps,
  { label, payment }: KeyOrder,
  { id: purchaseId, account, keyId }: CreditPurchase,
): Promise<NewApiKey | undefined> {
  if (keyId !== null) return undefined;
  const now = deps.clock.nowMs();
  const mode = keyModeOf(payment.network.chainId);
  const made = drawApiKey(now, { account, label, mode });
  const isAdded = await deps.store.addPaidKey(purchaseId, made.key, {
    workingMax: workingKeysMax,
    now,
  });
  if (!isAdded) return undefined;
  deps.log.info(
    { event: "api_key_sold", account, keyId: made.key.id, mode, purchaseId },
    "API key sold",
  );
  return made;
}

/** The salt of a bound payment is not on chain, so it proves that its payer sends the request. */
function checkBinding({ payment, url, treasury }: KeyOrder): "proven" | "unbound" | "mismatch" {
  const { salt } = readRequestBinding(payment.extensions);
  if (salt === undefined) return "unbound";
  const bodyHash = bodyHashOf(new Uint8Array());
  const nonce = bindingNonce({ salt, method: "POST", url, bodyHash, payTo: treasury });
  return nonce === payment.authorization.nonce ? "proven" : "mismatch";
}
