/** The smallest payment that is settled without a key, at the present prices. */
import { parseUsdc } from "@farthing/protocol";
import type { Clock } from "@farthing/engine/base";
import { byGasPrice, type ByGasPrice, valueAt } from "../by-gas-price.ts";
import { presentCost } from "../settlement-cost.ts";
import { withMargin, type FeeDeps } from "../settlement-fee.ts";

/** An amount in USDC base units, one for each step of the gas price, or what a single payment costs. */
export type SmallestSetting = ByGasPrice<bigint> | "auto";

/** The least of `auto`: what is refused as dust while gas costs next to nothing. */
const autoUnitsMin = 1_000n;

/** A payment stays good for as long as a seller may work between /verify and /settle. */
const rememberedMs = 10 * 60 * 1000;

/** Values of that time. A gas price that changes more often has been low in one of them. */
const rememberedMax = 100;

/** Reads `0.001`, `12.5:0.001,625:0.06` or `auto`. */
export function smallestSetting(text: string): SmallestSetting | undefined {
  return text === "auto" ? text : byGasPrice((amount) => parseUsdc(amount))(text);
}

export interface SmallestPayment {
  /** In USDC base units; 0 for no bound. */
  now(): bigint;
  /** The lowest of the last minutes: what was found valid is settled although the price has risen. */
  recent(): bigint;
}

export function createSmallestPayment(
  deps: Pick<FeeDeps, "feeMarginPercent" | "xdcPrice" | "gasPriceWei"> & {
    readonly minAmount: SmallestSetting;
    readonly clock: Clock;
  },
): SmallestPayment {
  const { minAmount, feeMarginPercent, gasPriceWei, clock } = deps;
  /** Values that were told, with the time at which each was told last. */
  let told: { readonly units: bigint; readonly atMs: number }[] = [];
  let last: bigint | undefined;

  function present(): bigint {
    if (minAmount !== "auto") return valueAt(minAmount, () => gasPriceWei() ?? 0n);
    const cost = presentCost(deps);
    // Without a price of XDC the last amount stays.
    if (cost !== undefined) last = withMargin(cost, feeMarginPercent);
    return last !== undefined && last > autoUnitsMin ? last : autoUnitsMin;
  }

  function now(): bigint {
    const units = present();
    const atMs = clock.nowMs();
    const others = told.filter((one) => one.units !== units && atMs - one.atMs < rememberedMs);
    told = [...others, { units, atMs }].slice(-rememberedMax);
    return units;
  }

  return {
    now,
    recent() {
      const units = present();
      const atMs = clock.nowMs();
      return told.reduce(
        (least, one) => (atMs - one.atMs < rememberedMs && one.units < least ? one.units : least),
        units,
      );
    },
  };
}
