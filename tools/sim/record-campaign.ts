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
  /** In how many runs each recovery path was taken; absent in older runs, which did not count them. */
  readonly paths?: Readonly<Record<string, number>>;
}

/** A soak, and what it consisted of. */
export interface SoakFigures extends RunStamp {
  readonly command: string;
  readonly seconds: number;
  readonly payments: number;
  readonly refunds: number;
  readonly kills: number;
  readonly failovers: number;
  readonly broken: number;
  /** The recovery paths that it took. */
  readonly paths: readonly string[];
}

export interface Finding {
  readonly seed: number;
  readonly showed: string;
  /** The commit. */
  readonly fixed: string;
}

export interface Campaigns {
  readonly runs: readonly Campaign[];
  readonly soaks: readonly SoakFigures[];
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
  const known = readCampaigns();
  write({ ...known, runs: [...known.runs, { ...run, ...stampOfNow() }] });
}

export function recordSoak(soak: Omit<SoakFigures, keyof RunStamp>): void {
  const known = readCampaigns();
  write({ ...known, soaks: [...known.soaks, { ...soak, ...stampOfNow() }] });
}

function write(campaigns: Campaigns): void {
  writeFileSync(file, `${JSON.stringify(campaigns, undefined, 2)}\n`);
}
