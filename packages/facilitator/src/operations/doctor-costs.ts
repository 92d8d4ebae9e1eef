/** The doctor's look at what a settlement costs and earns. */
import { formatEther, gasPriceFloorWei } from "@farthing/engine";
import { type CheckLine, ok, silentLog, warn, type Clock } from "@farthing/engine/base";
import { shortUsdc } from "@farthing/protocol";
import { isAtLoss, settlementCost } from "../payments/settlement-cost.ts";
import { createFeeRule, type FeeSetting } from "../payments/settlement-fee.ts";
import { openXdcPrice, type PriceSettings } from "../payments/xdc-price.ts";

const name = "costs";

interface FeeSettings {
  readonly creditsPerSettlement: FeeSetting;
  readonly feeMarginPercent: number;
}

/** At a node's gas price, in wei. */
export async function costLine(
  askedWei: bigint,
  settings: PriceSettings & FeeSettings,
  clock: Clock,
): Promise<CheckLine> {
  const xdcPrice = await openXdcPrice(settings, { clock, log: silentLog });
  const price = askedWei > gasPriceFloorWei ? askedWei : gasPriceFloorWei;
  const rule = createFeeRule({ ...settings, xdcPrice, gasPriceWei: () => price });
  // Without a price of XDC the last fee stays, which is at least one credit.
  const terms = { xdcPrice: xdcPrice.now(), credits: rule.due(undefined) ?? 1 };
  const cost = settlementCost(price, terms);
  const isSold = cost.incomeUnits > 0n;
  const earns = isSold
    ? `and earns ${shortUsdc(cost.incomeUnits)} USDC`
    : "and earns nothing, as FARTHING_CREDITS_PER_SETTLEMENT asks for no credit";
  const gas = `a single payment costs ${formatEther(cost.wei)} XDC`;
  const problem = xdcPrice.problem();
  if (problem !== undefined) {
    const fix = "let the program that writes it write one positive number of USDC";
    return warn(name, `${gas} ${earns}; the price of XDC is not known: ${problem}`, fix);
  }
  if (cost.units === undefined) {
    const compared = isSold ? "; FARTHING_XDC_PRICE is not set, so they are not compared" : "";
    return ok(name, `${gas} ${earns}${compared}`);
  }
  const text = `${gas}, ${shortUsdc(cost.units)} USDC, ${earns}`;
  const fix = "raise FARTHING_CREDITS_PER_SETTLEMENT, or accept the loss";
  return isAtLoss(cost) ? warn(name, text, fix) : ok(name, text);
}
