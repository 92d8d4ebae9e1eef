/** The lines of a run: as wide as a terminal, whole in a pipe, and a last one that says where to look. */
import { expect, test } from "vitest";
import type { CaseResult, Verdict } from "../run/conform-case.ts";
import { resultLines, summaryLines } from "./lines.ts";

const long = "a sentence that is longer than a terminal is wide, ".repeat(4).trim();

function resultOf(name: string, verdict: Verdict, standsOn: readonly string[] = []): CaseResult {
  const texts = { rule: long, source: "a source", sent: long, came: "\u001b[2J200", reason: long };
  return { name, profile: "spec", verdict, standsOn, ms: 1_234, ...texts };
}

test.each(["fail", "not applicable"] as const)(
  "%s: no line is wider than the terminal",
  (verdict) => {
    const text = resultLines(resultOf("a-case", verdict), 80);
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(text.replaceAll(/\s+/g, " ")).toContain(long);
  },
);

test("in a pipe each text is whole on its line, and what came cannot move the cursor", () => {
  const lines = resultLines(resultOf("a-case", "fail", ["another"])).split("\n");
  expect(lines).toContain(`        rule       ${long}`);
  expect(lines).toContain("        came       \\u001b[2J200");
  expect(lines).toContain("        stands on  another");
});

test("the last line names a failure that stands on no other one", () => {
  const results = [
    resultOf("upon-it", "fail", ["below-it"]),
    resultOf("fine", "pass"),
    resultOf("below-it", "fail", ["fine"]),
  ];
  const report = { role: "seller", subject: "a shop", profiles: ["spec"], results } as const;
  expect(summaryLines(report)).toMatch(/1 passed, 2 failed.*\n.*--only below-it /);
  expect(summaryLines({ ...report, results: [resultOf("fine", "pass")] })).toBe(
    "\nseller: 1 passed, 0 failed, 0 not applicable\n",
  );
});
