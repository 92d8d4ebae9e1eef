/** API keys, as their account's owner sees and changes them. */
import { isSameAddress, type Address } from "@farthing/protocol";
import type { Runtime } from "@farthing/engine/base";
import type { Session, StepUpDetails } from "../sign-in/model.ts";
import type { ApiKey, Overlap } from "./model.ts";
import type { ApiKeyStore } from "./store.ts";
import { drawApiKey } from "./key-text.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Working keys of one account: one for each deployment, and some that are being replaced. */
export const workingKeysMax = 50;

/** The same limit with keys under rotation, each of which has a successor. */
export const rotatingKeysMax = 2 * workingKeysMax;

/** A list shows the newest keys; working keys are always among them. */
export const keysShownMax = 200;

/** A key with less time left is expiring: the longest overlap of a rotated key. */
const expiringMs = 7 * dayMs;

const overlapMs: Readonly<Record<Overlap, number>> = {
  "0": 0,
  "1h": hourMs,
  "24h": dayMs,
  "7d": 7 * dayMs,
};

export type KeyStatus = "active" | "expiring" | "expired" | "revoked";

export type KeyRing = ReturnType<typeof createKeyRing>;

/** An account, and the wallet of the session that acts for it. */
type KeyOwner = Pick<Session, "account" | "wallet">;

export interface KeyRingDeps extends Runtime {
  readonly store: ApiKeyStore;
}

export function createKeyRing({ store, clock, log }: KeyRingDeps) {
  async function find(account: Address, id: string): Promise<ApiKey | undefined> {
    const key = await store.findApiKey(id);
    return key && isSameAddress(key.account, account) ? key : undefined;
  }

  function statusOf({ revokedAt, expiresAt }: ApiKey): KeyStatus {
    const now = clock.nowMs();
    if (revokedAt !== null) return "revoked";
    if (expiresAt === null) return "active";
    if (expiresAt <= now) return "expired";
    return expiresAt - now < expiringMs ? "expiring" : "active";
  }

  function isWorking(key: ApiKey): boolean {
    return ["active", "expiring"].includes(statusOf(key));
  }

  return {
    statusOf,
    /** Newest first. */
    async list(account: Address) {
      const keys = (await store.listApiKeys(account)).toReversed();
      const shown = new Set([...keys.filter(isWorking), ...keys].slice(0, keysShownMax));
      return keys.filter((key) => shown.has(key));
    },
    /** Returns undefined when the account has the most working keys. */
    async mint(
      { account, wallet: createdBy }: KeyOwner,
      { label, mode, expiresInDays }: StepUpDetails["create_key"],
    ) {
      const now = clock.nowMs();
      const expiresAt = expiresInDays === null ? null : now + expiresInDays * dayMs;
      const made = drawApiKey(now, { account, label, mode, expiresAt, createdBy });
      const bounds = { workingMax: workingKeysMax, now };
      if (!(await store.mintApiKey(made.key, bounds))) return undefined;
      log.info({ event: "api_key_created", account, keyId: made.key.id, mode }, "API key created");
      return made;
    },
    /**
     * Replaces a key by one with the same label, mode and lifetime; the old one works for the
     * overlap. Undefined: there is no such key. `ended`: it no longer works or was replaced before.
     * `too_many`: the account has the most keys that work beside their successors.
     */
    async rotate({ account, wallet: createdBy }: KeyOwner, id: string, overlap: Overlap) {
      const old = await find(account, id);
      if (!old) return undefined;
      const now = clock.nowMs();
      const { label, mode } = old;
      const expiresAt = old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
      const made = drawApiKey(now, { account, label, mode, expiresAt, createdBy });
      const terms = { endsAt: now + overlapMs[overlap], now, workingMax: rotatingKeysMax };
      const outcome = await store.rotateApiKey(id, made.key, terms);
      if (outcome !== "rotated") return outcome;
      log.info(
        { event: "api_key_rotated", account, keyId: made.key.id, rotatedKeyId: id, overlap },
        "API key rotated",
      );
      return made;
    },
    /** Revokes a key; false when the account has no such key. Revocation is final. */
    async revoke(account: Address, id: string) {
      const key = await find(account, id);
      if (!key) return false;
      const isRevoked = await store.revokeApiKey(id, clock.nowMs());
      if (isRevoked) log.info({ event: "api_key_revoked", account, keyId: id }, "API key revoked");
      return true;
    },
  };
}
