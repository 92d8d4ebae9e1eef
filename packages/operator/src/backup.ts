/** `farthing backup`: a copy of the facilitator's SQLite file, also while it runs. */
import { resolve } from "node:path";
import { writeTo } from "@farthing/protocol";
import type { Command } from "commander";
import { exitCodes } from "farthing/program";

/** Adds the subcommand. */
export function register(program: Command): void {
  program
    .command("backup")
    .description(
      "Copies the SQLite database of DATABASE_URL (or of FARTHING_CONFIG) to a new file, also while the facilitator runs, and checks the copy. To restore it, stop the facilitator, put the copy in the place of the database, remove its -wal and -shm files, and start. Of PostgreSQL, pg_dump makes the copy.",
    )
    .argument("<file>", "where the copy goes; must not be there")
    .action(async (file: string) => {
      const { backUpSqlite, Fault, readDatabaseUrl } = await import("@farthing/facilitator");
      try {
        const target = resolve(file);
        const { bytes } = await backUpSqlite(readDatabaseUrl(), target);
        console.error(`${target}: ${bytes.toLocaleString("en")} bytes, checked`);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        writeTo(process.stderr, `farthing backup: ${error.message}\n`);
        process.exitCode = exitCodes.configuration;
      }
    });
}
