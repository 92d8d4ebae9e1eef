/** The tokens of challenges that payments have shown, in a SQLite file, and by whom. */
import { tokenMsMax } from "./retention.ts";
import type { Database } from "./sqlite-file.ts";
import type { TokenStore } from "./store.ts";

/** What each new note clears away of what has ended: more than it adds, so nothing piles up. */
const sweptTokens = 4;

/** Creates the notes in a file; of more than `notesMax` the oldest are forgotten. */
export function createSqliteTokens(
  database: Database,
  notesMax: number,
  now: () => number,
): TokenStore {
  function insert(token: string, payer: string): string | null | undefined {
    const nowMs = now();
    database.run(
      `delete from tokens where id in
         (select id from tokens where expires_at_ms <= ? order by expires_at_ms limit ${sweptTokens})`,
      nowMs,
    );
    const row = database.get(
      "select payer from tokens where token = ? and expires_at_ms > ?",
      token,
      nowMs,
    );
    if (row) return row["payer"] === null ? null : String(row["payer"]);
    database.run("delete from tokens where token = ?", token);
    database.run(
      "insert into tokens (token, payer, expires_at_ms) values (?, ?, ?)",
      token,
      payer,
      nowMs + tokenMsMax,
    );
    // Ids grow by one with each note, so this keeps the newest without counting.
    database.run("delete from tokens where id <= (select max(id) from tokens) - ?", notesMax);
    return undefined;
  }
  return {
    insert: async (token, payer) => database.transaction(() => insert(token, payer), "soon"),
    share: async (token) => {
      const text = "update tokens set payer = null, expires_at_ms = ? where token = ?";
      database.transaction(() => database.run(text, now() + tokenMsMax, token), "soon");
    },
  };
}
