/** What gas costs, in XDC: no price of XDC in another currency is asked for or assumed. */
import { formatUsdc } from "@farthing/protocol";

/** XDC has 18 decimals; six are enough for gas. */
export function formatXdc(wei: bigint): string {
  return formatUsdc(wei / 10n ** 12n);
}

/** "0.000650 XDC (52,000 gas at 12.5 gwei)". */
export function gasCostText(gas: bigint, gasPriceWei: bigint): string {
  const gwei = Number(gasPriceWei) / 1e9;
  const at = gwei.toLocaleString("en", { maximumFractionDigits: 3 });
  return `${formatXdc(gas * gasPriceWei)} XDC (${gas.toLocaleString("en")} gas at ${at} gwei)`;
}
