/** Payment records for one process. Later the facilitator still refuses used payments. */
import {
  createPaymentRecords,
  type PaymentRecordOptions,
} from "../rules/create-payment-records.ts";
import type { BalanceStore } from "../balances/balance-store.ts";
import type { ChannelStore } from "../channels/channel-store.ts";
import { callKeyPrefix, type KeptCall } from "../channels/kept-call.ts";
import { createMemoryBalanceStore } from "./balance-store.ts";
import { createMemoryChannelStore } from "./channel-store.ts";
import { createMemoryPassStore } from "./pass-store.ts";
import type { PassStore } from "../passes/pass-store.ts";
import { maxTokenMs } from "../retention.ts";
import type { PaymentRecords, StoredResponse } from "../rules/payment-records.ts";
import { isHeld, type PaymentRecord } from "../rules/record-transitions.ts";
import {
  fieldsOf,
  timeOf,
  type Bounds,
  type Change,
  type Changed,
  type Deadline,
  type Expected,
  type Inserted,
  type NewPaymentRecord,
  type PaymentRecordStore,
  type RecordList,
  type TokenStore,
} from "../rules/store.ts";

export interface MemoryGrantOptions extends Pick<
  PaymentRecordOptions,
  "answerBytesMax" | "totalBytesMax" | "replayMs"
> {
  /** Most records at once. */
  readonly entriesMax?: number;
  /** Most top-ups of balances, which are remembered as long as the process runs. */
  readonly topUpsMax?: number;
  /** Milliseconds since the Unix epoch; the same for all processes that share the records. */
  readonly now?: () => number;
}

export interface MemoryGrants extends PaymentRecords {
  /** Bytes of the bodies that are kept, of all processes that share them. */
  keptBytes(): number;
}

/** About 1 kB each: tens of megabytes at most. */
const defaultMaxEntries = 20_000;
const defaultMaxTotalBytes = 64 * 1024 * 1024;

/** About half a kilobyte each, with their line in the ledger. A seller with more needs another store. */
const defaultMaxTopUps = 100_000;

export function createMemoryGrants(options: MemoryGrantOptions = {}): MemoryGrants {
  const { entriesMax = defaultMaxEntries, totalBytesMax = defaultMaxTotalBytes } = options;
  const { topUpsMax = defaultMaxTopUps, now = Date.now } = options;
  const store = new MemoryStore({ entriesMax, totalBytesMax, topUpsMax, now });
  // A lease ends with its process, so it needs no other end.
  const bounds = { ...options, totalBytesMax, leaseMs: Infinity };
  const records = createPaymentRecords(store, bounds);
  return { ...records, keptBytes: () => store.keptBytes };
}

interface Entry extends Omit<PaymentRecord, "readAtMs" | "responseBytes"> {
  readonly expiresAtMs: number;
  readonly response: StoredResponse | null;
}

/** Requests that wait for the same payment at once. More than that is no honest repeat. */
const maxWatchers = 64;

interface MemoryBounds extends Bounds {
  readonly topUpsMax?: number;
}

/** The store in memory. Each call runs to its end before the next one starts. */
export class MemoryStore implements PaymentRecordStore {
  readonly tokens: TokenStore;
  readonly passes: PassStore;
  readonly balances: BalanceStore;
  readonly channels: ChannelStore;
  readonly #bounds: MemoryBounds;
  // In order of creation, so that the first delivered entry is the oldest.
  readonly #entries = new Map<string, Entry>();
  readonly #watchers = new Map<string, Set<() => void>>();
  #keptBytes = 0;

  constructor(bounds: MemoryBounds) {
    this.#bounds = bounds;
    this.tokens = createTokens(bounds);
    const { entriesMax: passesMax, topUpsMax: notesMax = defaultMaxTopUps, now } = bounds;
    this.passes = createMemoryPassStore({ passesMax, notesMax, now });
    this.balances = createMemoryBalanceStore(bounds.entriesMax);
    this.channels = createMemoryChannelStore(bounds.entriesMax, now, (call) => this.#keep(call));
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  async get(key: string): Promise<PaymentRecord | undefined> {
    const entry = this.#find(key);
    return entry && this.#toRecord(entry);
  }

  async getResponse(key: string): Promise<StoredResponse | undefined> {
    return this.#find(key)?.response ?? undefined;
  }

  async insert({ binding, opener, ...values }: NewPaymentRecord): Promise<Inserted> {
    const { key, fingerprint, payload } = binding;
    const found = this.#find(key);
    if (found) return { kind: "exists", record: this.#toRecord(found) };
    if (this.#entries.size >= this.#bounds.entriesMax) this.#forgetExpired();
    if (this.#entries.size >= this.#bounds.entriesMax) return { kind: "full" };
    const unset = {
      facilitator: null,
      receipt: null,
      response: null,
      dispensableFromMs: 0,
      responseUntilMs: 0,
    };
    const blank = { key, fingerprint, payload, opener, ...unset, holder: null, heldUntilMs: 0 };
    const entry = { ...blank, state: "claimed", exchangeKey: null, expiresAtMs: 0 } as const;
    this.#entries.set(key, this.#apply(entry, values));
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
    if (watchers.size >= maxWatchers) return undefined;
    this.#watchers.set(key, watchers.add(onFree));
    return () => {
      watchers.delete(onFree);
      if (watchers.size === 0 && this.#watchers.get(key) === watchers) this.#watchers.delete(key);
    };
  }

  /** Keeps the response to a call of a channel, in place of the oldest ones where there is no room. */
  #keep({ keptMs, ...call }: KeptCall): void {
    const before = this.#entries.get(call.key);
    if (before) this.#forget(before);
    const { entriesMax, totalBytesMax, now } = this.#bounds;
    const bytes = call.response.body.byteLength;
    const isFull = (): boolean =>
      this.#entries.size >= entriesMax || this.#keptBytes + bytes > totalBytesMax;
    for (const entry of this.#entries.values()) {
      if (!isFull()) break;
      if (entry.key.startsWith(callKeyPrefix)) this.#forget(entry);
    }
    if (isFull()) return;
    const untilMs = now() + keptMs;
    const over = { exchangeKey: null, facilitator: null, holder: null, heldUntilMs: 0 };
    const times = { dispensableFromMs: 0, responseUntilMs: untilMs, expiresAtMs: untilMs };
    this.#entries.set(call.key, { ...call, ...over, ...times, state: "delivered" });
    this.#keptBytes += bytes;
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.expiresAtMs > this.#bounds.now()) return entry;
    this.#forget(entry);
    return undefined;
  }

  #toRecord({ response, expiresAtMs: _expiresAtMs, ...record }: Entry): PaymentRecord {
    return {
      ...record,
      responseBytes: response?.body.byteLength ?? 0,
      readAtMs: this.#bounds.now(),
    };
  }

  #apply(entry: Entry, { format: _format, ...change }: Change): Entry {
    const toTime = (deadline: Deadline) => timeOf(deadline, this.#bounds.now());
    const { response = entry.response } = change;
    return { ...entry, ...fieldsOf(change, toTime), response };
  }

  /** Returns how many bytes are too many with the response of a change. */
  #missingBytes(entry: Entry, { response }: Change): number {
    if (!response) return 0;
    const addedBytes = response.body.byteLength - bytesOf(entry);
    const { totalBytesMax } = this.#bounds;
    if (this.#keptBytes + addedBytes > totalBytesMax) this.#forgetExpired();
    return this.#keptBytes + addedBytes - totalBytesMax;
  }

  #forgetExpired(): void {
    for (const key of this.#entries.keys()) this.#find(key);
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
  dispensable: ({ state, dispensableFromMs, holder, heldUntilMs }, nowMs) =>
    (state === "claimed" || state === "settling") &&
    dispensableFromMs <= nowMs &&
    !isHeld({ holder, heldUntilMs, readAtMs: nowMs }),
  delivered: ({ state }) => state === "delivered",
  responses: ({ state, response }) => state === "delivered" && response !== null,
};

function isAsExpected(entry: Entry, { states, ...expected }: Expected): boolean {
  const values: Readonly<Record<string, unknown>> = { ...entry };
  const isSame = Object.entries(expected).every(([name, value]) => values[name] === value);
  return isSame && states.includes(entry.state);
}

function bytesOf({ response }: Entry): number {
  return response?.body.byteLength ?? 0;
}

/** Creates the tokens of one process; beyond the bound the oldest are forgotten. */
function createTokens({ entriesMax, now }: Bounds): TokenStore {
  // In order of creation, so that the first is the oldest.
  const entries = new Map<string, { payer: string | null; expiresAtMs: number }>();
  function set(token: string, payer: string | null): void {
    entries.delete(token);
    entries.set(token, { payer, expiresAtMs: now() + maxTokenMs });
    for (const [oldest] of entries) {
      if (entries.size <= entriesMax) break;
      entries.delete(oldest);
    }
  }
  return {
    async insert(token, payer) {
      const found = entries.get(token);
      if (found && found.expiresAtMs > now()) return found.payer;
      set(token, payer);
      return undefined;
    },
    share: async (token) => set(token, null),
  };
}
