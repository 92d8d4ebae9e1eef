/** The limits for callers without a key; 0 is no bound. Some can follow the gas price. */
import { parseUsdc } from "@farthing/protocol";
import { byGasPrice } from "../payments/by-gas-price.ts";
import { smallestSetting } from "../payments/keyless/smallest-payment.ts";
import type { ReadSetting } from "./settings-table.ts";
import { gasBudget, whole } from "./values.ts";

export function readKeylessLimits(
  read: ReadSetting,
  texts: ReadonlyMap<string, string>,
  problems: string[],
) {
  const minAmount = read("FARTHING_MIN_AMOUNT", smallestSetting);
  if (minAmount === "auto" && !texts.has("FARTHING_XDC_PRICE")) {
    problems.push("FARTHING_MIN_AMOUNT=auto needs FARTHING_XDC_PRICE.");
  }
  return {
    minAmount,
    payerCapUnits: read("FARTHING_PAYER_CAP", (text) => {
      const units = parseUsdc(text);
      return units === 0n ? null : units;
    }),
    payerCountMax: read("FARTHING_PAYER_COUNT", (text) => {
      const count = whole(0, 1_000_000)(text);
      return count === 0 ? null : count;
    }),
    keylessGas: read("FARTHING_KEYLESS_GAS_PER_DAY", byGasPrice(gasBudget)),
    revertedGas: read("FARTHING_REVERTED_GAS_PER_DAY", byGasPrice(gasBudget)),
  };
}
