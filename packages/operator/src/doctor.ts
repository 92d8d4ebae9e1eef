/** `farthing doctor`: checks a facilitator's configuration and everything that it names. */
import { examine } from "@farthing/facilitator";
import type { Command } from "commander";
import { printSections } from "./print-sections.ts";

export function register(program: Command): void {
  program
    .command("doctor")
    .description(
      "Reads the facilitator's configuration as `farthing serve` does, checks everything it names (database, each RPC endpoint, token, wallets, clock), and reports what to fix. Finally it calls each endpoint for ten seconds at the rate of the facilitator. It sends no transaction, and can run while the facilitator runs. It changes nothing; with --fix, it takes the rights of others on the database and on files of secrets away. Exit code 0: nothing must be fixed; 3: something must.",
    )
    .option("--fix", "repair what is safe to repair: files that others on this machine can read")
    .option("--json", "print one JSON object", false)
    .action(async ({ json, fix = false }: { json: boolean; fix?: boolean }) => {
      await printSections(examine({}, { isFixing: fix }), {
        isJson: json,
        waitsFor: {
          // The rate of an endpoint takes ten seconds.
          first: "Checking the configuration and what it names",
          rest: "Checking the rest; each endpoint is measured for ten seconds",
        },
      });
    });
}
