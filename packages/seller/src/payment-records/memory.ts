/**
 * Grants in memory, for one process. What a restart forgets cannot be served twice: the
 * facilitator still refuses the used payment, and the buyer gets the proof that he paid.
 */
import type { SettleResponse } from "@farthing/protocol";
import {
  answerBytesMaxDefault,
  deliveredMsMax,
  overMsMin,
  replayMsMax,
  settlingMsMax,
  undeliveredMsMax,
} from "./retention.ts";
import type {
  Access,
  Binding,
  PaymentRecordState,
  PaymentRecords,
  Lease,
  StoredAnswer,
  Acquisition,
} from "./payment-records.ts";
import { createTokenNotes } from "./memory-tokens.ts";
import { mayResume, newExchangeKey, openerOf, type Opener } from "./proof.ts";

/** Bounds of the grants in memory. */
export interface MemoryGrantOptions {
  /** Most grants at once. */
  readonly entriesMax?: number;
  /** Longest body that is kept for a repeat, in bytes. */
  readonly answerBytesMax?: number;
  /** Most bytes of bodies together; the oldest go first. */
  readonly totalBytesMax?: number;
  /** How long a paid answer can be fetched again, in milliseconds; ten minutes at most. */
  readonly replayMs?: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/** About 1 kB each: tens of megabytes at most. */
const entriesMaxDefault = 20_000;
const totalBytesMaxDefault = 64 * 1024 * 1024;

/** Requests that wait for the same payment at once. More than that is no honest repeat. */
const waitersMax = 64;

interface Entry {
  readonly binding: Binding;
  readonly opener: Opener;
  readonly exchangeKey: string;
  state: PaymentRecordState | "delivered";
  receipt?: SettleResponse;
  answer?: StoredAnswer;
  answerUntilMs: number;
  expiresAtMs: number;
  /** From when on an open record may be forgotten where room is needed. */
  dispensableFromMs: number;
  /** The lease in force; a lease that is not it any more does nothing. */
  holder: object | undefined;
  readonly waiters: Set<() => void>;
}

/** Grants in memory. */
export interface MemoryGrants extends PaymentRecords {
  /** Bytes of the bodies that are kept. */
  keptBytes(): number;
}

/** Creates an empty store of grants. */
export function createMemoryGrants(options: MemoryGrantOptions = {}): MemoryGrants {
  const entriesMax = options.entriesMax ?? entriesMaxDefault;
  const answerBytesMax = options.answerBytesMax ?? answerBytesMaxDefault;
  const totalBytesMax = options.totalBytesMax ?? totalBytesMaxDefault;
  const now = options.now ?? Date.now;
  const replayMs = Math.min(options.replayMs ?? replayMsMax, replayMsMax);
  // In order of creation, so the first delivered entry is the oldest.
  const entries = new Map<string, Entry>();
  let totalBytes = 0;
  const tokens = createTokenNotes(entriesMax, now);

  function dropAnswer(entry: Entry): void {
    totalBytes -= entry.answer?.body.byteLength ?? 0;
    delete entry.answer;
  }

  function drop(entry: Entry): void {
    dropAnswer(entry);
    entries.delete(entry.binding.key);
    free(entry);
  }

  function makeRoom(): boolean {
    if (entries.size < entriesMax) return true;
    for (const entry of entries.values()) if (entry.expiresAtMs <= now()) drop(entry);
    if (entries.size < entriesMax) return true;
    const nowMs = now();
    const first =
      firstWith((entry) => entry.holder === undefined && entry.dispensableFromMs <= nowMs) ??
      firstWith((entry) => entry.state === "delivered");
    if (first) drop(first);
    return first !== undefined;
  }

  function firstWith(isWanted: (entry: Entry) => boolean): Entry | undefined {
    for (const entry of entries.values()) if (isWanted(entry)) return entry;
    return undefined;
  }

  function store(entry: Entry, answer: StoredAnswer): void {
    const size = answer.body.byteLength;
    if (size > answerBytesMax || size > totalBytesMax) return;
    for (const other of entries.values()) {
      if (totalBytes + size <= totalBytesMax) break;
      // What nobody has had yet makes room for nothing, until its time is over.
      if (other.state === "delivered") dropAnswer(other);
      else if (other.holder === undefined && other.expiresAtMs <= now()) drop(other);
    }
    if (totalBytes + size > totalBytesMax) return;
    dropAnswer(entry);
    entry.answer = answer;
    totalBytes += size;
  }

  return {
    answerBytesMax,
    keptBytes: () => totalBytes,
    isTokenShared: async (token, payer) => tokens.isShared(token, payer),
    async acquire(binding, access): Promise<Acquisition> {
      let entry = entries.get(binding.key);
      if (entry && entry.expiresAtMs <= now()) {
        drop(entry);
        entry = undefined;
      }
      if (!entry) {
        if (!makeRoom()) return { kind: "full" };
        entry = newEntry(binding, access, now() + settlingMsMax);
        entries.set(binding.key, entry);
        return { kind: "acquired", lease: createLease(entry, { now, replayMs, drop, store }) };
      }
      if (!isSame(entry.binding, binding)) return { kind: "bound" };
      const isDelivered = entry.state === "delivered";
      const isAllowed = mayResume(entry.opener, access, isDelivered);
      const { receipt } = entry;
      if (isDelivered && receipt) {
        if (entry.answerUntilMs <= now()) dropAnswer(entry);
        const answer = isAllowed ? entry.answer : undefined;
        return { kind: "delivered", receipt, ...(answer ? { answer } : {}) };
      }
      if (!isAllowed) return { kind: "unproven", ...(receipt ? { receipt } : {}) };
      if (entry.holder) return { kind: "busy" };
      return { kind: "acquired", lease: createLease(entry, { now, replayMs, drop, store }) };
    },
    async has(binding) {
      const entry = entries.get(binding.key);
      return entry !== undefined && entry.expiresAtMs > now() && isSame(entry.binding, binding);
    },
    async wait(key, timeoutMs) {
      const entry = entries.get(key);
      if (!entry?.holder) return true;
      return entry.waiters.size < waitersMax && waitForHolder(entry, timeoutMs);
    },
  };
}

function isSame(one: Binding, other: Binding): boolean {
  return one.fingerprint === other.fingerprint && one.payload === other.payload;
}

function newEntry(binding: Binding, { proof }: Access, expiresAtMs: number): Entry {
  return {
    binding,
    opener: openerOf(proof),
    exchangeKey: newExchangeKey(),
    dispensableFromMs: 0,
    state: "claimed",
    answerUntilMs: 0,
    expiresAtMs,
    holder: undefined,
    waiters: new Set(),
  };
}

interface Keeping {
  readonly now: () => number;
  readonly replayMs: number;
  readonly drop: (entry: Entry) => void;
  readonly store: (entry: Entry, answer: StoredAnswer) => void;
}

function createLease(entry: Entry, keeping: Keeping): Lease {
  const { now } = keeping;
  const token = {};
  entry.holder = token;
  const whileHeld = (change: () => void) => async (): Promise<boolean> => {
    if (entry.holder !== token) return false;
    change();
    return true;
  };
  return {
    state: entry.state === "delivered" ? "claimed" : entry.state,
    exchangeKey: entry.exchangeKey,
    ...(entry.receipt ? { receipt: entry.receipt } : {}),
    ...(entry.answer ? { answer: entry.answer } : {}),
    settling: ({ receipt, answer, isDispensable } = {}) =>
      whileHeld(() => {
        entry.state = "settling";
        entry.dispensableFromMs = isDispensable ? 0 : entry.binding.validBeforeMs + overMsMin;
        if (receipt) entry.receipt = receipt;
        if (answer) keeping.store(entry, answer);
        entry.expiresAtMs = now() + settlingMsMax;
      })(),
    paid: (receipt) =>
      whileHeld(() => {
        entry.state = "paid";
        entry.dispensableFromMs = Infinity;
        entry.receipt = receipt;
        entry.expiresAtMs = now() + undeliveredMsMax;
      })(),
    complete: (receipt, answer) =>
      whileHeld(() => {
        entry.state = "delivered";
        entry.dispensableFromMs = Infinity;
        entry.receipt = receipt;
        entry.answerUntilMs = Math.min(entry.binding.validBeforeMs, now() + keeping.replayMs);
        entry.expiresAtMs = now() + deliveredMsMax;
        if (answer) keeping.store(entry, answer);
        free(entry);
      })(),
    discard: whileHeld(() => keeping.drop(entry)),
    unlock: whileHeld(() => free(entry)),
  };
}

function free(entry: Entry): void {
  entry.holder = undefined;
  const waiters = [...entry.waiters];
  entry.waiters.clear();
  for (const wake of waiters) wake();
}

function waitForHolder(entry: Entry, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      entry.waiters.delete(wake);
      resolve(false);
    }, timeoutMs);
    entry.waiters.add(wake);
  });
}
