/** Pauses between tries of what fails: longer each time, up to a bound. */

/** Milliseconds after the first failure, and the most after any. Chance adds up to half of either. */
export interface BackOffBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Share of a pause that chance adds, so that processes do not come back all at once. */
const jitterShare = 0.5;

/** Returns the pause after so many failures in a row, in milliseconds; 0 after none. */
export function backOffMs(failures: number, { minMs, maxMs }: BackOffBounds): number {
  if (failures === 0) return 0;
  return Math.min(maxMs, minMs * 2 ** (failures - 1)) * (1 + Math.random() * jitterShare);
}
