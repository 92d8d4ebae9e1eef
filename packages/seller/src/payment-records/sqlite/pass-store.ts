/** Passes in the SQLite database of the payment records. Each call is one transaction. */
import { maxPassKeptMs } from "../retention.ts";
import { passIn, type Pass, type PassStore } from "../passes/pass-store.ts";
import type { Database } from "./tables.ts";

/** Ended passes that each new one deletes: more than it adds, so nothing piles up. */
const maxSwept = 4;

const columns = `id, token_hash as tokenHash, scope, uses, uses_left as usesLeft,
  expires_at_ms as expiresAtMs, is_void as isVoid,
  is_final as isFinal, payment`;

const marks = { final: "is_final", void: "is_void" } as const;

export function createSqlitePassStore(
  database: Database,
  passesMax: number,
  now: () => number,
): PassStore {
  function find(id: string): Pass | undefined {
    const text = `select ${columns} from passes where id = ? and expires_at_ms > ?`;
    const row = database.get(text, id, now() - maxPassKeptMs);
    return row && passIn(row);
  }
  const total = () => Number(database.get("select entries from pass_total")?.["entries"]);
  function sweep(): void {
    database.run(
      `delete from passes where id in (select id from passes where expires_at_ms <= ?
         order by expires_at_ms limit ${maxSwept})`,
      now() - maxPassKeptMs,
    );
  }
  function insert(pass: Pass): void {
    sweep();
    database.run(
      `insert into passes
         (id, token_hash, scope, uses, uses_left, expires_at_ms, is_final, payment)
       values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set token_hash = excluded.token_hash where is_void = 0`,
      pass.id,
      pass.tokenHash,
      pass.scope,
      pass.uses,
      pass.usesLeft,
      pass.expiresAtMs,
      pass.isFinal ? 1 : 0,
      JSON.stringify(pass.payment),
    );
  }
  return {
    get: async (id) => find(id),
    open: async (pass) =>
      database.transaction(() => {
        insert(pass);
        return find(pass.id) ?? pass;
      }, "surely"),
    async addUses(id, added, tokenHash) {
      const guard = tokenHash === undefined ? "" : "and token_hash = ?";
      // The table's check keeps the sum between 0 and all uses; a power cut may give a use back.
      const add = () =>
        database.get(
          `update passes set uses_left = uses_left + ? where id = ? and is_void = 0
             and uses_left + ? between 0 and uses ${guard} returning uses_left as usesLeft`,
          added,
          id,
          added,
          ...(tokenHash === undefined ? [] : [tokenHash]),
        );
      const row = await database.together(add, "soon");
      return row && Number(row["usesLeft"]);
    },
    async heldBy({ payer, networks, scope, nowMs }) {
      const row = database.get(
        `select ${columns} from passes where lower(json_extract(payment, '$.payer')) = ?
           and scope = ? and is_void = 0 and uses_left > 0 and expires_at_ms > ?
           and json_extract(payment, '$.network') in (${networks.map(() => "?").join(", ")})
         order by expires_at_ms desc, rowid desc limit 1`,
        payer,
        scope,
        nowMs,
        ...networks,
      );
      return row && passIn(row);
    },
    ...createNotes(database, now),
    async mark(id, mark) {
      const text = `update passes set ${marks[mark]} = 1 where id = ? returning id`;
      return database.transaction(() => database.get(text, id), "surely") !== undefined;
    },
    async isFull() {
      if (total() < passesMax) return false;
      database.transaction(sweep, "soon");
      return total() >= passesMax;
    },
  };
}

function createNotes(
  database: Database,
  now: () => number,
): Pick<PassStore, "recall" | "remember"> {
  function recall(key: string): string | undefined {
    const text = "select value from kept where key = ? and until_ms > ?";
    const found = database.get(text, key, now());
    return found && String(found["value"]);
  }
  return {
    async remember(key, value, untilMs) {
      return database.transaction(() => {
        database.run(
          `delete from kept where key in
             (select key from kept where until_ms <= ? order by until_ms limit ${maxSwept})`,
          now(),
        );
        const found = recall(key);
        // One that is over may still be there.
        const text = "insert or replace into kept (key, value, until_ms) values (?, ?, ?)";
        if (found === undefined) database.run(text, key, value, untilMs);
        return found;
      }, "surely");
    },
    recall: async (key) => recall(key),
  };
}
