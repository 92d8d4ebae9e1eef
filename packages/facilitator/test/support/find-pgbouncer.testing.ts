/** Where PgBouncer is on this machine. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** PgBouncer's program: `PGBOUNCER_PATH`, or the one in `PATH` or where Debian has it. */
export function findPgBouncer(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  const named = process.env["PGBOUNCER_PATH"];
  const places = [
    ...(named === undefined ? [] : [named]),
    ...folders.map((one) => join(one, "pgbouncer")),
  ];
  return places.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
