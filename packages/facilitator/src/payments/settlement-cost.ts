/** What a settlement costs the operator in gas now, and what it earns. */
import { usualGas } from "@farthing/engine";
import { unitsPerCredit } from "@farthing/protocol";
import type { UnitsPerMegaXdc, XdcPrice } from "./xdc-price.ts";

/** The prices of which the cost of a settlement is made. */
export interface Prices {
  readonly xdcPrice: Pick<XdcPrice, "now">;
  /** Of the network whose settlements are paid, in wei; undefined until a block was read. */
  gasPriceWei(): bigint | undefined;
}

export interface SettlementCost {
  /** The gas of a payment that is alone in its transaction, in wei; in a batch it is some 40 % less. */
  readonly wei: bigint;
  /** The same in USDC base units, rounded up; undefined while no price of XDC is known. */
  readonly units: bigint | undefined;
  /** USDC base units that a settlement with an API key earns. */
  readonly incomeUnits: bigint;
}

/** Wei of a million XDC. */
const weiPerMegaXdc = 10n ** 24n;

export function settlementCost(
  gasPriceWei: bigint,
  terms: { readonly xdcPrice: UnitsPerMegaXdc | undefined; readonly credits: number },
): SettlementCost {
  const { xdcPrice, credits } = terms;
  const wei = usualGas * gasPriceWei;
  return {
    wei,
    units: xdcPrice === undefined ? undefined : inUnits(wei, xdcPrice),
    incomeUnits: BigInt(credits) * unitsPerCredit,
  };
}

/** What a single payment costs now, in USDC base units; undefined while a price is not known. */
export function presentCost({ xdcPrice, gasPriceWei }: Prices): bigint | undefined {
  const price = gasPriceWei();
  if (price === undefined) return undefined;
  return settlementCost(price, { xdcPrice: xdcPrice.now(), credits: 0 }).units;
}

/** USDC base units, rounded up. */
function inUnits(wei: bigint, price: UnitsPerMegaXdc): bigint {
  return (wei * price + weiPerMegaXdc - 1n) / weiPerMegaXdc;
}

/** Whether a settlement is sold for less than it costs. One that is free by intention is no loss. */
export function isAtLoss({ units, incomeUnits }: SettlementCost): boolean {
  return units !== undefined && incomeUnits > 0n && units > incomeUnits;
}
