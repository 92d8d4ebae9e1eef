/** When a run was made, and of what. */
import { execFileSync } from "node:child_process";

export interface RunStamp {
  /** The day, UTC. */
  readonly date: string;
  /** Of the tree that ran. */
  readonly commit: string;
}

export function stampOfNow(): RunStamp {
  const commit = execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { encoding: "utf8" });
  return { date: new Date().toISOString().slice(0, "2026-01-01".length), commit: commit.trim() };
}
