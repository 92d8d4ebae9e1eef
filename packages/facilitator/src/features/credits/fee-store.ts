/** The row of the present fee. Whoever changes it announces it in the same transaction. */
import { formatUsdc, unitsPerCredit } from "@farthing/protocol";
import { timeText } from "@farthing/engine/base";
import { atomic, type Database } from "@farthing/engine/storage";
import type { FeeRow, FeeStore } from "../../payments/present-fee.ts";
import { putIntoEveryOutbox } from "../webhooks/participant.ts";
import { feeTable } from "./tables.ts";

/** The table has one row. */
const id = 1;

export function feeMethods(database: Database): FeeStore {
  return {
    /** Returns the present fee; undefined in a database that never had one. */
    readFee: async () => {
      const row = await database.db
        .selectFrom("settlement_fee")
        .select(feeTable.columns)
        .where("id", "=", id)
        .executeTakeFirst();
      return row && feeTable.read(row);
    },
    changeFee: atomic(database, changeFee),
  };
}

async function changeFee(
  inside: Database,
  from: FeeRow | undefined,
  { rule, credits }: Pick<FeeRow, "rule" | "credits">,
  now: number,
): Promise<boolean> {
  if (!from) {
    const added = await inside.db
      .insertInto("settlement_fee")
      .values({ id, ...feeTable.write({ rule, credits, before: null, since: now }) })
      .onConflict((on) => on.doNothing())
      .executeTakeFirst();
    return added.numInsertedOrUpdatedRows === 1n;
  }
  const isOther = credits !== from.credits;
  const to = isOther ? { rule, credits, before: from.credits, since: now } : { ...from, rule };
  const changed = await inside.db
    .updateTable("settlement_fee")
    .set(feeTable.write(to))
    .where("id", "=", id)
    .where("rule", "=", from.rule)
    .where("credits", "=", from.credits)
    .where("since", "=", from.since)
    .executeTakeFirst();
  if (changed.numUpdatedRows !== 1n) return false;
  if (isOther) {
    const data = {
      credits,
      creditsBefore: from.credits,
      usdc: formatUsdc(BigInt(credits) * unitsPerCredit),
      since: timeText(now),
    };
    await putIntoEveryOutbox(inside, { type: "fee.changed", data }, now);
  }
  return true;
}
