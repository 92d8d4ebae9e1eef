/** The results of a run as lines for people. */
import { printableLine } from "@farthing/protocol";
import type { CaseResult, ConformReport } from "../run/conform-case.ts";
import { countVerdicts } from "./counts.ts";

const labels = { pass: "pass", fail: "FAIL", "not applicable": "n/a" } as const;
const labelWidth = 4;
const nameWidth = 36;

/** The line of one case, and below a failure what it was about. */
export function resultLines({ verdict, name, rule, source, sent, came, reason, ms }: CaseResult) {
  const label = labels[verdict].padEnd(labelWidth);
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  const head = `${label}  ${name.padEnd(nameWidth)}  ${seconds.padStart(7)}`;
  if (verdict === "pass") return `${head}\n`;
  if (verdict === "not applicable") return `${head}  ${printableLine(reason)}\n`;
  const details = { rule, source, sent, came, problem: reason };
  const lines = Object.entries(details)
    .filter(([, text]) => text !== "")
    .map(([member, text]) => `        ${member.padEnd(7)}  ${printableLine(text)}`);
  return `${[head, ...lines].join("\n")}\n`;
}

/** The last line. */
export function summaryLine({ role, results }: ConformReport): string {
  const { pass, fail, notApplicable } = countVerdicts(results);
  return `\n${role}: ${pass} passed, ${fail} failed, ${notApplicable} not applicable\n`;
}
