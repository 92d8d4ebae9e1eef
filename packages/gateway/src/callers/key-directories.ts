/**
 * The keys that hosts publish for their agents, by host and key. A key counts for the host that
 * publishes it alone: another host could name it too.
 */
import { createPublicKey, type KeyObject } from "node:crypto";
import { agentKeyId, isObject, member, type JsonObject } from "@farthing/protocol";
import type { DirectoryFetch, FetchDirectory } from "./fetch-directory.ts";

/** How long a directory is used without another lookup; a removed key is accepted until then. */
const freshMs = 10 * 60_000;

/** How long the keys of a host are kept while it cannot be reached. */
const staleMs = 24 * 60 * 60_000;

/** Pause between two lookups of one host, also where a key is missing or the host does not respond. */
const pauseMs = 60_000;

/** Keys of one directory. */
const keysMax = 32;

/** Hosts that are kept; the one that was fetched first goes first. */
const hostsMax = 1_000;

/** Lookups in a minute of hosts that no entry names, so that callers cannot direct requests at others. */
const strangersPerMinute = 60;

/** Lookups at the same time. */
const fetchesMax = 20;

/** The key of RFC 9421, appendix B.1.4, whose private part everybody has. */
const publishedTestKey = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";

interface Entry {
  readonly keys: ReadonlyMap<string, PublishedKey>;
  readonly fetchedAt: number;
  /** The last lookup, successful or not. */
  readonly triedAt: number;
  readonly failure?: string;
}

interface PublishedKey {
  readonly key: KeyObject;
  /** Unix seconds. */
  readonly notBefore: number;
  readonly expires: number;
}

export type KeyFinding =
  | { readonly kind: "key"; readonly key: KeyObject }
  | { readonly kind: "none"; readonly why: string };

export interface KeyDirectories {
  /** `isKnown`: the seller names the host. `keyId` is the thumbprint of RFC 7638. */
  find(host: string, keyId: string, isKnown: boolean): Promise<KeyFinding>;
}

export function createKeyDirectories(
  fetchDirectory: FetchDirectory,
  now: () => number,
): KeyDirectories {
  const entries = new Map<string, Entry>();
  const looks = new Map<string, Promise<Entry>>();
  let minute = 0;
  let strangers = 0;

  function maySearch(isKnown: boolean): boolean {
    if (looks.size >= fetchesMax) return false;
    if (isKnown) return true;
    const present = Math.floor(now() / 60_000);
    if (present !== minute) [minute, strangers] = [present, 0];
    return strangers++ < strangersPerMinute;
  }

  async function look(host: string, before: Entry | undefined): Promise<Entry> {
    const entry = entryOf(await fetchDirectory(host), before, now());
    entries.delete(host);
    entries.set(host, entry);
    const [oldest] = entries.keys();
    if (entries.size > hostsMax && oldest !== undefined) entries.delete(oldest);
    return entry;
  }

  return {
    async find(host, keyId, isKnown) {
      const kept = entries.get(host);
      if (kept && !isDue(kept, keyId, now())) return keyOf(kept, keyId, now());
      let search = looks.get(host);
      if (!search) {
        if (!maySearch(isKnown)) {
          return kept ? keyOf(kept, keyId, now()) : none("too many directories are looked up now");
        }
        search = look(host, kept).finally(() => looks.delete(host));
        looks.set(host, search);
      }
      return keyOf(await search, keyId, now());
    },
  };
}

function isDue({ fetchedAt, triedAt, keys }: Entry, keyId: string, now: number): boolean {
  if (now < triedAt + pauseMs) return false;
  return now >= fetchedAt + freshMs || !keys.has(keyId);
}

/** A directory that no longer lists a key removes it; a failed lookup keeps the stored keys. */
function entryOf(found: DirectoryFetch, before: Entry | undefined, now: number): Entry {
  if (found.kind === "fetched") {
    return { keys: readKeys(found.document), fetchedAt: now, triedAt: now };
  }
  const isKept = before !== undefined && now < before.fetchedAt + staleMs;
  const { keys, fetchedAt } = isKept
    ? before
    : { keys: new Map<string, PublishedKey>(), fetchedAt: 0 };
  return { keys, fetchedAt, triedAt: now, failure: found.why };
}

function keyOf({ keys, failure }: Entry, keyId: string, now: number): KeyFinding {
  const found = keys.get(keyId);
  if (!found) return none(failure ?? "its directory does not have the key");
  const seconds = now / 1000;
  const isInForce = seconds >= found.notBefore && seconds < found.expires;
  return isInForce
    ? { kind: "key", key: found.key }
    : none("its directory says that the key is not in force");
}

function none(why: string): KeyFinding {
  return { kind: "none", why };
}

/** Leaves out keys of other kinds, and those whose `kid` is not their thumbprint. */
function readKeys(document: JsonObject): ReadonlyMap<string, PublishedKey> {
  const list = member(document, "keys");
  const keys = new Map<string, PublishedKey>();
  for (const one of Array.isArray(list) ? list.slice(0, keysMax) : []) {
    const x = isObject(one) ? member(one, "x") : undefined;
    if (!isObject(one) || typeof x !== "string" || !/^[\w-]{43}$/.test(x)) continue;
    if (member(one, "kty") !== "OKP" || member(one, "crv") !== "Ed25519") continue;
    const id = agentKeyId(x);
    if (id === publishedTestKey || (member(one, "kid") ?? id) !== id) continue;
    const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
    const notBefore = secondsOf(member(one, "nbf")) ?? 0;
    const expires = secondsOf(member(one, "exp")) ?? Number.POSITIVE_INFINITY;
    keys.set(id, { key, notBefore, expires });
  }
  return keys;
}

function secondsOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
