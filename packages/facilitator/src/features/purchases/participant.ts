/** Purchases take part in the removal of settlements. */
import type { SettlementParticipant } from "@farthing/engine/storage";

/** Settlements that pay for purchases are kept for as long as the purchase names them. */
export const purchasesParticipant: SettlementParticipant = {
  name: "purchases",
  async beforePrune({ db, engine }, ids) {
    const list = engine.list(
      ids.map((of) => ({ of })),
      { of: "text" },
    );
    const rows = await db
      .selectFrom("credit_purchases")
      .select("settlement_id")
      .where("settlement_id", "in", db.selectFrom(list).select("given.of"))
      .execute();
    return { kept: new Set(rows.flatMap(({ settlement_id: id }) => id ?? [])) };
  },
};
