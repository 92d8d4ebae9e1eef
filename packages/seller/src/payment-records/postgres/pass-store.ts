/** Passes in PostgreSQL. Each change is one statement. */
import { passIn, type PassStore } from "../passes/pass-store.ts";
import type { Query } from "./tables.ts";
import { maxPassKeptMs } from "../retention.ts";

/** Ended passes that each new one deletes: more than it adds, so nothing piles up. */
const maxSwept = 4;

const columns = `id, token_hash as "tokenHash", scope, uses, uses_left as "usesLeft",
  expires_at_ms as "expiresAtMs", is_void as "isVoid", is_final as "isFinal", payment`;

const marks = { final: "is_final", void: "is_void" } as const;

export function createPostgresPassStore(
  query: Query,
  now: () => number = () => Date.now(),
): PassStore {
  const get: PassStore["get"] = async (id) => {
    const text = `select ${columns} from farthing_passes where id = $1 and expires_at_ms > $2`;
    const [row] = await query(text, [id, now() - maxPassKeptMs]);
    return row && passIn(row);
  };
  return {
    get,
    async open(pass) {
      const { id, tokenHash, scope, uses, usesLeft, expiresAtMs, isFinal, payment } = pass;
      const { payer, network } = payment;
      const inserted = await query(
        `insert into farthing_passes as old
           (id, token_hash, scope, uses, uses_left, expires_at_ms, is_final, payment, payer,
            network)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict (id) do update set token_hash = excluded.token_hash where old.is_void = 0
         returning ${columns}`,
        [
          id,
          tokenHash,
          scope,
          uses,
          usesLeft,
          expiresAtMs,
          isFinal ? 1 : 0,
          JSON.stringify(payment),
          payer.toLowerCase(),
          network,
        ],
      );
      await query(
        `delete from farthing_passes where id in
           (select id from farthing_passes where expires_at_ms <= $1
            order by expires_at_ms limit ${maxSwept} for update skip locked)`,
        [now() - maxPassKeptMs],
      );
      const [row] = inserted;
      return row ? passIn(row) : ((await get(id)) ?? pass);
    },
    async addUses(id, added, tokenHash) {
      const guard = tokenHash === undefined ? "" : "and token_hash = $3";
      const [row] = await query(
        `update farthing_passes set uses_left = uses_left + $2::bigint where id = $1
           and is_void = 0 and uses_left + $2::bigint between 0 and uses ${guard}
         returning uses_left as "usesLeft"`,
        tokenHash === undefined ? [id, added] : [id, added, tokenHash],
      );
      return row && Number(row["usesLeft"]);
    },
    ...createLookups(query, now),
    async mark(id, mark) {
      const text = `update farthing_passes set ${marks[mark]} = 1 where id = $1 returning id`;
      return (await query(text, [id])).length > 0;
    },
  };
}

/** Finds passes by their payer, and keeps what sign-ins use. */
function createLookups(
  query: Query,
  now: () => number,
): Pick<PassStore, "heldBy" | "recall" | "remember"> {
  return {
    async heldBy({ payer, networks, scope, nowMs }) {
      const [row] = await query(
        `select ${columns} from farthing_passes where payer = $1 and scope = $2
           and network = any($3) and is_void = 0 and uses_left > 0 and expires_at_ms > $4
         order by expires_at_ms desc, id limit 1`,
        [payer, scope, networks, nowMs],
      );
      return row && passIn(row);
    },
    async recall(key) {
      const text = "select value from farthing_kept where key = $1 and until_ms > $2";
      const [row] = await query(text, [key, now()]);
      return typeof row?.["value"] === "string" ? row["value"] : undefined;
    },
    async remember(key, value, untilMs) {
      await query(
        `delete from farthing_kept where key in
           (select key from farthing_kept where until_ms <= $1
            order by until_ms limit ${maxSwept} for update skip locked)`,
        [now()],
      );
      // One that is over may still be there, and is replaced.
      const inserted = await query(
        `insert into farthing_kept as old (key, value, until_ms) values ($1, $2, $3)
         on conflict (key) do update set value = excluded.value, until_ms = excluded.until_ms
           where old.until_ms <= $4
         returning key`,
        [key, value, untilMs, now()],
      );
      if (inserted.length > 0) return undefined;
      const [row] = await query("select value from farthing_kept where key = $1", [key]);
      return typeof row?.["value"] === "string" ? row["value"] : value;
    },
  };
}
