/**
 * Claims turn authorizations into settlements, in one transaction that also reads everything that
 * decides them: the engine's rules and those of its participants.
 */
import { sql } from "kysely";
import { assert } from "../base/assert.ts";
import { firstByKey } from "../base/first-by-key.ts";
import { isRenewal } from "../model/refund.ts";
import {
  keyText,
  type Claim,
  type AuthorizationKey,
  type Settlement,
} from "../model/settlement.ts";
import { signatureHashOf } from "../model/signature-hash.ts";
import { insertClaimingCalls } from "./claiming-calls.ts";
import { withRow, type Database } from "./dialect.ts";
import { exchangeKeyOf, exchangeKeyValues, keyTypes } from "./exchange-store.ts";
import {
  beginStep,
  denyClaims,
  showClaimed,
  type ClaimRefusal,
  type EngineTransaction,
  type SettlementParticipant,
} from "./participant.ts";
import { identifierLocks, insertIdentifiers, refuseIdentifiers } from "./payment-identifiers.ts";
import { evaluateRefunds, insertRefunds, refundLocks, renewAll } from "./refunds.ts";
import { evaluateRevertedGas, reserveRevertedGas, revertedGasLocks } from "./reverted-gas.ts";
import { toSettlement } from "./rows.ts";
import {
  newSettlements,
  settlementColumnList,
  settlementColumns,
  type SettlementRow,
} from "./schema.ts";
import type { ClaimResult } from "./engine-store.ts";

/** Results are in the order of the claims. */
export async function claimAll(
  inside: Database,
  asked: readonly Claim[],
  now: number,
  participants: readonly SettlementParticipant[],
): Promise<ClaimResult[]> {
  const tx = beginStep(inside, now);
  // Locked before any read, so that budgets, refunds and buyers' identifiers do not change meanwhile.
  await tx.engine.lockNames(tx.db, [
    ...revertedGasLocks(asked),
    ...identifierLocks(asked),
    ...refundLocks(asked),
    ...participants.flatMap((participant) => participant.locksOf?.(asked) ?? []),
  ]);
  const known = await findByKeys(tx, asked);
  const { claims, failed } = separateRenewals(asked, known);
  // Of two equal keys in one batch, the first creates the settlement and the second finds it.
  const unknown = claims.filter((claim) => !known.has(keyText(claim)));
  const fresh = firstByKey(unknown, keyText);
  const { refusals, reservations, ordinals } = await refusalsOf(
    tx,
    [...fresh.values()],
    participants,
  );
  const allowed = [...fresh.values()].filter((claim) => !refusals.has(claim.id));
  const inserted = await insertAll(
    tx,
    allowed.filter(({ id }) => !failed.has(id)),
  );
  const made = allowed.filter(({ id }) => inserted.has(id));
  await insertRefunds(tx, made, ordinals);
  const again = allowed.filter(({ id }) => failed.has(id));
  const renewed = await renewAll(tx, again, failed, participants);
  await reserveRevertedGas(tx, [...inserted.values(), ...renewed], reservations, now);
  await insertClaimingCalls(tx, made);
  await insertIdentifiers(tx, made, now);
  const shown = [...(await showClaimed(tx, participants, [...inserted.values()])), ...renewed];
  const created = new Map(shown.map((settlement) => [settlement.id, settlement]));
  // Another process claimed these between the read and the insert; its settlements are the result.
  const lost = allowed.filter((claim) => !created.has(claim.id));
  for (const [key, settlement] of await findByKeys(tx, lost)) known.set(key, settlement);
  for (const { id } of again) {
    // Its time was over, and it was removed since the read; so was its payment.
    if (!created.has(id)) refusals.set(id, "settlement_not_refundable");
  }
  await tx.engine.changes.announce(tx.db, { kind: "queued", ids: [...created.keys()] });
  return claims.map((claim) => {
    const own = fresh.get(keyText(claim)) === claim ? created.get(claim.id) : undefined;
    if (own) return { kind: "created", settlement: own };
    const existing = known.get(keyText(claim)) ?? sameGroup(created, claim);
    if (existing) return { kind: "existing", settlement: existing };
    return { kind: "refused", reason: refusalOf(claim, fresh, refusals) };
  });
}

/**
 * Gives claims that sign a failed refund again the id of its settlement, and removes this from the
 * known ones.
 */
function separateRenewals(asked: readonly Claim[], known: Map<string, Settlement>) {
  const failed = new Map<string, Settlement>();
  const claims = asked.map((claim) => {
    const existing = known.get(keyText(claim));
    if (!existing || !isRenewal(claim.refund, existing)) return claim;
    failed.set(existing.id, existing);
    // At the first attempt's price, which its account's entries are for.
    return { ...claim, id: existing.id, credits: existing.credits };
  });
  for (const settlement of failed.values()) known.delete(keyText(settlement));
  return { claims, failed };
}

function sameGroup(created: ReadonlyMap<string, Settlement>, claim: Claim): Settlement | undefined {
  return [...created.values()].find((settlement) => keyText(settlement) === keyText(claim));
}

/** Refuses a repeated key of the batch for the reason of the first. */
function refusalOf(
  claim: Claim,
  fresh: ReadonlyMap<string, Claim>,
  refusals: ReadonlyMap<string, ClaimRefusal>,
): ClaimRefusal {
  const reason = refusals.get(fresh.get(keyText(claim))?.id ?? claim.id);
  assert(reason !== undefined, "a claim that made and found no settlement was refused");
  return reason;
}

const settlementOfKey =
  "select 1 from settlements where payer = ? and nonce = ? and chain_id = ? and asset = ?";

/** Results are keyed by {@link keyText}. */
export async function findByKeys(
  { db, engine }: Database,
  asked: readonly AuthorizationKey[],
): Promise<Map<string, Settlement>> {
  // Most payments are new, and of those each `/verify` and each claim asks.
  const keys = withRow(engine, asked.map(exchangeKeyOf), settlementOfKey, exchangeKeyValues);
  if (keys.length === 0) return new Map();
  const list = engine.list(keys, keyTypes);
  // As text: to build it takes longer than to carry it out.
  const { rows } = await sql<SettlementRow>`select ${settlementColumnList} from ${list}
    join settlements on settlements.chain_id = given.chain_id and settlements.asset = given.asset
      and settlements.payer = given.payer and settlements.nonce = given.nonce`.execute(db);
  const settlements = rows.map(toSettlement);
  return new Map(settlements.map((settlement) => [keyText(settlement), settlement]));
}

async function insertAll(
  { db, engine, now }: EngineTransaction,
  claims: readonly Claim[],
): Promise<Map<string, Settlement>> {
  if (claims.length === 0) return new Map();
  // In one order, so that concurrent claims of the same payments cannot deadlock.
  const inOrder = claims.toSorted((one, other) => (keyText(one) < keyText(other) ? -1 : 1));
  const list = engine.list(
    inOrder.map((claim) => {
      const refundOf = claim.refund?.of ?? null;
      const signatureHash = signatureHashOf(claim);
      const recoveredAt = claim.isRecovered === true ? now : null;
      const derived = { refundOf, signatureHash, recoveredAt };
      const added = { state: "queued" as const, createdAt: now, ...derived };
      return newSettlements.write({ ...claim, ...added });
    }),
    newSettlements.types,
  );
  const rows = await db
    .insertInto("settlements")
    .columns(newSettlements.names)
    .expression(
      // Without a condition SQLite parses the conflict clause as a part of the query.
      db
        .selectFrom(list)
        .select(newSettlements.names)
        .where(sql<boolean>`true`),
    )
    // By authorization or by id, which may derive from it.
    .onConflict((conflict) => conflict.doNothing())
    .returning(settlementColumns)
    .execute();
  return new Map(rows.map((row) => [row.id, toSettlement(row)]));
}

/** The engine's reasons take precedence over the participants'. */
async function refusalsOf(
  tx: EngineTransaction,
  claims: readonly Claim[],
  participants: readonly SettlementParticipant[],
) {
  const refusals = new Map<string, ClaimRefusal>();
  await refuseIdentifiers(tx, claims, tx.now, refusals);
  const ordinals = await evaluateRefunds(tx, claims, refusals);
  const reservations = await evaluateRevertedGas(tx, claims, tx.now, refusals);
  const left = claims.filter(({ id }) => !refusals.has(id));
  for (const [id, { code }] of await denyClaims(tx, participants, left)) refusals.set(id, code);
  return { refusals, reservations, ordinals };
}
