/** USDC for people, as short as it can be written. */
import { formatUsdc } from "@farthing/protocol";

/** Base units without zeros at the end: 10000n is `0.01`, 1000000n is `1`. */
export function shortUsdc(units: bigint): string {
  return formatUsdc(units).replace(/\.?0+$/, "");
}
