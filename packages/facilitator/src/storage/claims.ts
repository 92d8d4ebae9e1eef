/**
 * Claiming: the one transaction in which an authorization becomes a settlement. Whatever decides
 * whether it may (the key, the plan, credits, the payer's cap) is read in that same transaction,
 * so that nothing slips through between a check and the claim.
 */
import { toLowerHex } from "@farthing/protocol";
import type { Transaction } from "kysely";
import { sql } from "kysely";
import { pairKey, type Claim, type Pair, type Settlement } from "../model/settlement.ts";
import { toSettlement, toSettlementRow } from "./rows.ts";
import type { Tables } from "./schema.ts";
import type { ClaimRefusal, ClaimResult } from "./store.ts";

type Inside = Transaction<Tables>;

/** Claims a group; results in order. */
export async function claimAll(
  db: Inside,
  claims: readonly Claim[],
  now: number,
): Promise<ClaimResult[]> {
  const known = await findByPairs(db, claims);
  // The same pair twice in one group: the first makes the settlement, the second finds it.
  const fresh = firstOfEachPair(claims.filter((claim) => !known.has(pairKey(claim))));
  const refusals = await refusalsOf(db, fresh, now);
  const allowed = fresh.filter((claim) => !refusals.has(claim.id));
  const created = await insertAll(db, allowed, now);
  // Lost to another process between our look and our insert: that settlement is the answer.
  const lost = allowed.filter((claim) => !created.has(claim.id));
  for (const [key, settlement] of await findByPairs(db, lost)) known.set(key, settlement);
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
  db: Pick<Inside, "selectFrom">,
  pairs: readonly Pair[],
): Promise<Map<string, Settlement>> {
  if (pairs.length === 0) return new Map();
  const rows = await db
    .selectFrom("settlements")
    .selectAll()
    .where((where) =>
      where.or(
        pairs.map((pair) =>
          where.and({
            chain_id: pair.chainId,
            asset: toLowerHex(pair.asset),
            payer: toLowerHex(pair.payer),
            nonce: toLowerHex(pair.nonce),
          }),
        ),
      ),
    )
    .execute();
  return new Map(rows.map((row) => [pairKey(toSettlement(row)), toSettlement(row)]));
}

async function insertAll(
  db: Inside,
  claims: readonly Claim[],
  now: number,
): Promise<Map<string, Settlement>> {
  if (claims.length === 0) return new Map();
  const rows = await db
    .insertInto("settlements")
    .values(claims.map((claim) => toSettlementRow(claim, now)))
    .onConflict((conflict) => conflict.columns(["chain_id", "asset", "payer", "nonce"]).doNothing())
    .returningAll()
    .execute();
  return new Map(rows.map((row) => [row.id, toSettlement(row)]));
}

async function refusalsOf(
  db: Inside,
  claims: readonly Claim[],
  now: number,
): Promise<Map<string, ClaimRefusal>> {
  const refusals = new Map<string, ClaimRefusal>();
  await refuseKeys(db, claims, now, refusals);
  await refuseCaps(db, claims, now, refusals);
  // Credits are held here, after everything else that could refuse: one row per claim in the
  // ledger, in this transaction. Until accounts have a ledger every settlement costs 0 credits.
  return refusals;
}

/** A key that was revoked after the request was let in must not spend gas or credits. */
async function refuseKeys(
  db: Inside,
  claims: readonly Claim[],
  now: number,
  refusals: Map<string, ClaimRefusal>,
): Promise<void> {
  const ids = [...new Set(claims.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])))];
  if (ids.length === 0) return;
  const rows = await db
    .selectFrom("api_keys")
    .innerJoin("accounts", "accounts.address", "api_keys.account")
    .select(["api_keys.id", "api_keys.revoked_at", "api_keys.expires_at", "accounts.plan"])
    .where("api_keys.id", "in", ids)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, keyId } of claims) {
    if (keyId === null) continue;
    const row = byId.get(keyId);
    const isExpired = row?.expires_at != null && Number(row.expires_at) <= now;
    if (!row || row.revoked_at !== null || isExpired) refusals.set(id, "key_not_valid");
    else if (row.plan !== "active") refusals.set(id, "seller_plan_inactive");
  }
}

/** What one payer may have claimed in a trailing window, where callers need no key. */
async function refuseCaps(
  db: Inside,
  claims: readonly Claim[],
  now: number,
  refusals: Map<string, ClaimRefusal>,
): Promise<void> {
  const spent = new Map<string, bigint>();
  for (const claim of claims) {
    const { payerCap, payer, amount } = claim;
    if (payerCap === null || refusals.has(claim.id)) continue;
    const key = `${claim.chainId}:${payer}`;
    const before = spent.get(key) ?? (await spentSince(db, claim, now - payerCap.windowMs));
    if (before + amount > payerCap.units) {
      refusals.set(claim.id, "payer_spend_cap_reached");
      spent.set(key, before);
    } else spent.set(key, before + amount);
  }
}

async function spentSince(db: Inside, claim: Claim, since: number): Promise<bigint> {
  const row = await db
    .selectFrom("settlements")
    .select(sql<string | null>`cast(sum(cast(amount as bigint)) as text)`.as("spent"))
    .where("payer", "=", toLowerHex(claim.payer))
    .where("chain_id", "=", claim.chainId)
    .where("created_at", ">", since)
    .where("state", "!=", "failed")
    .executeTakeFirst();
  return BigInt(row?.spent ?? 0);
}
