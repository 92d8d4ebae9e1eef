/**
 * Claims turn authorizations into settlements, in one transaction that also reads everything that
 * decides them: the engine's rules and those of its participants.
 */
import { sql } from "kysely";
import { assert } from "../base/assert.ts";
import { firstByKey } from "../base/first-by-key.ts";
import {
  keyText,
  type Claim,
  type AuthorizationKey,
  type Settlement,
} from "../model/settlement.ts";
import { insertClaimingCalls } from "./claiming-calls.ts";
import type { Database } from "./dialect.ts";
import { exchangeKeyOf, keyTypes } from "./exchange-store.ts";
import {
  beginStep,
  denyClaims,
  showClaimed,
  type ClaimRefusal,
  type EngineTransaction,
  type SettlementParticipant,
} from "./participant.ts";
import { identifierLocks, insertIdentifiers, refuseIdentifiers } from "./payment-identifiers.ts";
import { evaluateRevertedGas, reserveRevertedGas, revertedGasLocks } from "./reverted-gas.ts";
import { toSettlement } from "./rows.ts";
import { newSettlements, settlementColumns } from "./schema.ts";
import type { ClaimResult } from "./engine-store.ts";

/** Results are in the order of the claims. */
export async function claimAll(
  inside: Database,
  claims: readonly Claim[],
  now: number,
  participants: readonly SettlementParticipant[],
): Promise<ClaimResult[]> {
  const tx = beginStep(inside, now);
  // Locked before any read, so that budgets and buyers' identifiers do not change meanwhile.
  await tx.engine.lockNames(tx.db, [
    ...revertedGasLocks(claims),
    ...identifierLocks(claims),
    ...participants.flatMap((participant) => participant.locksOf?.(claims) ?? []),
  ]);
  const known = await findByKeys(tx, claims);
  // Of two equal keys in one batch, the first creates the settlement and the second finds it.
  const unknown = claims.filter((claim) => !known.has(keyText(claim)));
  const fresh = firstByKey(unknown, keyText);
  const { refusals, reservations } = await refusalsOf(tx, [...fresh.values()], participants);
  const allowed = [...fresh.values()].filter((claim) => !refusals.has(claim.id));
  const inserted = await insertAll(tx, allowed);
  await reserveRevertedGas(tx, [...inserted.values()], reservations, now);
  const made = allowed.filter(({ id }) => inserted.has(id));
  await insertClaimingCalls(tx, made);
  await insertIdentifiers(tx, made, now);
  // Another process claimed these between the read and the insert; its settlements are the result.
  const lost = allowed.filter((claim) => !inserted.has(claim.id));
  for (const [key, settlement] of await findByKeys(tx, lost)) known.set(key, settlement);
  const shown = await showClaimed(tx, participants, [...inserted.values()]);
  const created = new Map(shown.map((settlement) => [settlement.id, settlement]));
  await tx.engine.changes.announce(tx.db, { kind: "queued", ids: [...created.keys()] });
  return claims.map((claim) => {
    const own = created.get(claim.id);
    if (own) return { kind: "created", settlement: own };
    const existing = known.get(keyText(claim)) ?? sameGroup(created, claim);
    if (existing) return { kind: "existing", settlement: existing };
    return { kind: "refused", reason: refusalOf(claim, fresh, refusals) };
  });
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

/** Results are keyed by {@link keyText}. */
export async function findByKeys(
  { db, engine }: Database,
  keys: readonly AuthorizationKey[],
): Promise<Map<string, Settlement>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom(engine.list(keys.map(exchangeKeyOf), keyTypes))
    .innerJoin("settlements", (join) =>
      join
        .onRef("settlements.chain_id", "=", "given.chain_id")
        .onRef("settlements.asset", "=", "given.asset")
        .onRef("settlements.payer", "=", "given.payer")
        .onRef("settlements.nonce", "=", "given.nonce"),
    )
    .select(settlementColumns)
    .execute();
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
    inOrder.map((claim) => newSettlements.write({ ...claim, state: "queued", createdAt: now })),
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
    .onConflict((conflict) => conflict.columns(["chain_id", "asset", "payer", "nonce"]).doNothing())
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
  const reservations = await evaluateRevertedGas(tx, claims, tx.now, refusals);
  const left = claims.filter(({ id }) => !refusals.has(id));
  for (const [id, { code }] of await denyClaims(tx, participants, left)) refusals.set(id, code);
  return { refusals, reservations };
}
