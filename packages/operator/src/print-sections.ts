/** Prints sections of checks as they become ready, and sets the exit code. */
import type { CheckSection } from "@farthing/facilitator";
import { printableJson } from "@farthing/protocol";
import { countFindings, exitCodes, findingText, startWaiting, summaryText } from "farthing/program";

interface PrintTerms {
  readonly isJson: boolean;
  /** Named on a terminal until the first section is ready, and then until the last one is. */
  readonly waitsFor: { readonly first: string; readonly rest: string };
}

/** Exit code 0: nothing must be fixed; 3: something must. */
export async function printSections(
  examined: AsyncIterable<CheckSection>,
  { isJson, waitsFor }: PrintTerms,
): Promise<void> {
  const sections: CheckSection[] = [];
  const waiting = startWaiting(waitsFor.first);
  for await (const section of examined) {
    sections.push(section);
    waiting.end();
    if (!isJson) process.stdout.write(findingText(section.title, section.lines));
    // The reader has left, so the remaining checks are not run.
    if (process.stdout.errored) break;
    waiting.now(waitsFor.rest);
  }
  waiting.end();
  const counts = countFindings(sections.flatMap((section) => section.lines));
  const report = { ok: counts.fail === 0, counts, sections };
  const text = isJson ? printableJson(report, 2) : `\n${summaryText(counts)}`;
  process.stdout.write(`${text}\n`);
  process.exitCode = counts.fail > 0 ? exitCodes.configuration : exitCodes.success;
}
