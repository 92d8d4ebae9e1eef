/** `farthing doctor`: checks a facilitator's configuration and everything that it names. */
import { examine, type CheckSection } from "@farthing/facilitator";
import { printableJson } from "@farthing/protocol";
import type { Command } from "commander";
import { countFindings, exitCodes, findingText, startWaiting, summaryText } from "farthing/program";

export function register(program: Command): void {
  program
    .command("doctor")
    .description(
      "Reads the facilitator's configuration as `farthing serve` does, checks everything it names (database, each RPC endpoint, token, wallets, clock), and reports what to fix. Finally it calls each endpoint for ten seconds at the rate of the facilitator. It sends no transaction, and can run while the facilitator runs. It changes nothing; with --fix, it takes the rights of others on the database and on files of secrets away. Exit code 0: nothing must be fixed; 3: something must.",
    )
    .option("--fix", "repair what is safe to repair: files that others on this machine can read")
    .option("--json", "print one JSON object", false)
    .action(async ({ json, fix = false }: { json: boolean; fix?: boolean }) => {
      const sections: CheckSection[] = [];
      // The rate of an endpoint takes ten seconds.
      const waiting = startWaiting("Checking the configuration and what it names");
      for await (const section of examine({}, { isFixing: fix })) {
        sections.push(section);
        waiting.end();
        if (!json) process.stdout.write(findingText(section.title, section.lines));
        // The reader has left, so the remaining checks are not run.
        if (process.stdout.errored) break;
        waiting.now("Checking the rest; each endpoint is measured for ten seconds");
      }
      waiting.end();
      const counts = countFindings(sections.flatMap((section) => section.lines));
      const report = { ok: counts.fail === 0, counts, sections };
      if (json) process.stdout.write(`${printableJson(report, 2)}\n`);
      else process.stdout.write(`\n${summaryText(counts)}\n`);
      process.exitCode = counts.fail > 0 ? exitCodes.configuration : exitCodes.success;
    });
}
