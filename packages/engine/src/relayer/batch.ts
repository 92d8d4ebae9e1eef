/**
 * Several settlements in one transaction. Only payers without code share one, because a contract
 * wallet's code could burn the gas of the others. A payment's own logs show whether it succeeded;
 * the transaction's status does not.
 */
import type { Address } from "@farthing/protocol";
import { decodeBatch, encodeBatch, simulateBatch } from "../chain/contracts/multicall.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";

/** With the payee's first USDC and a reserve: too low a limit reverts all payments. */
const batchBaseGas = 60_000n;
export const batchPaymentGas = 110_000n;

/** XDC nodes accept transactions up to 64 KiB; the rest is for the envelope. */
export const batchBytesMax = 60_000;

/** XDC nodes refuse a transaction whose gas limit times price passes 1 XDC. */
export const feeCapWei = 10n ** 18n;

/** Fifty payments of Safe wallets take half of it; a larger batch saves nothing more. */
const batchGasMax = 12_000_000n;

/** A batch takes a seventh of a block, so that it finds room beside other transactions. */
const batchesOfBlock = 7n;

/** The gas of a batch at most, by the gas limit of the newest block where its node tells it. */
export function batchGasWithin(blockGasLimit: bigint | undefined): bigint {
  if (blockGasLimit === undefined) return batchGasMax;
  const part = blockGasLimit / batchesOfBlock;
  return part < batchGasMax ? part : batchGasMax;
}

export interface BatchSettings {
  readonly multicall: Address;
  readonly paymentsMax: number;
}

/** Combines plans of plain payers into batches. A single plan is not wrapped. */
export function batchPlans(
  plans: readonly TransactionPlan[],
  { multicall, paymentsMax }: BatchSettings,
): TransactionPlan[] {
  const batches: TransactionPlan[][] = [];
  let bytes = 0;
  for (const plan of plans) {
    // Target, flag, offset, length and list position: six words around the calldata.
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

/** How many plain payments a transaction carries of so much gas, which may cost so much; at least one. */
export function paymentsWithin(gasMax: bigint, feeWei: bigint, gasPrice: bigint): number {
  const paidGas = feeWei / gasPrice;
  const gas = (paidGas < gasMax ? paidGas : gasMax) - batchBaseGas;
  return gas < batchPaymentGas ? 1 : Number(gas / batchPaymentGas);
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

export function highestPrice(plans: readonly TransactionPlan[]): bigint {
  return plans.reduce((most, { gasPrice }) => (gasPrice > most ? gasPrice : most), 0n);
}

/** Drops payments that fail with the others; keeps all when the node cannot simulate the batch. */
export async function dropFailing(
  chain: Chain,
  from: Address,
  plans: readonly TransactionPlan[],
  settings: BatchSettings,
): Promise<{ readonly kept: TransactionPlan[]; readonly dropped: string[] }> {
  const [batch, ...others] = batchPlans(plans, settings);
  if (!batch || plans.length === 1 || others.length > 0) return { kept: [...plans], dropped: [] };
  const { to, data, gasLimit } = batch;
  const result = await simulateBatch(chain, { from, to, data, gasLimit });
  const results = result === undefined ? [] : decodeBatch(result);
  if (results.length !== plans.length) return { kept: [...plans], dropped: [] };
  return {
    kept: plans.filter((_, index) => results[index]?.succeeded),
    dropped: plans.flatMap((plan, index) => (results[index]?.succeeded ? [] : plan.settlementIds)),
  };
}
