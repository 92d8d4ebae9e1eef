/** Writes the figures of a deep run for docs/reference/campaigns.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stampOfNow, type RunStamp } from "../sim/run-stamp.ts";
import { verdictOf, type Checked } from "./report.ts";

const file = join(import.meta.dirname, "figures.json");

export interface ModelFigures extends RunStamp {
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
  const figures: ModelFigures = {
    ...stampOfNow(),
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
