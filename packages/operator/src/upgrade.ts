/**
 * `farthing upgrade --check`: says before an upgrade what starting this version would change;
 * `--partition` divides the tables of an earlier version.
 */
import { resolve } from "node:path";
import { examineUpgrade } from "@farthing/facilitator";
import type { Command } from "commander";
import { addPrintFlags, isJsonWanted, type PrintFlags } from "farthing/program";
import { partition } from "./partition.ts";
import { printSections } from "./print-sections.ts";

interface UpgradeFlags extends PrintFlags {
  readonly check?: true;
  readonly partition?: true;
  readonly dryRun?: true;
  readonly rehearse?: string;
}

export function register(program: Command): void {
  const command = program
    .command("upgrade")
    .description(
      "Says what starting this version would change: settings that it does not know, migrations and indexes of the database, and whether running processes may stay. Run it from the new version, beside the old one. Only --partition changes anything.",
    )
    .option("--check", "only say it; the start itself carries it out")
    .option(
      "--partition",
      "after an upgrade on PostgreSQL, beside the service: move transactions that are over and ended webhook deliveries into parts by months",
    )
    .option("--dry-run", "with --partition: say how much there is to move, and change nothing")
    .option(
      "--rehearse <file>",
      "copy the SQLite database to this new file, update the copy, and say how long that took",
    );
  addPrintFlags(command).action((flags: UpgradeFlags) => {
    if (flags.partition) return partition(flags.dryRun === true);
    return flags.check ? check(flags) : command.help({ error: true });
  });
}

async function check(flags: UpgradeFlags): Promise<void> {
  const rehearseOn = flags.rehearse === undefined ? undefined : resolve(flags.rehearse);
  await printSections(examineUpgrade({ rehearseOn }), {
    isJson: isJsonWanted(flags),
    waitsFor: { first: "Reading the database", rest: "Updating a copy of the database" },
  });
}
