/**
 * Claiming: the one transaction in which an authorization becomes a settlement. Whatever decides
 * whether it may (the key, the plan, credits, the payer's cap) is read in that same transaction,
 * so that nothing slips through between a check and the claim.
 */
import { toLowerHex } from "@farthing/protocol";
import { sql } from "kysely";
import { pairKey, type Claim, type Pair, type Settlement } from "../model/settlement.ts";
import { insertClaimingCalls } from "./claiming-calls.ts";
import type { Database, ListColumns } from "./dialect.ts";
import { holdAll, lockFunds, unpaid, type Funds } from "./holds.ts";
import { chargeKeyless, type KeylessCharge } from "./keyless-charges.ts";
import { judgeKeyless, keylessLocks } from "./keyless-limits.ts";
import { identifierLocks, insertIdentifiers, refuseIdentifiers } from "./payment-identifiers.ts";
import {
  judgeRevertedGas,
  reserveRevertedGas,
  revertedGasLocks,
  type RevertedGasReservation,
} from "./reverted-gas.ts";
import { toSettlement, toSettlementRow } from "./rows.ts";
import { newSettlementNames, settlementColumns, type NewSettlementRow } from "./schema.ts";
import { countClaims } from "./settlement-sums.ts";
import type { ClaimRefusal, ClaimResult } from "./store.ts";

/** Claims a group; results in order. */
export async function claimAll(
  inside: Database,
  claims: readonly Claim[],
  now: number,
): Promise<ClaimResult[]> {
  // Before anything is looked at: what the budgets of gas have left, and what buyers' identifiers
  // stand for, stands still until we are done.
  const budgets = [...keylessLocks(claims), ...revertedGasLocks(claims)];
  await inside.engine.lockNames(inside.db, [...budgets, ...identifierLocks(claims)]);
  const known = await findByPairs(inside, claims);
  // The same pair twice in one group: the first makes the settlement, the second finds it.
  const fresh = firstOfEachPair(claims.filter((claim) => !known.has(pairKey(claim))));
  const { refusals, charges, reservations, funds } = await refusalsOf(inside, fresh, now);
  const allowed = fresh.filter((claim) => !refusals.has(claim.id));
  const created = await insertAll(inside, allowed, now);
  await chargeKeyless(inside, [...created.values()], charges, now);
  await reserveRevertedGas(inside, [...created.values()], reservations, now);
  await holdAll(inside, [...created.values()], funds, now);
  const made = allowed.filter(({ id }) => created.has(id));
  await insertClaimingCalls(inside, made);
  await insertIdentifiers(inside, made, now);
  // Lost to another process between our look and our insert: that settlement is the answer.
  const lost = allowed.filter((claim) => !created.has(claim.id));
  for (const [key, settlement] of await findByPairs(inside, lost)) known.set(key, settlement);
  await countClaims(inside, created.values());
  const ids = [...created.keys()];
  await inside.engine.changes.announce(inside.db, { kind: "queued", ids });
  return claims.map((claim) => {
    const own = created.get(claim.id);
    if (own) return { kind: "created", settlement: own };
    const existing = known.get(pairKey(claim)) ?? sameGroup(created, claim);
    if (existing) return { kind: "existing", settlement: existing };
    return {
      kind: "refused",
      reason: refusals.get(claim.id) ?? refusalOfTwin(claim, fresh, refusals),
    };
  });
}

function sameGroup(created: ReadonlyMap<string, Settlement>, claim: Claim): Settlement | undefined {
  return [...created.values()].find((settlement) => pairKey(settlement) === pairKey(claim));
}

function refusalOfTwin(
  claim: Claim,
  fresh: readonly Claim[],
  refusals: ReadonlyMap<string, ClaimRefusal>,
): ClaimRefusal {
  const twin = fresh.find((other) => pairKey(other) === pairKey(claim));
  return (twin && refusals.get(twin.id)) ?? "key_not_valid";
}

function firstOfEachPair(claims: readonly Claim[]): Claim[] {
  const byPair = new Map<string, Claim>();
  for (const claim of claims) {
    if (!byPair.has(pairKey(claim))) byPair.set(pairKey(claim), claim);
  }
  return [...byPair.values()];
}

/** Finds settlements by pair, under {@link pairKey}. */
export async function findByPairs(
  { db, engine }: Database,
  pairs: readonly Pair[],
): Promise<Map<string, Settlement>> {
  if (pairs.length === 0) return new Map();
  const given = pairs.map(({ chainId, asset, payer, nonce }) => ({
    of_chain: chainId,
    of_asset: toLowerHex(asset),
    of_payer: toLowerHex(payer),
    of_nonce: toLowerHex(nonce),
  }));
  const list = engine.list(given, {
    of_chain: "bigint",
    of_asset: "text",
    of_payer: "text",
    of_nonce: "text",
  });
  const rows = await db
    .selectFrom(list)
    .innerJoin("settlements", (join) =>
      join
        .onRef("settlements.chain_id", "=", "given.of_chain")
        .onRef("settlements.asset", "=", "given.of_asset")
        .onRef("settlements.payer", "=", "given.of_payer")
        .onRef("settlements.nonce", "=", "given.of_nonce"),
    )
    .select(settlementColumns)
    .execute();
  const settlements = rows.map(toSettlement);
  return new Map(settlements.map((settlement) => [pairKey(settlement), settlement]));
}

const newColumns = {
  id: "text",
  chain_id: "bigint",
  asset: "text",
  payer: "text",
  nonce: "text",
  pay_to: "text",
  amount: "text",
  valid_after: "text",
  valid_before: "text",
  signature: "text",
  payer_has_code: "bigint",
  seen_unused_at: "bigint",
  network_name: "text",
  key_id: "text",
  state: "text",
  credits: "bigint",
  created_at: "bigint",
  account: "text",
  request_id: "text",
} satisfies ListColumns<NewSettlementRow>;

async function insertAll(
  { db, engine }: Database,
  claims: readonly Claim[],
  now: number,
): Promise<Map<string, Settlement>> {
  if (claims.length === 0) return new Map();
  // By pair: two processes that claim the same payments wait for each other in one order only.
  const inOrder = claims.toSorted((one, other) => (pairKey(one) < pairKey(other) ? -1 : 1));
  const list = engine.list(
    inOrder.map((claim) => toSettlementRow(claim, now)),
    newColumns,
  );
  const rows = await db
    .insertInto("settlements")
    .columns(newSettlementNames)
    .expression(
      // SQLite takes the conflict clause for a part of the query unless it has a condition.
      db
        .selectFrom(list)
        .select(newSettlementNames)
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.columns(["chain_id", "asset", "payer", "nonce"]).doNothing())
    .returning(settlementColumns)
    .execute();
  return new Map(rows.map((row) => [row.id, toSettlement(row)]));
}

async function refusalsOf(
  inside: Database,
  claims: readonly Claim[],
  now: number,
): Promise<{
  refusals: Map<string, ClaimRefusal>;
  charges: Map<string, KeylessCharge>;
  reservations: Map<string, RevertedGasReservation>;
  funds: Funds;
}> {
  const refusals = new Map<string, ClaimRefusal>();
  await refuseKeys(inside, claims, now, refusals);
  await refuseIdentifiers(inside, claims, now, refusals);
  const reservations = await judgeRevertedGas(inside, claims, now, refusals);
  const charges = await judgeKeyless(inside, claims, now, refusals);
  // Last, so that what is refused for another reason takes no credits from the rest of its group.
  const priced = claims.filter(({ id, price }) => price > 0 && !refusals.has(id));
  const funds = await lockFunds(
    inside,
    priced.flatMap(({ account }) => account ?? []),
  );
  for (const { id } of unpaid(priced, funds)) refusals.set(id, "insufficient_facilitator_credits");
  return { refusals, charges, reservations, funds };
}

/** A key that was revoked after the request was let in must not spend gas or credits. */
async function refuseKeys(
  { db, engine }: Database,
  claims: readonly Claim[],
  now: number,
  refusals: Map<string, ClaimRefusal>,
): Promise<void> {
  const ids = [...new Set(claims.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])))];
  if (ids.length === 0) return;
  let query = db
    .selectFrom("api_keys")
    .innerJoin("accounts", "accounts.address", "api_keys.account")
    .select(["api_keys.id", "api_keys.revoked_at", "api_keys.expires_at", "accounts.plan"])
    .where("api_keys.id", "in", ids)
    .orderBy("api_keys.id");
  // Neither is revoked or deactivated between this look and the claim.
  if (engine.hasRowLocks) query = query.forShare();
  const rows = await query.execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, keyId } of claims) {
    if (keyId === null) continue;
    const row = byId.get(keyId);
    const isExpired = row?.expires_at != null && Number(row.expires_at) <= now;
    if (!row || row.revoked_at !== null || isExpired) refusals.set(id, "key_not_valid");
    else if (row.plan !== "active") refusals.set(id, "seller_plan_inactive");
  }
}
