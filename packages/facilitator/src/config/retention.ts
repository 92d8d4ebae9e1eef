/** The settings of retention, which need each other: nothing is removed without an export. */
import type { ReadSetting } from "./settings-table.ts";

/** The days for which settlements are kept, and the folder for the export of older ones. */
export interface Retention {
  readonly days: number;
  readonly folder: string;
}

/** Listings count the settlements of 31 days, and a bill may be asked about after a month. */
const minDays = 35;
const maxDays = 36_500;

/** Returns undefined if settlements are kept for ever. Adds errors to `problems`. */
export function readRetention(read: ReadSetting, problems: string[]): Retention | undefined {
  const days = read("FARTHING_RETENTION_DAYS", daysOf);
  const folder = read("FARTHING_RETENTION_DIR", (text) => text || undefined);
  if (days === undefined || days === 0) return undefined;
  if (folder !== undefined) return { days, folder };
  problems.push(
    "FARTHING_RETENTION_DIR is missing; what FARTHING_RETENTION_DAYS removes is exported there first. Example: FARTHING_RETENTION_DIR=/var/lib/farthing/removed",
  );
  return undefined;
}

function daysOf(text: string): number | undefined {
  if (!/^\d{1,5}$/.test(text)) return undefined;
  const days = Number(text);
  return days === 0 || (days >= minDays && days <= maxDays) ? days : undefined;
}
