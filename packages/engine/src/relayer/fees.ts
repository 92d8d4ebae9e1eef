/** Gas limits by kind of transaction, and the gas price within its bounds. */
import type { ChainView } from "../chain/chain-view.ts";

/** XDC refuses a gas price below 12.5 gwei. */
export const gasPriceFloorWei = 12_500_000_000n;

/** The most measured with Circle's token is 103,580, the payee's first USDC; only used gas is paid. */
export const plainTransferGas = 130_000n;

/** A contract wallet whose transfer needs more gas is refused. */
export const contractTransferGasMax = 400_000n;

/** Reserve on an estimate or a simulation: state can change until inclusion. */
const reservePercent = 20n;

export function withReserve(gas: bigint): bigint {
  return (gas * (100n + reservePercent)) / 100n;
}

/** In wei. */
export interface GasPriceBounds {
  readonly floor: bigint;
  /** The node's suggestion may rise to 500 gwei; the relayer's price stops here. */
  readonly ceiling: bigint;
}

export function gasPriceOf(view: Pick<ChainView, "gasPrice"> | undefined, bounds: GasPriceBounds) {
  const suggested = view?.gasPrice ?? 0n;
  const atLeast = suggested > bounds.floor ? suggested : bounds.floor;
  return atLeast < bounds.ceiling ? atLeast : bounds.ceiling;
}

/**
 * The price of a replacement: an eighth above every earlier one (nodes demand more than a tenth),
 * or what nodes ask now. Undefined above the ceiling.
 */
export function replacementPrice(earlier: readonly bigint[], asked: bigint, ceiling: bigint) {
  const highest = earlier.reduce((most, price) => (price > most ? price : most), 0n);
  const bumped = highest + highest / 8n + 1n;
  const price = bumped > asked ? bumped : asked;
  return price <= ceiling ? price : undefined;
}

/** Undefined when the wallet needs more gas than allowed. */
export function contractGasLimit(estimate: bigint): bigint | undefined {
  if (estimate > contractTransferGasMax) return undefined;
  const limit = withReserve(estimate);
  return limit < contractTransferGasMax ? limit : contractTransferGasMax;
}
