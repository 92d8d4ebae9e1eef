/** The store of payment records in memory. Each call runs in one piece, so nothing comes between. */
import type { StoredAnswer } from "./payment-records.ts";
import { createMemoryTokens } from "./memory-tokens.ts";
import { isHeld, type PaymentRecord } from "./record-transitions.ts";
import {
  timeOf,
  type Change,
  type Changed,
  type Expected,
  type Inserted,
  type Lock,
  type NewPaymentRecord,
  type PaymentRecordStore,
  type RecordList,
  type TokenStore,
} from "./store.ts";

interface Bounds {
  readonly entriesMax: number;
  readonly totalBytesMax: number;
  readonly now: () => number;
}

interface Entry extends Omit<PaymentRecord, "readAtMs" | "answerBytes"> {
  readonly dispensableFromMs: number;
  readonly expiresAtMs: number;
  readonly answer?: StoredAnswer;
}

/** Requests that wait for the same payment at once. More than that is no honest repeat. */
const watchersMax = 64;

/** The store in memory. */
export class MemoryStore implements PaymentRecordStore {
  readonly tokens: TokenStore;
  readonly #bounds: Bounds;
  // In order of creation, so that the first delivered entry is the oldest.
  readonly #entries = new Map<string, Entry>();
  readonly #watchers = new Map<string, Set<() => void>>();
  #keptBytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.tokens = createMemoryTokens(bounds.entriesMax, bounds.now);
  }

  /** Bytes of the bodies that are kept. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  async get(key: string): Promise<PaymentRecord | undefined> {
    const entry = this.#find(key);
    return entry && this.#toRecord(entry);
  }

  async getAnswer(key: string): Promise<StoredAnswer | undefined> {
    return this.#find(key)?.answer;
  }

  async insert(record: NewPaymentRecord): Promise<Inserted> {
    const { binding, opener, exchangeKey } = record;
    const found = this.#find(binding.key);
    if (found) return { kind: "exists", record: this.#toRecord(found) };
    if (this.#entries.size >= this.#bounds.entriesMax) this.#forgetEnded();
    if (this.#entries.size >= this.#bounds.entriesMax) return { kind: "full" };
    const { key, fingerprint, payload } = binding;
    const lock = this.#lockAs(record.lock);
    const expiresAtMs = timeOf(record.expires, this.#bounds.now());
    const times = { dispensableFromMs: 0, answerUntilMs: 0, expiresAtMs };
    const entry = { key, fingerprint, payload, opener, exchangeKey, ...lock, ...times };
    this.#entries.set(key, { ...entry, state: "claimed" });
    return { kind: "inserted" };
  }

  async compareAndSet(key: string, expected: Expected, change: Change | "gone"): Promise<Changed> {
    const entry = this.#entries.get(key);
    if (!entry || !isAsExpected(entry, expected)) return { kind: "stale" };
    if (change === "gone") {
      this.#forget(entry);
      return { kind: "changed", record: this.#toRecord(entry) };
    }
    const missingBytes = this.#missingBytes(entry, change);
    if (missingBytes > 0) return { kind: "full", missingBytes };
    const changed = this.#apply(entry, change);
    this.#entries.set(key, changed);
    this.#keptBytes += bytesOf(changed) - bytesOf(entry);
    if (change.lock === null) this.#wake(key);
    return { kind: "changed", record: this.#toRecord(changed) };
  }

  async list(list: RecordList, limit: number): Promise<readonly PaymentRecord[]> {
    const nowMs = this.#bounds.now();
    const listed: PaymentRecord[] = [];
    for (const entry of this.#entries.values()) {
      if (listed.length >= limit) break;
      if (isListed[list](entry, nowMs)) listed.push(this.#toRecord(entry));
    }
    return listed;
  }

  watch(key: string, onFree: () => void): (() => void) | undefined {
    const watchers = this.#watchers.get(key) ?? new Set();
    if (watchers.size >= watchersMax) return undefined;
    this.#watchers.set(key, watchers.add(onFree));
    return () => {
      watchers.delete(onFree);
      if (watchers.size === 0 && this.#watchers.get(key) === watchers) this.#watchers.delete(key);
    };
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.expiresAtMs > this.#bounds.now()) return entry;
    this.#forget(entry);
    return undefined;
  }

  #toRecord({ answer, ...entry }: Entry): PaymentRecord {
    const answerBytes = answer === undefined ? {} : { answerBytes: answer.body.byteLength };
    return { ...entry, ...answerBytes, readAtMs: this.#bounds.now() };
  }

  #lockAs({ holder, until }: Lock) {
    return { holder, heldUntilMs: timeOf(until, this.#bounds.now()) };
  }

  #apply({ holder, answer, ...entry }: Entry, change: Change): Entry {
    const { lock, answer: newAnswer, expires, answerUntil, ...values } = change;
    const nowMs = this.#bounds.now();
    const kept = newAnswer === undefined ? answer : (newAnswer ?? undefined);
    const held = holder === undefined ? {} : { holder };
    return {
      ...entry,
      ...values,
      ...(expires ? { expiresAtMs: timeOf(expires, nowMs) } : {}),
      ...(answerUntil ? { answerUntilMs: timeOf(answerUntil, nowMs) } : {}),
      ...(lock === undefined ? held : lock ? this.#lockAs(lock) : { heldUntilMs: 0 }),
      ...(kept ? { answer: kept } : {}),
    };
  }

  /** How many bytes are too many with the response of a change. */
  #missingBytes(entry: Entry, { answer }: Change): number {
    if (!answer) return 0;
    const addedBytes = answer.body.byteLength - bytesOf(entry);
    const { totalBytesMax } = this.#bounds;
    if (this.#keptBytes + addedBytes > totalBytesMax) this.#forgetEnded();
    return this.#keptBytes + addedBytes - totalBytesMax;
  }

  #forgetEnded(): void {
    for (const entry of this.#entries.values()) this.#find(entry.key);
  }

  #forget(entry: Entry): void {
    this.#keptBytes -= bytesOf(entry);
    this.#entries.delete(entry.key);
    this.#wake(entry.key);
  }

  #wake(key: string): void {
    const watchers = this.#watchers.get(key);
    this.#watchers.delete(key);
    for (const onFree of watchers ?? []) onFree();
  }
}

const isListed: Readonly<Record<RecordList, (entry: Entry, nowMs: number) => boolean>> = {
  dispensable: ({ state, dispensableFromMs, ...entry }, nowMs) =>
    (state === "claimed" || state === "settling") &&
    dispensableFromMs <= nowMs &&
    !isHeld({ ...entry, readAtMs: nowMs }),
  delivered: ({ state }) => state === "delivered",
  answered: ({ state, answer }) => state === "delivered" && answer !== undefined,
};

function isAsExpected(entry: Entry, expected: Expected): boolean {
  return (
    expected.states.includes(entry.state) &&
    isOrAny(entry.holder ?? null, expected.holder) &&
    isOrAny(entry.heldUntilMs, expected.heldUntilMs) &&
    isOrAny(entry.exchangeKey ?? null, expected.exchangeKey) &&
    isOrAny(entry.dispensableFromMs, expected.dispensableFromMs)
  );
}

function isOrAny<T>(kept: T, expected: T | undefined): boolean {
  return expected === undefined || kept === expected;
}

function bytesOf({ answer }: Entry): number {
  return answer?.body.byteLength ?? 0;
}
