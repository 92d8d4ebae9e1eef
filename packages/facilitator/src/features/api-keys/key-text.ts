/**
 * The text of a seller's API key: `fk_live_` or `fk_test_`, 12 characters that identify the key, 43
 * characters of secret (256 bits) and a checksum of 6. It is shown once and stored as SHA-256,
 * which suffices for 256 random bits. The checksum rejects typing mistakes before the database is
 * read, and the pattern `fk_(live|test)_[0-9A-Za-z]{61}` lets secret scanners find leaked keys.
 */
import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Address } from "@farthing/protocol";
import type { Clock } from "@farthing/engine/base";
import type { KeyMode } from "../../http/access/request-key.ts";
import type { ApiKey } from "./model.ts";
import type { ApiKeyStore } from "./store.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const idLength = 12;
/** 43 characters of 62 hold 256 bits. */
const secretLength = 43;
const checksumLength = 6;
const pattern = /^fk_(live|test)_([0-9A-Za-z]{12})[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

/** Limits how often "last used" is written. */
const touchEveryMs = 60_000;

/** A new key. Its text is shown once and not stored. */
export interface NewApiKey {
  readonly text: string;
  readonly key: ApiKey;
}

export interface ApiKeyInput {
  readonly account: Address;
  readonly mode: KeyMode;
  readonly label: string;
  readonly expiresAt?: number | null;
  readonly createdBy?: Address;
}

/** Generates a key; it works once it is stored. */
export function drawApiKey(createdAt: number, input: ApiKeyInput): NewApiKey {
  const id = randomText(idLength);
  const body = `fk_${input.mode}_${id}${randomText(secretLength)}`;
  const text = `${body}${checksum(body)}`;
  const key: ApiKey = {
    id,
    account: input.account,
    mode: input.mode,
    label: input.label,
    hash: hashOf(text).toString("hex"),
    lastFour: text.slice(-4),
    createdAt,
    createdBy: input.createdBy ?? null,
    lastUsedAt: null,
    expiresAt: input.expiresAt ?? null,
    revokedAt: null,
  };
  return { text, key };
}

/** Creates and stores a key for a payout address, without the limit that accounts have. */
export async function createApiKey(
  store: Pick<ApiKeyStore, "createApiKey">,
  clock: Clock,
  input: ApiKeyInput,
): Promise<NewApiKey> {
  const made = drawApiKey(clock.nowMs(), input);
  await store.createApiKey(made.key);
  return made;
}

/** Finds the key that a text proves. Undefined without a reason: unknown, expired or revoked. */
export async function authenticate(
  store: Pick<ApiKeyStore, "findApiKey" | "touchApiKey">,
  clock: Clock,
  text: string,
): Promise<ApiKey | undefined> {
  const match = pattern.exec(text);
  const id = match?.[2];
  if (id === undefined || checksum(text.slice(0, -checksumLength)) !== match?.[3]) return undefined;
  const key = await store.findApiKey(id);
  if (!key || !timingSafeEqual(hashOf(text), Buffer.from(key.hash, "hex"))) return undefined;
  const now = clock.nowMs();
  if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) return undefined;
  if (now - (key.lastUsedAt ?? 0) > touchEveryMs) await store.touchApiKey(id, now);
  return key;
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** CRC-32 in base 62: 6 characters hold its 32 bits. */
function checksum(text: string): string {
  let rest = crc32(text);
  let result = "";
  for (let index = 0; index < checksumLength; index++) {
    result = `${alphabet[rest % alphabet.length]}${result}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return result;
}
