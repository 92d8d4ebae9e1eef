/**
 * Other versions at the same database, which keep this one from opening it: a newer one that has
 * changed it, and an older one that works on a SQLite file which this version is about to change.
 */
import { hostname } from "node:os";
import { systemClock } from "../base/clock.ts";
import { isProcessRunning } from "../base/process-running.ts";
import { DatabaseRefusal, type DatabaseProblem } from "./database-problem.ts";
import type { Database } from "./dialect.ts";
import { migrationNames } from "./migrate.ts";
import { readMigrations } from "./recorded-migrations.ts";

/**
 * How long the check watches the lease of a process on another host, in milliseconds. It is longer than
 * a lease lasts, so a lease that no process renews expires during the check.
 */
const watchMsMax = 20_000;

/** The pause between two looks, in milliseconds: a lease is renewed every two seconds. */
const pauseMs = 250;

/** The oldest migration; without it there are no leases. */
const [first = ""] = migrationNames;

/** Names the versions by their migrations, which is what a database knows of them. */
export function newerVersionProblem(unknown: readonly string[]): DatabaseProblem {
  const newest = migrationNames.at(-1) ?? "";
  return {
    text: `a newer version has changed it (${unknown.join(", ")}); this version, which knows it up to ${newest}, does not start on it`,
    fix: "start the newer version, or restore a backup from before it",
  };
}

/** Throws {@link DatabaseRefusal}; `features` are the names of the features' migrations. */
export async function refuseOtherVersions(
  database: Database,
  features: readonly string[],
): Promise<void> {
  const { isNew, missing, unknown } = await readMigrations(database.db, features);
  if (unknown.length > 0) throw new DatabaseRefusal(newerVersionProblem(unknown));
  const isUnchanged = isNew || missing.length === 0 || missing.includes(first);
  // Processes of several versions share a server during a rolling update.
  if (isUnchanged || database.engine.file === undefined) return;
  const holder = await findLivingHolder(database);
  if (holder === undefined) return;
  const [host = "", pid = ""] = holder.split("/");
  throw new DatabaseRefusal({
    text: `the version before works on this file (process ${pid} on ${host}), and this version would change it (${missing.join(", ")})`,
    fix: "stop that process first",
  });
}

/** Returns a process that certainly works on the file; waits while that is uncertain. */
async function findLivingHolder(database: Database): Promise<string | undefined> {
  const endMs = systemClock.nowMs() + watchMsMax;
  const seen = new Map<string, number>();
  for (;;) {
    const leases = (await listLeases(database)).filter(({ holder }) => !isGone(holder));
    for (const { holder, untilMs } of leases) {
      const isRenewed = untilMs > (seen.get(holder) ?? untilMs);
      if (isHere(holder) || isRenewed || systemClock.nowMs() >= endMs) return holder;
      seen.set(holder, untilMs);
    }
    if (leases.length === 0) return undefined;
    // In another container, the process cannot be looked at: it lives if it renews its lease.
    await systemClock.sleep(pauseMs);
  }
}

async function listLeases({ db }: Database) {
  const rows = await db
    .selectFrom("lanes")
    .select(["lease_owner", "lease_until"])
    .where("lease_owner", "is not", null)
    .where("lease_until", ">", systemClock.nowMs())
    .execute();
  return rows.map((row) => ({ holder: row.lease_owner ?? "", untilMs: Number(row.lease_until) }));
}

function isHere(holder: string): boolean {
  return holder.startsWith(`${hostname()}/`);
}

/** Whether a holder of this machine has ended; an earlier process may have had our process id. */
function isGone(holder: string): boolean {
  const pid = Number(holder.split("/")[1]);
  return isHere(holder) && (pid === process.pid || !isProcessRunning(pid));
}
