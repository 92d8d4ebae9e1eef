/** Amounts of the native coin (18 decimals) for people. */

/** Writes wei as XDC with up to six decimals, rounded down. */
export function formatEther(wei: bigint): string {
  const micro = wei / 1_000_000_000_000n;
  const text = micro.toString().padStart(7, "0");
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, "");
}
