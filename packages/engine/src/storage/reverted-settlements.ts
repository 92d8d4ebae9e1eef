/** Settlements whose transactions were mined and reverted as a whole. */
import type { Database } from "./dialect.ts";
import { isOneOf } from "./settlements.ts";
import type { EngineStore } from "./engine-store.ts";

/** The store's verb about them. */
export function revertedVerbs({ db, engine }: Database): Pick<EngineStore, "findRevertedTwice"> {
  return {
    findRevertedTwice: async (ids) => {
      if (ids.length === 0) return new Set();
      // A queued settlement has no outcome: every mined transaction that carried it has reverted.
      const rows = await db
        .selectFrom("settlements")
        .innerJoin("transaction_settlements as link", "link.settlement_id", "settlements.id")
        .innerJoin("relayer_transactions as carrier", "carrier.id", "link.transaction_id")
        .select("settlements.id")
        .where(isOneOf(engine, ids))
        .where("settlements.state", "=", "queued")
        .where("carrier.state", "=", "mined")
        .groupBy("settlements.id")
        .having(({ fn }) => fn.countAll(), ">=", 2)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}
