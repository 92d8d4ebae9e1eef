/** Claims need a working key and an active account. */
import type { Claim } from "@farthing/engine";
import type {
  ClaimDenial,
  EngineTransaction,
  SettlementParticipant,
} from "@farthing/engine/storage";

export const apiKeysParticipant: SettlementParticipant = {
  name: "api-keys",
  beforeClaim: denyEndedKeys,
};

/** A key that was revoked after its request was admitted must not spend gas or credits. */
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
  // Prevents revocation and deactivation between this read and the claim.
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
