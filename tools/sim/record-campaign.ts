/** Adds a long run to the list that docs/reference/campaigns.md shows. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stampOfNow, type RunStamp } from "./run-stamp.ts";

const file = join(import.meta.dirname, "campaigns.json");

/** A run of many seeds, and what it met. */
export interface Campaign extends RunStamp {
  readonly command: string;
  readonly minutes: number;
  readonly runs: number;
  /** Runs that broke a promise. */
  readonly broken: number;
  /** By the kind of fault: how often it changed something for the service. */
  readonly faults: Readonly<Record<string, number>>;
}

export interface Finding {
  readonly seed: number;
  readonly showed: string;
  /** The commit. */
  readonly fixed: string;
}

export interface Campaigns {
  readonly runs: readonly Campaign[];
  readonly found: readonly Finding[];
}

export function readCampaigns(): Campaigns {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Sums counts by the word before the colon of their kind. */
export function byFaultKind(counts: ReadonlyMap<string, number>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [kind, count] of counts) {
    const [group = kind] = kind.split(":");
    sums[group] = (sums[group] ?? 0) + count;
  }
  return sums;
}

export function recordCampaign(run: Omit<Campaign, keyof RunStamp>): void {
  const { runs, found } = readCampaigns();
  const written = { runs: [...runs, { ...run, ...stampOfNow() }], found };
  writeFileSync(file, `${JSON.stringify(written, undefined, 2)}\n`);
}
