/**
 * Refunds in the store. A claim of a refund is decided with the payment's other refunds, under a lock
 * of the payment; a failed refund is renewed in place, since its nonce stays the same.
 */
import { assert } from "../base/assert.ts";
import {
  evaluateRecovered,
  evaluateRefund,
  type RefundEntry,
  type StoredRefund,
} from "../model/refund.ts";
import { settlementTransitions, type Claim, type Settlement } from "../model/settlement.ts";
import { signatureHashOf } from "../model/signature-hash.ts";
import { textList, type Database } from "./dialect.ts";
import { endWatches } from "./failure-watches.ts";
import {
  showTransitions,
  transitionOf,
  type ClaimRefusal,
  type EngineTransaction,
  type SettlementParticipant,
} from "./participant.ts";
import { toSettlement } from "./rows.ts";
import { newSettlements, settlementColumns } from "./schema.ts";

/** The first schema whose processes know refunds. */
const refundSchema = "0015";

export function refundMethods(database: Database) {
  return {
    listRefunds: (settlementIds: readonly string[]) => listRefunds(database, settlementIds),
  };
}

/** Lock names of refunds, so that two claims cannot take the last of a payment. */
export function refundLocks(claims: readonly Claim[]): string[] {
  return claims.flatMap(({ refund }) => (refund ? [`refund:${refund.of}`] : []));
}

/** Adds the reasons of refused refunds; returns the ordinals of the others, by the claim's id. */
export async function evaluateRefunds(
  inside: Database,
  claims: readonly Claim[],
  refusals: Map<string, ClaimRefusal>,
): Promise<ReadonlyMap<string, number>> {
  const asked = claims.flatMap((claim) => {
    return claim.refund && !refusals.has(claim.id) ? [{ claim, refund: claim.refund }] : [];
  });
  const ordinals = new Map<string, number>();
  if (asked.length === 0) return ordinals;
  // A process of an earlier version would continue a refund as a payment.
  if (await inside.engine.hasOlderProcesses?.(inside.db, refundSchema)) {
    for (const { claim } of asked) refusals.set(claim.id, "refunds_not_ready");
    return ordinals;
  }
  const ids = [...new Set(asked.map(({ refund }) => refund.of))];
  const payments = await findPayments(inside, ids);
  const stored = await listRefunds(inside, ids);
  const refunds = new Map<string | null, readonly RefundEntry[]>(
    Map.groupBy(stored, ({ settlement }) => settlement.refundOf),
  );
  for (const { claim, refund } of asked) {
    const payment = payments.get(refund.of);
    const others = refunds.get(refund.of) ?? [];
    const evaluated =
      payment &&
      (claim.isRecovered === true
        ? evaluateRecovered(payment, claim)
        : evaluateRefund(payment, others, { ...claim, ...refund }));
    if (!evaluated?.ok) {
      refusals.set(claim.id, evaluated?.refusal.code ?? "settlement_not_refundable");
      continue;
    }
    const { ordinal } = evaluated;
    ordinals.set(claim.id, ordinal);
    // Counts for the next claim of the batch.
    const claimed = { ordinal, settlement: { ...claim, state: "queued" as const }, isDead: false };
    const left = others.filter((other) => other.ordinal !== ordinal);
    refunds.set(refund.of, [...left, claimed]);
  }
  return ordinals;
}

async function findPayments(
  { db, engine }: Database,
  ids: readonly string[],
): Promise<Map<string, Settlement>> {
  const rows = await db
    .selectFrom(textList(engine, ids))
    .innerJoin("settlements", "settlements.id", "given.of")
    .select(settlementColumns)
    .execute();
  return new Map(rows.map((row) => [row.id, toSettlement(row)]));
}

/** A failure that is no longer watched proves that no authorization of it can move money. */
async function listRefunds(
  { db, engine }: Database,
  settlementIds: readonly string[],
): Promise<StoredRefund[]> {
  if (settlementIds.length === 0) return [];
  const rows = await db
    .selectFrom(textList(engine, settlementIds))
    .innerJoin("refunds", "refunds.settlement_id", "given.of")
    .innerJoin("settlements", "settlements.id", "refunds.refund_id")
    .leftJoin("failure_watches", "failure_watches.settlement_id", "settlements.id")
    .select(settlementColumns)
    .select(["refunds.ordinal", "failure_watches.failed_at as watched_since"])
    .orderBy("refunds.settlement_id")
    .orderBy("refunds.ordinal")
    .execute();
  return rows.map(({ ordinal, watched_since: watchedSince, ...row }) => ({
    ordinal,
    settlement: toSettlement(row),
    isDead: row.state === "failed" && watchedSince === null,
  }));
}

export async function insertRefunds(
  { db, engine }: Database,
  made: readonly Claim[],
  ordinals: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = made.flatMap(({ id, refund }) => {
    const ordinal = ordinals.get(id);
    if (!refund || ordinal === undefined) return [];
    return [{ refund_id: id, settlement_id: refund.of, ordinal }];
  });
  if (rows.length === 0) return;
  const columns = { refund_id: "text", settlement_id: "text", ordinal: "bigint" } as const;
  const names = ["refund_id", "settlement_id", "ordinal"] as const;
  await db
    .insertInto("refunds")
    .columns(names)
    .expression(db.selectFrom(engine.list(rows, columns)).select(names))
    .execute();
}

/** Queues failed refunds again with their new authorizations; returns those that were failed. */
export async function renewAll(
  tx: EngineTransaction,
  claims: readonly Claim[],
  known: ReadonlyMap<string, Settlement>,
  participants: readonly SettlementParticipant[],
): Promise<readonly Settlement[]> {
  if (claims.length === 0) return [];
  const { db, engine, now } = tx;
  const list = engine.list(
    claims.map((claim) =>
      newSettlements.write({
        ...claim,
        state: settlementTransitions.renewed.to,
        createdAt: now,
        refundOf: claim.refund?.of ?? null,
        signatureHash: signatureHashOf(claim),
        recoveredAt: null,
      }),
    ),
    newSettlements.types,
  );
  const [from] = settlementTransitions.renewed.from;
  const rows = await db
    .updateTable("settlements")
    .from(list)
    .set(({ ref }) => ({
      state: settlementTransitions.renewed.to,
      amount: ref("given.amount"),
      valid_after: ref("given.valid_after"),
      valid_before: ref("given.valid_before"),
      signature: ref("given.signature"),
      signature_hash: ref("given.signature_hash"),
      payer_has_code: ref("given.payer_has_code"),
      seen_unused_at: ref("given.seen_unused_at"),
      key_id: ref("given.key_id"),
      request_id: ref("given.request_id"),
      transaction_id: null,
      transaction_hash: null,
      submitted_at: null,
      failure: null,
      failure_message: null,
      failed_at: null,
    }))
    .whereRef("settlements.id", "=", "given.id")
    .where("settlements.state", "=", from)
    .returning(settlementColumns)
    .execute();
  await endWatches(
    tx,
    rows.map(({ id }) => id),
  );
  const transitions = rows.map((row) => {
    const before = known.get(row.id);
    assert(before, "a renewed refund was read before");
    return transitionOf("renewed", row, before);
  });
  const shown = await showTransitions(tx, participants, transitions);
  return shown.map(({ settlement }) => settlement);
}
