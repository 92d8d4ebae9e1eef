/**
 * Several settlements in one transaction. Only payers without code: a contract wallet's code runs
 * in our transaction and could burn the gas of its neighbours. Whether a payment went through is
 * read from its own logs, never from the transaction's status.
 */
import type { Address } from "@farthing/protocol";
import { encodeBatch, simulateBatch } from "../chain/multicall.ts";
import type { Chain } from "../chain/chain.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";

/**
 * Gas of a batch beside its payments, and per payment: the payee's first USDC included, with a
 * reserve. Too low a limit reverts all of them.
 */
const batchBaseGas = 60_000n;
const batchPaymentGas = 110_000n;

/** A transaction may have 64 KiB at XDC nodes; the rest is its envelope. */
const batchBytesMax = 60_000;

/** XDC nodes refuse a transaction whose gas limit times price passes 1 XDC. */
const feeCapWei = 10n ** 18n;

/** Where and how large batches may be. */
export interface BatchSettings {
  readonly multicall: Address;
  readonly paymentsMax: number;
}

/** Splits single plans of plain payers into batches; what stays alone stays as it is. */
export function batchPlans(
  plans: readonly TransactionPlan[],
  { multicall, paymentsMax }: BatchSettings,
): TransactionPlan[] {
  const batches: TransactionPlan[][] = [];
  let bytes = 0;
  for (const plan of plans) {
    // Target, flag, offset, length and place in the list: six words around the calldata.
    const size = plan.data.length / 2 + 6 * 32;
    const last = batches.at(-1);
    const fits =
      last !== undefined &&
      last.length < paymentsMax &&
      bytes + size <= batchBytesMax &&
      gasOf(last.length + 1) * highestPrice([...last, plan]) <= feeCapWei;
    if (fits) {
      last.push(plan);
      bytes += size;
    } else {
      batches.push([plan]);
      bytes = size;
    }
  }
  return batches.map((batch) => merge(batch, multicall));
}

function gasOf(payments: number): bigint {
  return batchBaseGas + batchPaymentGas * BigInt(payments);
}

function merge(batch: readonly TransactionPlan[], multicall: Address): TransactionPlan {
  const [first] = batch;
  // A batch of one costs 6 k gas more than the call alone.
  if (first && batch.length === 1) return first;
  return {
    settlementIds: batch.flatMap(({ settlementIds }) => settlementIds),
    to: multicall,
    data: encodeBatch(batch),
    gasLimit: gasOf(batch.length),
    gasPrice: highestPrice(batch),
  };
}

function highestPrice(plans: readonly TransactionPlan[]): bigint {
  return plans.reduce((most, { gasPrice }) => (gasPrice > most ? gasPrice : most), 0n);
}

/**
 * Drops the payments that would fail beside the others, such as the second of a payer whose
 * balance covers one. Gives the plans that may go and the settlements that may not; when the node
 * cannot simulate the batch, all go alone.
 */
export async function dropFailing(
  chain: Chain,
  from: Address,
  plans: readonly TransactionPlan[],
  settings: BatchSettings,
): Promise<{ readonly kept: TransactionPlan[]; readonly dropped: string[] }> {
  const [batch, ...others] = batchPlans(plans, settings);
  if (!batch || plans.length === 1 || others.length > 0) return { kept: [...plans], dropped: [] };
  const { to, data, gasLimit: gas } = batch;
  const results = await simulateBatch(chain, { from, to, data, gas });
  if (results?.length !== plans.length) return { kept: [...plans], dropped: [] };
  return {
    kept: plans.filter((_, index) => results[index]?.succeeded),
    dropped: plans.flatMap((plan, index) => (results[index]?.succeeded ? [] : plan.settlementIds)),
  };
}
