/** Writes the figures of a deep run for docs/reference/campaigns.md. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verdictOf, type Checked } from "./report.ts";

const file = join(import.meta.dirname, "figures.json");

export interface ModelFigures {
  /** The day, UTC. */
  readonly date: string;
  /** Of the tree whose rules were checked. */
  readonly commit: string;
  readonly runs: readonly {
    readonly name: string;
    readonly verdict: string;
    readonly states: number;
    readonly steps: number;
    readonly depth: number;
    readonly seconds: number;
  }[];
}

export function readFigures(): ModelFigures {
  return JSON.parse(readFileSync(file, "utf8"));
}

export function recordFigures(checked: readonly Checked[]): void {
  const commit = execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { encoding: "utf8" });
  const figures: ModelFigures = {
    date: new Date().toISOString().slice(0, "2026-01-01".length),
    commit: commit.trim(),
    runs: checked.map(({ run, found }) => ({
      name: run.name,
      verdict: verdictOf(found),
      states: found.states,
      steps: found.steps,
      depth: found.depth,
      seconds: Math.round(found.ms / 1000),
    })),
  };
  writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`);
}
