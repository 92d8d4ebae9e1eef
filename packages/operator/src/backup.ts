/** `farthing backup`: copies the facilitator's SQLite file, also while the facilitator runs. */
import { resolve } from "node:path";
import { backUpSqlite, readDatabaseUrl } from "@farthing/facilitator";
import type { Command } from "commander";
import { whileWaiting } from "farthing/program";
import { reportFaults } from "./database.ts";

export function register(program: Command): void {
  program
    .command("backup")
    .description(
      "Copies the SQLite database of DATABASE_URL (or of FARTHING_CONFIG) to a new file, also while the facilitator runs, and checks the copy. To restore it, stop the facilitator, replace the database with the copy, remove the -wal and -shm files, and start. For PostgreSQL, use pg_dump.",
    )
    .argument("<file>", "the new file; it must not exist")
    .action((file: string) =>
      reportFaults("backup", async () => {
        const target = resolve(file);
        const { bytes } = await whileWaiting(`Copying the database to ${target}`, () =>
          backUpSqlite(readDatabaseUrl(), target),
        );
        console.error(`${target}: ${bytes.toLocaleString("en")} bytes, checked`);
      }),
    );
}
