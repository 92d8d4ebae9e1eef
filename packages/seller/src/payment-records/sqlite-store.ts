/** The store of payment records in a SQLite file. Each call is one transaction. */
import type { StoredAnswer } from "./payment-records.ts";
import { recordFormat, type PaymentRecord } from "./record-transitions.ts";
import type { Database, Row, Value } from "./sqlite-file.ts";
import { createSqliteTokens } from "./sqlite-tokens.ts";
import {
  timeOf,
  type Change,
  type Changed,
  type Expected,
  type Inserted,
  type NewPaymentRecord,
  type PaymentRecordStore,
  type RecordList,
  type TokenStore,
} from "./store.ts";
import { answerIn, headersText, recordIn } from "./stored-record.ts";

interface Bounds {
  readonly entriesMax: number;
  readonly totalBytesMax: number;
  readonly now: () => number;
}

/** What each new record clears away of what has ended: more than it adds, so nothing piles up. */
const swept = 4;

/** A record's columns, by their names in {@link PaymentRecord}. Its body is read apart. */
const columns = `key, fingerprint, payload, state, opener, exchange as exchangeKey, receipt, holder,
  held_until_ms as heldUntilMs, dispensable_from_ms as dispensableFromMs,
  answer_until_ms as answerUntilMs, length(answer_body) as answerBytes, format`;

/** Which records a list has, and their order; each along an index of its own. */
const lists: Readonly<Record<RecordList, string>> = {
  dispensable: `state in ('claimed', 'settling') and dispensable_from_ms <= :now
    and (holder is null or held_until_ms <= :now) order by dispensable_from_ms`,
  delivered: "state = 'delivered' order by id",
  answered: "answer_body is not null and answer_until_ms > 0 order by answer_until_ms",
};

/** The store in a file. */
export class SqliteStore implements PaymentRecordStore {
  readonly tokens: TokenStore;
  readonly #database: Database;
  readonly #bounds: Bounds;

  constructor(database: Database, bounds: Bounds) {
    this.#database = database;
    this.#bounds = bounds;
    this.tokens = createSqliteTokens(database, bounds.entriesMax, bounds.now);
  }

  /** Bytes of the bodies that are kept. */
  get keptBytes(): number {
    return this.#total("bytes");
  }

  async get(key: string): Promise<PaymentRecord | undefined> {
    return this.#find(key);
  }

  async getAnswer(key: string): Promise<StoredAnswer | undefined> {
    const row = this.#database.get(
      "select answer_status, answer_headers, answer_body from grants where key = ?",
      key,
    );
    const body = row?.["answer_body"];
    const kept = body instanceof Uint8Array ? body : undefined;
    return answerIn(row?.["answer_status"], row?.["answer_headers"], kept);
  }

  async insert(record: NewPaymentRecord): Promise<Inserted> {
    return this.#database.transaction(() => this.#insert(record), "soon");
  }

  async compareAndSet(key: string, expected: Expected, change: Change | "gone"): Promise<Changed> {
    // A power cut may bring back a lease, and must not forget what was decided.
    const isDecided = change !== "gone" && change.state !== undefined;
    const set = () => this.#compareAndSet(key, expected, change);
    return this.#database.transaction(set, isDecided ? "surely" : "soon");
  }

  async list(list: RecordList, limit: number): Promise<readonly PaymentRecord[]> {
    const text = `select ${columns} from grants where format <= ${recordFormat} and ${lists[list]}`;
    const now = this.#bounds.now();
    const named = list === "dispensable" ? { now, limit } : { limit };
    return this.#database.all(`${text} limit :limit`, named).map((row) => this.#toRecord(row));
  }

  #insert({ binding, opener, exchangeKey, lock, expires }: NewPaymentRecord): Inserted {
    const { key, fingerprint, payload, validBeforeMs } = binding;
    const nowMs = this.#bounds.now();
    this.#sweep(nowMs);
    const record = this.#find(key);
    if (record) return { kind: "exists", record };
    // One that has ended may still be there.
    this.#database.run("delete from grants where key = ?", key);
    if (this.#total("entries") >= this.#bounds.entriesMax) return { kind: "full" };
    this.#database.run(
      `insert into grants (key, fingerprint, payload, valid_before_ms, state, expires_at_ms,
         holder, held_until_ms, exchange, opener, dispensable_from_ms, format)
       values (?, ?, ?, ?, 'claimed', ?, ?, ?, ?, ?, 0, ?)`,
      key,
      fingerprint,
      payload,
      validBeforeMs,
      timeOf(expires, nowMs),
      lock.holder,
      timeOf(lock.until, nowMs),
      exchangeKey,
      JSON.stringify(opener),
      recordFormat,
    );
    return { kind: "inserted" };
  }

  #compareAndSet(key: string, expected: Expected, change: Change | "gone"): Changed {
    const guard = guardOf(key, expected);
    const apply = (statement: string, ...values: Value[]): Changed => {
      const text = `${statement} where ${guard.text} returning ${columns}`;
      const row = this.#database.get(text, ...values, ...guard.values);
      return row ? { kind: "changed", record: this.#toRecord(row) } : { kind: "stale" };
    };
    if (change === "gone") return apply("delete from grants");
    if (change.answer) {
      const missingBytes = this.#missingBytes(key, change.answer.body.byteLength);
      if (missingBytes > 0) return { kind: "full", missingBytes };
    }
    const set = setOf(change, this.#bounds.now());
    const names = set.map(([name]) => `${name} = ?`).join(", ");
    return apply(`update grants set ${names}`, ...set.map(([, value]) => value));
  }

  /** How many bytes are too many with a response of this size in the place of the one it has. */
  #missingBytes(key: string, size: number): number {
    const row = this.#database.get(
      "select length(answer_body) as bytes from grants where key = ?",
      key,
    );
    return this.#total("bytes") - Number(row?.["bytes"] ?? 0) + size - this.#bounds.totalBytesMax;
  }

  #find(key: string): PaymentRecord | undefined {
    const row = this.#database.get(
      `select ${columns} from grants where key = ? and expires_at_ms > ?`,
      key,
      this.#bounds.now(),
    );
    return row && this.#toRecord(row);
  }

  #toRecord(row: Row): PaymentRecord {
    return recordIn({ ...row, readAtMs: this.#bounds.now() });
  }

  /** What ends by itself goes, a little with each new record. */
  #sweep(nowMs: number): void {
    this.#database.run(
      `delete from grants where id in
         (select id from grants where expires_at_ms <= ? order by expires_at_ms limit ${swept})`,
      nowMs,
    );
    this.#database.run(
      `update grants set answer_body = null where id in
         (select id from grants where answer_body is not null and answer_until_ms between 1 and ?
          order by answer_until_ms limit ${swept})`,
      nowMs,
    );
  }

  #total(what: "entries" | "bytes"): number {
    return Number(this.#database.get("select entries, bytes from totals")?.[what]);
  }
}

/** The condition of a change: what the record must be. */
function guardOf(key: string, { states, ...expected }: Expected) {
  const list: [string, Value | undefined][] = [
    ["key = ?", key],
    ["holder is ?", expected.holder],
    ["held_until_ms = ?", expected.heldUntilMs],
    ["exchange is ?", expected.exchangeKey],
    ["dispensable_from_ms = ?", expected.dispensableFromMs],
  ];
  const given = list.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]));
  const isInState = `state in (${states.map(() => "?").join(", ")})`;
  return {
    text: [...given.map(({ text }) => text), isInState].join(" and "),
    values: [...given.map(({ value }) => value), ...states],
  };
}

/** The columns that a change sets. */
function setOf(change: Change, nowMs: number): readonly (readonly [string, Value])[] {
  const { state, receipt, exchangeKey, dispensableFromMs, expires, answerUntil } = change;
  const { lock, answer } = change;
  const list: [string, Value | undefined][] = [
    ["state", state],
    ["receipt", receipt && JSON.stringify(receipt)],
    ["exchange", exchangeKey],
    ["dispensable_from_ms", dispensableFromMs],
    ["expires_at_ms", expires && timeOf(expires, nowMs)],
    ["answer_until_ms", answerUntil && timeOf(answerUntil, nowMs)],
    ["holder", lock && lock.holder],
    ["held_until_ms", lock === null ? 0 : lock && timeOf(lock.until, nowMs)],
    ["answer_status", answer?.status],
    ["answer_headers", answer ? headersText(answer) : undefined],
    ["answer_body", answer && answer.body],
  ];
  return list.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
