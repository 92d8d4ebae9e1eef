/** API keys take part in claims: the key has to work, and its account's plan to be active. */
import type { Claim } from "@farthing/engine";
import type {
  ClaimDenial,
  EngineTransaction,
  SettlementParticipant,
} from "@farthing/engine/storage";

/** Denies claims whose key has ended or whose account is deactivated. */
export const apiKeysParticipant: SettlementParticipant = {
  name: "api-keys",
  beforeClaim: denyEndedKeys,
};

/** A key that was revoked after the request was let in must not spend gas or credits. */
async function denyEndedKeys(
  { db, engine, now }: EngineTransaction,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, ClaimDenial>> {
  const ids = [...new Set(claims.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])))];
  const denials = new Map<string, ClaimDenial>();
  if (ids.length === 0) return denials;
  let query = db
    .selectFrom("api_keys")
    .innerJoin("accounts", "accounts.address", "api_keys.account")
    .select(["api_keys.id", "api_keys.revoked_at", "api_keys.expires_at", "accounts.plan"])
    .where("api_keys.id", "in", ids)
    .orderBy("api_keys.id");
  // Neither is revoked or deactivated between this read and the claim.
  if (engine.hasRowLocks) query = query.forShare();
  const rows = await query.execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, keyId } of claims) {
    if (keyId === null) continue;
    const row = byId.get(keyId);
    const isExpired = row?.expires_at != null && Number(row.expires_at) <= now;
    if (!row || row.revoked_at !== null || isExpired) denials.set(id, { code: "key_not_valid" });
    else if (row.plan !== "active") denials.set(id, { code: "seller_plan_inactive" });
  }
  return denials;
}
