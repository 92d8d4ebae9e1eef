/** The API keys of an account, as its owner sees and changes them. */
import { isSameAddress, type Address } from "@farthing/protocol";
import type { Clock, Log } from "@farthing/engine/base";
import type { ApiKey, KeyMode, Overlap } from "./model.ts";
import type { ApiKeyStore } from "./store.ts";
import { drawApiKey, type NewApiKey } from "./key-text.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Keys of one account that work at once: one for each place, and some that are being replaced. */
export const workingKeysMax = 50;

/** The same with those that are being replaced: each of them beside its successor. */
export const rotatingKeysMax = 2 * workingKeysMax;

/** Keys that a list shows, the newest; those that work are always among them. */
export const keysShownMax = 200;

/** A key with less than this left is expiring: the longest that a replaced one goes on. */
const expiringMs = 7 * dayMs;

const overlapMs: Readonly<Record<Overlap, number>> = {
  "0": 0,
  "1h": hourMs,
  "24h": dayMs,
  "7d": 7 * dayMs,
};

/** How a key stands. */
export type KeyStatus = "active" | "expiring" | "expired" | "revoked";

/** The keys of accounts. */
export interface KeyRing {
  /** The newest first. */
  list(account: Address): Promise<ApiKey[]>;
  /** A new key; undefined when as many as may work are working. */
  mint(
    account: Address,
    wish: {
      readonly label: string;
      readonly mode: KeyMode;
      readonly expiresInDays: number | null;
    },
  ): Promise<NewApiKey | undefined>;
  /**
   * A key in place of another one: same label, mode and length of life. The other one works on for
   * the overlap. `ended`: it does not work any more, or was replaced already. `too_many`: as many
   * as may work beside their successors do.
   */
  rotate(
    account: Address,
    id: string,
    overlap: Overlap,
  ): Promise<NewApiKey | "unknown" | "ended" | "too_many">;
  /** Ends a key at once; false when the account has none such. A revoked one stays revoked. */
  revoke(account: Address, id: string): Promise<boolean>;
  statusOf(key: ApiKey): KeyStatus;
}

export interface KeyRingDeps {
  readonly store: ApiKeyStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the keys of a store. */
export function createKeyRing({ store, clock, log }: KeyRingDeps): KeyRing {
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
    async list(account) {
      const keys = (await store.listApiKeys(account)).toReversed();
      const shown = new Set([...keys.filter(isWorking), ...keys].slice(0, keysShownMax));
      return keys.filter((key) => shown.has(key));
    },
    async mint(account, { label, mode, expiresInDays }) {
      const now = clock.nowMs();
      const expiresAt = expiresInDays === null ? null : now + expiresInDays * dayMs;
      const made = drawApiKey(now, { account, label, mode, expiresAt });
      const bounds = { workingMax: workingKeysMax, now };
      if (!(await store.mintApiKey(made.key, bounds))) return undefined;
      log.info({ event: "api_key_created", account, keyId: made.key.id, mode }, "API key created");
      return made;
    },
    async rotate(account, id, overlap) {
      const old = await find(account, id);
      if (!old) return "unknown";
      const now = clock.nowMs();
      const { label, mode } = old;
      const expiresAt = old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
      const made = drawApiKey(now, { account, label, mode, expiresAt });
      const terms = { endsAt: now + overlapMs[overlap], now, workingMax: rotatingKeysMax };
      const outcome = await store.rotateApiKey(id, made.key, terms);
      if (outcome !== "rotated") return outcome;
      log.info(
        { event: "api_key_rotated", account, keyId: made.key.id, rotatedKeyId: id, overlap },
        "API key rotated",
      );
      return made;
    },
    async revoke(account, id) {
      const key = await find(account, id);
      if (!key) return false;
      const isRevoked = await store.revokeApiKey(id, clock.nowMs());
      if (isRevoked) log.info({ event: "api_key_revoked", account, keyId: id }, "API key revoked");
      return true;
    },
  };
}
