/** `farthing doctor`: looks at a facilitator's configuration and everything that it names. */
import type { CheckSection } from "@farthing/facilitator";
import { printableJson } from "@farthing/protocol";
import type { Command } from "commander";
import {
  countFindings,
  exitCodes,
  type FindingCounts,
  findingText,
  verdictText,
} from "farthing/program";

/** Adds the subcommand. */
export function register(program: Command): void {
  program
    .command("doctor")
    .description(
      "Reads the facilitator's configuration as `farthing serve` does, looks at everything it names (database, every RPC endpoint on its own, token, wallets, clock), and says what to fix. At the end it asks each endpoint for ten seconds as often as the facilitator would. It sends no transaction and changes nothing, also while the facilitator runs. Exit code 0: nothing must be fixed; 3: something must.",
    )
    .option("--json", "print one JSON object", false)
    .action(async ({ json }: { json: boolean }) => {
      const { examine } = await import("@farthing/facilitator");
      const sections: CheckSection[] = [];
      for await (const section of examine()) {
        sections.push(section);
        if (!json) process.stdout.write(findingText(section.title, section.lines));
        // Nobody reads on, so nothing more is looked at.
        if (process.stdout.errored) break;
      }
      const counts = countFindings(sections.flatMap((section) => section.lines));
      if (json) process.stdout.write(`${jsonOf(sections, counts)}\n`);
      else process.stdout.write(`\n${verdictText(counts)}\n`);
      process.exitCode = counts.fail > 0 ? exitCodes.configuration : exitCodes.success;
    });
}

function jsonOf(sections: readonly CheckSection[], counts: FindingCounts): string {
  return printableJson({ ok: counts.fail === 0, counts, sections }, 2);
}
