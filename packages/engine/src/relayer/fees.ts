/** What a transaction may cost: gas limits by kind, and the gas price within its bounds. */
import type { ChainView } from "../chain/block-follower.ts";

/** XDC refuses a gas price below 12.5 gwei. */
export const gasPriceFloorWei = 12_500_000_000n;

/**
 * Gas limit of a plain payer's transfer. The most that was measured with Circle's token is
 * 103,580 (the payee's first USDC); what is not used is not paid.
 */
export const plainTransferGas = 130_000n;

/** Most gas for a contract payer's transfer; a wallet that needs more is refused. */
export const contractTransferGasMax = 400_000n;

/** Reserve on top of an estimate, in percent: state can change between estimate and inclusion. */
const estimateReservePercent = 20n;

/** Bounds of the gas price, in wei. */
export interface GasPriceBounds {
  /** XDC refuses less than 12.5 gwei. */
  readonly floor: bigint;
  /** The node's suggestion may rise to 500 gwei; ours is not to follow it there. */
  readonly ceiling: bigint;
}

/** The price for a new transaction: the node's, within the bounds. */
export function gasPriceOf(view: ChainView | undefined, bounds: GasPriceBounds): bigint {
  const suggested = view?.gasPrice ?? 0n;
  const atLeast = suggested > bounds.floor ? suggested : bounds.floor;
  return atLeast < bounds.ceiling ? atLeast : bounds.ceiling;
}

/**
 * The price for another transaction at the same nonce: an eighth above every earlier one (nodes
 * demand a tenth and strictly more), or what is asked now. Undefined above the ceiling.
 */
export function replacementPrice(
  earlier: readonly bigint[],
  asked: bigint,
  ceiling: bigint,
): bigint | undefined {
  const highest = earlier.reduce((most, price) => (price > most ? price : most), 0n);
  const bumped = highest + highest / 8n + 1n;
  const price = bumped > asked ? bumped : asked;
  return price <= ceiling ? price : undefined;
}

/** The limit for an estimate; undefined when the wallet needs more than it may. */
export function contractGasLimit(estimate: bigint): bigint | undefined {
  const limit = (estimate * (100n + estimateReservePercent)) / 100n;
  if (estimate > contractTransferGasMax) return undefined;
  return limit < contractTransferGasMax ? limit : contractTransferGasMax;
}
