/** The header `Prefer` (RFC 7240): `respond-async` and `wait=<seconds>`; others are ignored. */

export const maxWaitSeconds = 30;

export interface Preference {
  readonly respondAsync: boolean;
  readonly waitMs: number | undefined;
  /** For `Preference-Applied`; may be empty. */
  readonly applied: string;
}

export function parsePrefer(header: string | string[] | undefined): Preference {
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  const parts = text.split(",").map((part) => part.trim().toLowerCase());
  const respondAsync = parts.includes("respond-async");
  const wait = parts.map((part) => /^wait=(\d{1,4})$/.exec(part)?.[1]).find(Boolean);
  const seconds = wait === undefined ? undefined : Math.min(Number(wait), maxWaitSeconds);
  const waitMs = respondAsync || seconds === undefined ? undefined : seconds * 1000;
  const applied = respondAsync ? "respond-async" : waitMs === undefined ? "" : `wait=${seconds}`;
  return { respondAsync, waitMs, applied };
}

/** Reads `?wait=N`: milliseconds, 0 when absent, undefined when it is no number of seconds. */
export function parseWait(value: unknown): number | undefined {
  if (value === undefined) return 0;
  if (typeof value !== "string" || !/^\d{1,4}$/.test(value)) return undefined;
  return Math.min(Number(value), maxWaitSeconds) * 1000;
}
