/** Passes in PostgreSQL. Each change is one statement. */
import { passIn, type PassStore } from "./pass-store.ts";
import type { Query } from "./postgres-tables.ts";
import { maxPassKeptMs } from "./retention.ts";

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
      const inserted = await query(
        `insert into farthing_passes as old
           (id, token_hash, scope, uses, uses_left, expires_at_ms, is_final, payment)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
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
    async mark(id, mark) {
      const text = `update farthing_passes set ${marks[mark]} = 1 where id = $1 returning id`;
      return (await query(text, [id])).length > 0;
    },
  };
}
