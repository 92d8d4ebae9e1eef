/** Gas limits by kind of transaction, and the gas price within its bounds. */
import type { BlockHead } from "../chain/reads/block-headers.ts";

/** XDC refused a gas price below 12.5 gwei when it was measured; its releases have 625 gwei prepared. */
export const gasPriceFloorWei = 12_500_000_000n;

/** The most measured with Circle's token is 103,580, the payee's first USDC; only used gas is paid. */
export const plainTransferGas = 130_000n;

/**
 * A plain payer's first deposit to a channel takes 158 k with the stand-ins, and other facilitators
 * allow 320 k for the published contract; only used gas is paid.
 */
export const depositGas = 340_000n;

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
  readonly ceiling: bigint;
}

/** What the newest block and the node say of prices, in wei. */
export interface SeenPrices {
  readonly gasPrice: bigint;
  readonly head: Pick<BlockHead, "baseFee">;
}

/** No node of XDC suggested more at the base fee of 12.5 gwei; the base fee has to support a higher price. */
const unsupportedMaxWei = 100_000_000_000n;

/** A suggestion is supported up to a fourth above the base fee. */
export function supportedBy(baseFee: bigint): bigint {
  return (baseFee * 5n) / 4n;
}

/** The least that nodes accept: cheaper transactions are refused, and dropped from their pools. */
export function neededPrice(seen: SeenPrices | undefined, floor = gasPriceFloorWei): bigint {
  const least = seen ? (seen.head.baseFee ?? seen.gasPrice) : 0n;
  return least > floor ? least : floor;
}

/**
 * The price of a transaction: what the node suggests where the newest block supports it, and never more
 * than the ceiling. Below {@link neededPrice} no node accepts it.
 */
export function gasPriceOf(seen: SeenPrices | undefined, bounds: GasPriceBounds): bigint {
  const needed = neededPrice(seen, bounds.floor);
  const supported = supportedBy(needed);
  const believed = supported > unsupportedMaxWei ? supported : unsupportedMaxWei;
  const suggested = seen?.gasPrice ?? 0n;
  const followed = suggested < believed ? suggested : believed;
  const wanted = followed > needed ? followed : needed;
  return wanted < bounds.ceiling ? wanted : bounds.ceiling;
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
