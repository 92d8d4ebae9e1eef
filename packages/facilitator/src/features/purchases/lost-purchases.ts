/**
 * Purchases whose rows the database has lost, as after the restoration of a backup. The nonce of the
 * payment derives from the purchase's id, which only its account was told; so whoever asks for the id
 * with the account that paid gets the purchase again, and its credits once.
 */
import { isSameAddress, unitsPerCredit, type Address, type Network } from "@farthing/protocol";
import type { Settlement, SettlementEngine } from "@farthing/engine";
import type { Runtime } from "@farthing/engine/base";
import type { EngineStore } from "@farthing/engine/storage";
import type { AccountStore } from "../accounts/store.ts";
import type { WalletStore } from "../sign-in/wallet-store.ts";
import type { CreditPurchase } from "./model.ts";
import { awaitingMax, isLinked, purchaseNonce } from "./service.ts";
import type { PurchaseStore } from "./store.ts";

export interface LostPurchaseDeps extends Runtime {
  readonly store: PurchaseStore &
    Pick<EngineStore, "findSettlementsByKey"> &
    Pick<AccountStore, "findAccount"> &
    Pick<WalletStore, "findWallet" | "listWallets">;
  readonly treasury: Address | undefined;
  readonly networks: readonly Network[];
  readonly engine: Pick<SettlementEngine, "refuseWhileBehind">;
}

/**
 * Returns an account's purchase, also a lost one that was paid; undefined where there is none. Throws
 * `storage_behind` while the database may lack it.
 */
export type FindPurchase = (account: Address, id: string) => Promise<CreditPurchase | undefined>;

/** Whether the database had lost this payment to the treasury, and the chain has shown it. */
export function isLostPayment(settlement: Settlement, treasury: Address | undefined): boolean {
  const { recoveredAt, refundOf, payTo } = settlement;
  return (
    recoveredAt !== null &&
    refundOf === null &&
    treasury !== undefined &&
    isSameAddress(payTo, treasury)
  );
}

export function createFindPurchase(deps: LostPurchaseDeps): FindPurchase {
  const { store, clock, log, treasury } = deps;

  /** The payment, by whichever of the account's wallets, that has the purchase's nonce. */
  async function findPayment(account: Address, id: string): Promise<Settlement | undefined> {
    const nonce = purchaseNonce({ id, nonce: null });
    const linked = await store.listWallets(account);
    const payers = [account, ...linked.map(({ address }) => address)];
    const keys = deps.networks.flatMap(({ chainId, usdc: asset }) =>
      payers.map((payer) => ({ chainId, asset, payer, nonce })),
    );
    const found = await store.findSettlementsByKey(keys);
    const payment = found.find((one) => one !== undefined && isLostPayment(one, treasury));
    if (!payment || payment.amount % unitsPerCredit !== 0n) return undefined;
    const { payer, chainId } = payment;
    return (await isLinked(store, { account, payer, chainId })) ? payment : undefined;
  }

  async function recover(account: Address, id: string): Promise<CreditPurchase | undefined> {
    const payment = await findPayment(account, id);
    if (!payment) return undefined;
    const { chainId, payer, amount: units, validBefore, id: settlementId } = payment;
    const now = clock.nowMs();
    const credits = Number(units / unitsPerCredit);
    const times = { createdAt: now, expiresAt: Number(validBefore) * 1_000 };
    const made = { id, account, chainId, payer, credits, units, ...times };
    // Another call may have made it meanwhile.
    await store.createPurchase(made, { awaitingMax }).catch(async (error: unknown) => {
      if (!(await store.findPurchase(id, account))) throw error;
    });
    const paid = { to: "settling", payer, settlementId } as const;
    const moved = await store.movePurchase(id, "awaiting_payment", paid, now);
    if (moved) {
      log.warn(
        { event: "purchase_recovered", account, purchaseId: id, settlementId, credits },
        "Purchase recovered from its payment: the database had lost it",
      );
    }
    return moved ?? store.findPurchase(id, account);
  }

  return async (account, id) => {
    const purchase = (await store.findPurchase(id, account)) ?? (await recover(account, id));
    if (!purchase) await deps.engine.refuseWhileBehind();
    return purchase;
  };
}
