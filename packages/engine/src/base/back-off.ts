/** Pauses between attempts: longer after each failure, up to a bound. */

/** Jitter adds up to half of either pause. */
export interface BackOffBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Jitter keeps processes from retrying all at once. */
const jitterShare = 0.5;

/** Returns the pause after this many failures in a row; 0 after none. */
export function backOffMs(failures: number, { minMs, maxMs }: BackOffBounds): number {
  if (failures === 0) return 0;
  return Math.min(maxMs, minMs * 2 ** (failures - 1)) * (1 + Math.random() * jitterShare);
}
