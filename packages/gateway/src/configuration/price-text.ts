import { formatUsdc } from "@farthing/protocol";

/** Formats base units without trailing zeros: 10000n is `0.01`, 1000000n is `1`. */
export function shortUsdc(units: bigint): string {
  return formatUsdc(units).replace(/\.?0+$/, "");
}
