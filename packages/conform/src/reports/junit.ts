/** JUnit XML, which every CI service reads. */
import { printableLine } from "@farthing/protocol";
import type { CaseResult, ConformReport } from "../run/conform-case.ts";
import { countVerdicts } from "./counts.ts";

/** A test suite with a test for each case. */
export function junitReport({ role, results }: ConformReport): string {
  const { fail, notApplicable } = countVerdicts(results);
  const counts = `tests="${results.length}" failures="${fail}" skipped="${notApplicable}"`;
  const lines = results.map((result) => testcase(role, result));
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="farthing conform ${role}" ${counts}>
${lines.join("\n")}
</testsuite>
`;
}

function testcase(role: string, result: CaseResult): string {
  const { name, profile, ms, verdict, reason, rule, source, sent, came } = result;
  const head = `  <testcase classname="conform.${role}.${profile}" name="${xml(name)}" time="${ms / 1000}"`;
  if (verdict === "pass") return `${head}/>`;
  if (verdict === "not applicable") {
    return `${head}><skipped message="${xml(reason)}"/></testcase>`;
  }
  const lines = [`Rule: ${rule}`, `Source: ${source}`, `Sent: ${sent}`, `Came: ${came}`];
  const detail = lines.map((line) => `${xml(line)}&#10;`).join("");
  return `${head}><failure message="${xml(reason)}">${detail}</failure></testcase>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Escapes a text; XML 1.0 has no control characters, which are shown as escapes such as `\u001b`. */
function xml(text: string): string {
  return printableLine(text).replaceAll(/[&<>"]/g, (character) => entities[character] ?? "");
}
