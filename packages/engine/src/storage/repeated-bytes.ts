/**
 * Transactions that were signed into the bytes of another one. A database keeps bytes once, so that
 * such a transaction can never be stored as signed. The other one is used in its place.
 */
import { toLowerHex } from "@farthing/protocol";
import type { ExpressionBuilder } from "kysely";
import { transactionTransitions } from "../model/relayer-transaction.ts";
import { openStates } from "../model/settlement.ts";
import type { Work } from "./dialect.ts";
import type { EngineStore } from "./engine-store.ts";
import type { Tables } from "./schema.ts";
import { isMinedAt } from "./reopened-nonces.ts";
import { lockSettlements } from "./settlements.ts";
import { checkFence } from "./wallet-leases.ts";

export const dropRepeats: Work<EngineStore["dropRepeats"]> = async (inside, lease, signed, now) => {
  await checkFence(inside, lease, now);
  const { db } = inside;
  let count = 0;
  for (const { id, hash } of signed) {
    const known = await db
      .selectFrom("relayer_transactions")
      .select(["id", "nonce"])
      .where("hash", "=", hash)
      .where("id", "!=", id)
      .executeTakeFirst();
    if (!known) continue;
    const { numUpdatedRows } = await db
      .updateTable("relayer_transactions")
      .set({ state: transactionTransitions.released.to })
      .where("id", "=", id)
      .where("chain_id", "=", lease.chainId)
      .where("lane", "=", toLowerHex(lease.lane))
      .where("state", "in", transactionTransitions.released.from)
      .executeTakeFirst();
    count += Number(numUpdatedRows);
    // Dropped with its nonce, which was then reorganised out: it may be mined like the bytes that repeat it.
    if (!(await isMinedAt(inside, lease, Number(known.nonce)))) {
      await db
        .updateTable("relayer_transactions")
        .set({ state: transactionTransitions.reopened.to, block_number: null })
        .where("id", "=", Number(known.id))
        .where("raw", "is not", null)
        .where("state", "in", transactionTransitions.reopened.from)
        .execute();
    }
    const isItsOwn = (where: ExpressionBuilder<Tables, "settlements">) =>
      where.and([where("transaction_id", "=", id), where("state", "in", openStates)]);
    await lockSettlements(inside, isItsOwn);
    await db
      .updateTable("settlements")
      .set({ transaction_id: Number(known.id), transaction_hash: hash })
      .where(isItsOwn)
      .execute();
  }
  return count;
};
