/** Formats wei as XDC with up to six decimals, rounded down. */
export function formatEther(wei: bigint): string {
  const micro = wei / 1_000_000_000_000n;
  const text = micro.toString().padStart(7, "0");
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, "");
}

/** Formats a gas price in gwei with up to three decimals, rounded down. */
export function formatGwei(wei: bigint): string {
  return formatEther((wei / 1_000_000n) * 1_000_000_000_000_000n);
}
