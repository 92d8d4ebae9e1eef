/**
 * Advances purchases to their final state: credited once their payment is final, held when a rule
 * requires it, failed, or expired. The worker reads the store and makes one guarded transition at a
 * time. A crash between two transitions loses nothing, because the next poll continues; when
 * several processes see the same purchase, one of them makes the transition. The transition to
 * `credited` adds the credits.
 */
import type { Page, Paging, EngineStore } from "@farthing/engine/storage";
import type { Address } from "@farthing/protocol";
import { findPaymentOf, isLinked, isRefunding } from "./service.ts";
import type { Settlement } from "@farthing/engine";
import { assert, startPoll, warning, type Runtime } from "@farthing/engine/base";
import type { CreditPurchase, HoldReason, PurchaseMove, PurchaseState } from "./model.ts";
import type { PurchaseCursor, PurchaseStore } from "./store.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { WalletStore } from "../sign-in/wallet-store.ts";

/** Half a block, so that final purchases are soon credited. */
const pollMs = 1_000;

/** Bounds one list of a poll; the next poll continues behind it, so that none is delayed. */
const purchasesMax = 200;

/** A payment without a settlement after this long belongs to a process that died. */
const abandonedMs = 2 * 60 * 1000;

/** The period over which purchases of an account are added up. */
const dayMs = 24 * 60 * 60 * 1000;

/** Authorizations are valid for minutes; the rest covers outages of the service. */
const failedWatchedMs = 30 * dayMs;

/** The log of a third party's transaction that paid a purchase. */
export type PaidElsewhere = Omit<Extract<PurchaseMove, { readonly to: "confirmed" }>, "to">;

export interface WorkerDeps extends Runtime {
  readonly store: PurchaseStore &
    Pick<EngineStore, "findSettlement" | "findSettlementsByKey"> &
    Pick<AccountStore, "findAccount"> &
    Pick<WalletStore, "findWallet">;
  readonly treasury: Address | undefined;
  /** USDC base units: a purchase above it is held, and one that brings its day above it. */
  readonly reviewAboveUnits: bigint;
  /**
   * How a purchase's authorization ended, once no block can carry it any more: unused, used for
   * this payment, or otherwise. Undefined while it may still be used. Throws RPC faults.
   */
  readEnd(
    purchase: CreditPurchase,
    treasury: Address | undefined,
  ): Promise<"unpaid" | PaidElsewhere | undefined>;
  onMoved(purchase: CreditPurchase): void;
}

export type PurchaseWorker = ReturnType<typeof createPurchaseWorker>;

/** Creates the worker without starting it. */
export function createPurchaseWorker(deps: WorkerDeps) {
  const { store, clock, log } = deps;
  /** The start of the next poll of each list; the first purchase when left out. */
  const cursors = new Map<PurchaseState, PurchaseCursor>();

  /** Advances every purchase that can advance, once. */
  async function poll(): Promise<void> {
    const now = clock.nowMs();
    for (const state of ["settling", "confirmed"] as const) {
      await advanceAll(state, (paging) => store.listPurchasesIn(state, paging), advance);
    }
    const first = { at: now - failedWatchedMs, id: "" };
    // Money that moved late is reported as moved.
    await advanceAll(
      "failed",
      ({ from = first, limit }) => store.listPaidAfterFailure({ from, limit }),
      advance,
    );
    for (const state of ["awaiting_payment", "canceled"] as const) {
      await advanceAll(state, (paging) => store.listExpiredPurchases(state, now, paging), end);
    }
  }

  async function advanceAll(
    state: PurchaseState,
    list: (paging: Paging<PurchaseCursor>) => Promise<Page<CreditPurchase, PurchaseCursor>>,
    step: (deps: WorkerDeps, purchase: CreditPurchase) => Promise<void>,
  ): Promise<void> {
    const { items, next } = await list({ from: cursors.get(state), limit: purchasesMax });
    if (next) cursors.set(state, next);
    else cursors.delete(state);
    for (const purchase of items) {
      const fields = { event: "purchase_transition_failed", purchaseId: purchase.id };
      // Other purchases continue.
      await step(deps, purchase).catch(
        warning(log, fields, "Purchase transition failed; retrying with the next poll"),
      );
    }
  }

  return { poll };
}

async function advance(deps: WorkerDeps, purchase: CreditPurchase): Promise<void> {
  if (purchase.state === "confirmed") return conclude(deps, purchase);
  const settlement = await findPayment(deps, purchase);
  if (!settlement) {
    const isAbandoned = purchase.updatedAt + abandonedMs <= deps.clock.nowMs();
    if (isAbandoned) await move(deps, purchase, { to: "awaiting_payment" });
    return;
  }
  if (settlement.state === "failed" && purchase.state !== "failed") {
    await move(deps, purchase, { to: "failed", failureMessage: settlement.failureMessage ?? "" });
  } else if (settlement.finalizedAt !== null) {
    await confirm(deps, purchase, settlement);
  } else if (purchase.settlementId === null) {
    await move(deps, purchase, {
      to: "settling",
      payer: settlement.payer,
      settlementId: settlement.id,
    });
  }
}

async function findPayment(
  deps: WorkerDeps,
  purchase: CreditPurchase,
): Promise<Settlement | undefined> {
  // This settlement was checked when it was stored; the treasury may have changed since.
  if (purchase.settlementId !== null) return deps.store.findSettlement(purchase.settlementId);
  return findPaymentOf(deps.store, purchase, deps.treasury);
}

async function confirm(
  deps: WorkerDeps,
  purchase: CreditPurchase,
  settlement: Settlement,
): Promise<void> {
  const { transaction, blockNumber, logIndex } = settlement;
  assert(transaction !== null, "a final settlement has a transaction");
  assert(blockNumber !== null && logIndex !== null, "a final settlement has a log");
  const paid = { to: "confirmed", transaction, blockNumber, logIndex } as const;
  const confirmed = await move(deps, purchase, paid);
  if (confirmed) await conclude(deps, confirmed);
}

async function conclude(deps: WorkerDeps, purchase: CreditPurchase): Promise<void> {
  const holdReason = await findHoldReason(deps, purchase);
  await move(deps, purchase, holdReason ? { to: "held", holdReason } : { to: "credited" });
}

async function findHoldReason(
  deps: WorkerDeps,
  purchase: CreditPurchase,
): Promise<HoldReason | undefined> {
  const { account, payer, chainId, units } = purchase;
  if (units > deps.reviewAboveUnits) return "amount_above_limit";
  if (payer === null || !(await isLinked(deps.store, { account, payer, chainId }))) {
    return "sender_not_linked";
  }
  // Several small purchases must not avoid the review of a large one.
  const ofDay = await deps.store.sumPurchases(account, deps.clock.nowMs() - dayMs);
  return ofDay > deps.reviewAboveUnits ? "daily_limit" : undefined;
}

/** Expires unpaid and canceled purchases once they cannot be paid any more. */
async function end(deps: WorkerDeps, purchase: CreditPurchase): Promise<void> {
  const settlement = await findPayment(deps, purchase);
  const payer = settlement?.payer ?? purchase.payer;
  if (settlement && payer) {
    await move(deps, purchase, { to: "settling", payer, settlementId: settlement.id });
    return;
  }
  // On chain a refund to the treasury looks like a payment by a third party's transaction.
  const ended = (await isRefunding(deps.store, purchase))
    ? "unpaid"
    : await deps.readEnd(purchase, deps.treasury);
  if (ended === undefined) return;
  if (ended === "unpaid" || payer === null) {
    await move(deps, purchase, { to: "expired" });
    return;
  }
  const settling = await move(deps, purchase, { to: "settling", payer, settlementId: null });
  const confirmed = settling && (await move(deps, settling, { to: "confirmed", ...ended }));
  if (confirmed) await conclude(deps, confirmed);
}

async function move(
  deps: WorkerDeps,
  { id, account, state: from }: CreditPurchase,
  to: PurchaseMove,
): Promise<CreditPurchase | undefined> {
  const moved = await deps.store.movePurchase(id, from, to, deps.clock.nowMs());
  if (!moved) return undefined;
  const { state, settlementId, credits, holdReason: reason } = moved;
  deps.log.info(
    { event: `purchase_${state}`, account, purchaseId: id, settlementId, credits, reason },
    `Purchase ${state}`,
  );
  deps.onMoved(moved);
  return moved;
}

/** Polls until the returned function is called. */
export function startPurchaseWorker(
  worker: PurchaseWorker,
  { clock, log }: Runtime,
): () => Promise<void> {
  const fields = { event: "purchase_poll_failed" };
  const retryLater = warning(log, fields, "Purchase poll failed; retrying in a second");
  return startPoll({ clock, pauseMs: pollMs }, () => worker.poll().catch(retryLater)).stop;
}
