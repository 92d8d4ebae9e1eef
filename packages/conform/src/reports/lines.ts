/** The results of a run as lines for people. */
import { printableLine } from "@farthing/protocol";
import type { CaseResult, ConformReport } from "../run/conform-case.ts";
import { countVerdicts } from "./counts.ts";

const labels = { pass: "pass", fail: "FAIL", "not applicable": "n/a" } as const;
const labelWidth = 4;
const nameWidth = 36;
const indent = " ".repeat(8);
const memberWidth = 11;

/**
 * The line of one case, and below a failure what it was about. On a terminal of `width` characters
 * texts are wrapped; without a width each stays on its line, where tools find it whole.
 */
export function resultLines(result: CaseResult, width?: number): string {
  const { verdict, name, rule, source, standsOn, sent, came, reason, ms } = result;
  const label = labels[verdict].padEnd(labelWidth);
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  const head = `${label}  ${name.padEnd(nameWidth)}  ${seconds.padStart(7)}`;
  if (verdict === "pass") return `${head}\n`;
  if (verdict === "not applicable") {
    const isWide = width === undefined || head.length + 2 + reason.length <= width;
    const text = printableLine(reason);
    return isWide ? `${head}  ${text}\n` : `${head}\n${wrapped("", text, width)}\n`;
  }
  const details = { rule, source, sent, came, problem: reason, "stands on": standsOn.join(", ") };
  const lines = Object.entries(details)
    .filter(([, text]) => text !== "")
    .map(([member, text]) => wrapped(member, printableLine(text), width));
  return `${[head, ...lines].join("\n")}\n`;
}

/** A text beside its member, in lines that begin below each other. */
function wrapped(member: string, text: string, width = Number.POSITIVE_INFINITY): string {
  const first = `${indent}${member.padEnd(memberWidth)}`;
  const room = Math.max(minRoom, width - first.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const isFull = line !== "" && line.length + 1 + word.length > room;
    if (isFull) lines.push(line);
    line = isFull || line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line]
    .map((one, at) => (at === 0 ? first : " ".repeat(first.length)) + one)
    .join("\n");
}

/** In a narrower terminal words would stand alone. */
const minRoom = 30;

/** The last lines: the counts, and after failures where to look. */
export function summaryLines({ role, results }: ConformReport): string {
  const { pass, fail, notApplicable } = countVerdicts(results);
  const counts = `\n${role}: ${pass} passed, ${fail} failed, ${notApplicable} not applicable\n`;
  const failed = results.filter(({ verdict }) => verdict === "fail");
  const names = new Set(failed.map(({ name }) => name));
  // What stands on another failure may have no fault of its own.
  const first = failed.find(({ standsOn }) => !standsOn.some((name) => names.has(name)));
  if (!first) return counts;
  return `${counts}Look closer: --only ${first.name} --log subject.log\n`;
}
