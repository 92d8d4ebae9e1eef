/** Purchases keep settlements from being removed. */
import { textList } from "@farthing/engine/storage";
import type { SettlementParticipant } from "@farthing/engine/storage";

/** A settlement is kept for as long as a purchase names it. */
export const purchasesParticipant: SettlementParticipant = {
  name: "purchases",
  async beforePrune({ db, engine }, ids) {
    const list = textList(engine, ids);
    const rows = await db
      .selectFrom("credit_purchases")
      .select("settlement_id")
      .where("settlement_id", "in", db.selectFrom(list).select("given.of"))
      .execute();
    return { kept: new Set(rows.flatMap(({ settlement_id: id }) => id ?? [])) };
  },
};
