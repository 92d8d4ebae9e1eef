/** Combines the payments of a group into one transaction, through Multicall3 or the batch contract. */
import type { Chain } from "../chain/endpoints/chain.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import { batchPlans, dropFailing, type BatchSettings } from "./batch.ts";
import {
  fitLimitedBatch,
  type FittedBatch,
  type LimitedBatchSettings,
  type PaymentPlan,
} from "./limited-batch.ts";
import type { QueuedSettlement } from "./prepare.ts";
import type { NonceManager } from "./wallet-nonces.ts";

export type AnyBatchSettings = BatchSettings | LimitedBatchSettings;

/** Whether batches go through the batch contract, so that contract wallets can share them. */
export function isLimited(
  settings: AnyBatchSettings | undefined,
): settings is LimitedBatchSettings {
  return settings !== undefined && "batcher" in settings;
}

/** Returns one transaction for all that fit together. Throws a fault when no node replies. */
export async function fitTogether(
  manager: NonceManager,
  plans: readonly PaymentPlan[],
  deps: {
    readonly chain: Chain;
    readonly settings: AnyBatchSettings | undefined;
    readonly group: readonly QueuedSettlement[];
  },
): Promise<FittedBatch> {
  const { chain, settings, group } = deps;
  const from = manager.signer.address;
  const canAfford = (plan: TransactionPlan) => manager.canAfford(plan);
  if (!settings || (plans.length < 2 && !isLimited(settings))) {
    return { plans, left: [], alone: [] };
  }
  // A payer's balance may cover each of two payments but not both.
  const payers = new Set(group.map(({ settlement }) => settlement.payer));
  const hasPayerTwice = payers.size < group.length;
  if (isLimited(settings)) {
    return fitLimitedBatch(plans, { chain, from, settings, hasPayerTwice, canAfford });
  }
  const { kept, dropped } = hasPayerTwice
    ? await dropFailing(chain, from, plans, settings)
    : { kept: [...plans], dropped: [] };
  // A nearly empty wallet carries as much as it can pay for.
  const [whole] = batchPlans(kept, settings);
  const size = whole && !canAfford(whole) ? { ...settings, paymentsMax: 1 } : settings;
  const [batch, ...others] = batchPlans(kept, size);
  // One nonce is reserved for this group.
  const left = [...dropped, ...others.flatMap(({ settlementIds }) => settlementIds)];
  return { plans: batch ? [batch] : [], left, alone: [] };
}
