/** The tokens of challenges that payments have shown, in a SQLite file, and by whom. */
import { tokenMsMax } from "./retention.ts";
import type { Database } from "./sqlite-file.ts";

/** One token that a payment has shown. */
interface TokenNote {
  readonly token: string;
  readonly payer: string;
  readonly nowMs: number;
  /** Of more than that the oldest are forgotten. */
  readonly notesMax: number;
}

/** What each new note clears away of what has ended: more than it adds, so nothing piles up. */
const sweptTokens = 4;

/** Notes the token. True when another payer has shown it as well. Runs in a transaction. */
export function isTokenShared(database: Database, note: TokenNote): boolean {
  const { token, payer, nowMs, notesMax } = note;
  database.run(
    `delete from tokens where id in
       (select id from tokens where expires_at_ms <= ? order by expires_at_ms limit ${sweptTokens})`,
    nowMs,
  );
  const row = database.get(
    "select id, payer from tokens where token = ? and expires_at_ms > ?",
    token,
    nowMs,
  );
  if (row) {
    if (row["payer"] === payer) return false;
    if (row["payer"] !== null) {
      database.run("update tokens set payer = null where token = ?", token);
    }
    return true;
  }
  database.run("delete from tokens where token = ?", token);
  database.run(
    "insert into tokens (token, payer, expires_at_ms) values (?, ?, ?)",
    token,
    payer,
    nowMs + tokenMsMax,
  );
  // Ids grow by one with each note, so this keeps the newest without counting.
  database.run("delete from tokens where id <= (select max(id) from tokens) - ?", notesMax);
  return false;
}
