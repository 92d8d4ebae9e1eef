/** What a run leaves behind shows the recovery paths that it took. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Submission } from "@farthing/lab/audit";
import { expect, test } from "vitest";
import { pathRuns, scenariosOfPaths } from "./path-runs.ts";
import {
  countPaths,
  isOfPath,
  pathsTaken,
  recoveryEvents,
  recoveryPaths,
} from "./recovery-paths.ts";

const root = join(import.meta.dirname, "../..");

const events = readFileSync(join(root, "docs/reference/log-events.md"), "utf8");

test("each path has a name of its own, and its event is one that the service logs", () => {
  expect(new Set(recoveryPaths).size).toBe(recoveryPaths.length);
  expect(recoveryEvents.filter((event) => !events.includes(`| \`${event}\` |`))).toEqual([]);
});

test("each path has a scenario that takes it, or a reason why none can", () => {
  expect([...pathRuns.keys()].toSorted()).toEqual(recoveryPaths.toSorted());
  const played = new Map(scenariosOfPaths.map(([name, , paths]) => [name, paths]));
  for (const [path, how] of pathRuns) {
    if ("scenario" in how) expect(played.get(how.scenario), path).toContain(path);
    // A test has what the simulator cannot have.
    else for (const file of testsIn(how.impossible)) expect(existsSync(file), file).toBe(true);
  }
});

function testsIn(text: string): string[] {
  const names = [...text.matchAll(/`([a-z-]+\.test\.ts)`/g)].map(([, name]) => name);
  expect(names).not.toEqual([]);
  return names.map((name) => join(root, "packages/facilitator/test/chain", name ?? ""));
}

const line = `  [17] {"level":"warn","event":"transaction_replaced","action":"reprice","msg":"Transaction replaced"}`;

const sent = (hash: "0x01" | "0x02", atBlock: number): Submission => {
  return { hash, from: "0xaa", nonce: 0, atBlock, refusal: undefined, gasPrice: 1n };
};

test.each<readonly [string, Partial<Parameters<typeof pathsTaken>[0]>, readonly string[]]>([
  ["a line of the log", { lines: [line] }, ["a transaction is replaced at a higher price"]],
  [
    "a step of the store",
    { steps: [{ taken: new Map([["settlement requeued", 2]]), broken: [] }] },
    ["a payment without an open transaction waits for a wallet again"],
  ],
  ["other bytes at a later block", { submissions: [sent("0x01", 1), sent("0x02", 5)] }, []],
  [
    "the same bytes at a later block",
    { submissions: [sent("0x01", 1), sent("0x01", 5)] },
    ["the same bytes are sent again"],
  ],
  [
    "the same bytes twice at a later block",
    { submissions: [sent("0x01", 1), sent("0x01", 5), sent("0x01", 5)] },
    ["the same bytes are sent again", "the same bytes are sent to every endpoint"],
  ],
])("%s", (_, evidence, paths) => {
  expect([...pathsTaken({ steps: [], lines: [], ...evidence })]).toEqual(paths);
});

test("lines of paths are kept, others are not, and every path is counted", () => {
  expect(isOfPath(line)).toBe(true);
  expect(isOfPath(line.replace("transaction_replaced", "transaction_signed"))).toBe(false);
  const counts = countPaths([pathsTaken({ steps: [], lines: [line] }), new Set()]);
  expect(Object.keys(counts)).toEqual(recoveryPaths);
  expect(counts["a transaction is replaced at a higher price"]).toBe(1);
});
