/**
 * The names of a database's participants. A process without one of them would confirm settlements
 * without charging the account, so it does not open the database.
 */
import { Fault } from "../base/fault.ts";
import { inTransaction, type Database } from "./dialect.ts";

/** Throws `configuration` when the database has another participant. */
export async function recordParticipants(
  database: Database,
  names: readonly string[],
): Promise<void> {
  const rows = await database.db
    .selectFrom("participants")
    .select("name")
    .orderBy("name")
    .execute();
  const recorded = rows.map(({ name }) => name);
  const lacking = recorded.filter((name) => !names.includes(name));
  if (lacking.length > 0) {
    throw new Fault(
      "configuration",
      `The database belongs to a service that settles with ${lacking.join(", ")}; this process lacks that, so it must not settle on it. Start that service, or use a database of its own`,
      { retryable: false },
    );
  }
  const added = names.filter((name) => !recorded.includes(name));
  if (added.length === 0) return;
  await inTransaction(database, ({ db }) =>
    db
      .insertInto("participants")
      .values(added.map((name) => ({ name })))
      // Another process that starts at the same time may have recorded them.
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute(),
  );
}
