/** What a settlement should cost an account: fixed, by the gas price, or by what it costs. */
import type { NetworkState } from "@farthing/engine";
import { unitsPerCredit } from "@farthing/protocol";
import {
  byGasPrice,
  isTable,
  valueAt,
  type ByGasPrice,
  type GasPriceSteps,
} from "./by-gas-price.ts";
import { presentCost, type Prices } from "./settlement-cost.ts";

/** A number, a table by gas price, or by cost and margin. */
export type FeeSetting = ByGasPrice<number> | "auto";

/** Far below the limit up to which whole numbers keep the ledger exact. */
const creditsMax = 1_000_000;

/** Reads `2`, `12.5:1,100:8,625:60` or `auto`. */
export function feeSetting(text: string): FeeSetting | undefined {
  return text === "auto" ? text : byGasPrice(creditsOf)(text);
}

function creditsOf(text: string): number | undefined {
  const credits = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  return credits <= creditsMax ? credits : undefined;
}

export interface FeeDeps extends Prices {
  readonly creditsPerSettlement: FeeSetting;
  /** Added to what a single payment costs, where the fee follows it. */
  readonly feeMarginPercent: number;
}

export interface FeeRule {
  /** Tells settings apart: the same text in every process that has the same settings. */
  readonly name: string;
  /** Whether the fee follows a price; otherwise it changes with the settings alone. */
  readonly follows: boolean;
  /**
   * Returns the credits that a settlement should cost, where it costs `present` now; undefined while a
   * price that they follow is not known.
   */
  due(present: number | undefined): number | undefined;
}

export function createFeeRule(deps: FeeDeps): FeeRule {
  const { creditsPerSettlement: setting, feeMarginPercent: marginPercent, gasPriceWei } = deps;
  if (setting === "auto") {
    return {
      name: `auto, ${marginPercent} percent`,
      follows: true,
      due(present) {
        const units = presentCost(deps);
        return units === undefined ? undefined : dueByCost(units, { marginPercent, present });
      },
    };
  }
  if (!isTable(setting)) return { name: `${setting}`, follows: false, due: () => setting };
  return {
    name: nameOf(setting),
    follows: true,
    due() {
      const price = gasPriceWei();
      return price === undefined ? undefined : valueAt(setting, () => price);
    },
  };
}

/**
 * A price moves a little all the time. The fee rises when half of its margin is used up, with which it
 * still earns more than the cost, and falls when a quarter would be saved.
 */
function dueByCost(
  units: bigint,
  {
    marginPercent,
    present,
  }: { readonly marginPercent: number; readonly present: number | undefined },
): number {
  const wanted = creditsFor(units, marginPercent);
  if (present === undefined) return wanted;
  const isShort = creditsFor(units, Math.floor(marginPercent / 2)) > present;
  return isShort || wanted * 4 <= present * 3 ? wanted : present;
}

/** In wei. Where mainnet is served, no other network is paid for. Undefined until a block was read. */
export function paidGasPrice(
  networks: readonly Pick<NetworkState, "network" | "gasPrice" | "view">[],
): bigint | undefined {
  const paid = networks.find(({ network }) => network.chainId === 50) ?? networks[0];
  return paid?.view() === undefined ? undefined : paid.gasPrice().wei;
}

function nameOf(steps: GasPriceSteps<number>): string {
  return steps.map(({ gasPriceWei, value }) => `${gasPriceWei}:${value}`).join(",");
}

/** At least one credit, rounded up. */
function creditsFor(units: bigint, marginPercent: number): number {
  const credits = (withMargin(units, marginPercent) + unitsPerCredit - 1n) / unitsPerCredit;
  if (credits < 1n) return 1;
  return credits > creditsMax ? creditsMax : Number(credits);
}

/** In base units, rounded up. */
export function withMargin(units: bigint, marginPercent: number): bigint {
  return (units * BigInt(100 + marginPercent) + 99n) / 100n;
}
