/** The store of payment records in SQLite. Each call is one transaction. */
import type { StoredResponse } from "../rules/payment-records.ts";
import { newRecordFormat, recordFormat, type PaymentRecord } from "../rules/record-transitions.ts";
import type { BalanceStore } from "../balances/balance-store.ts";
import type { ChannelStore } from "../channels/channel-store.ts";
import { callKeyPrefix, type KeptCall } from "../channels/kept-call.ts";
import type { PassStore } from "../passes/pass-store.ts";
import type { Database, Row, Value } from "./tables.ts";
import { createSqliteBalanceStore } from "./balance-store.ts";
import { createSqliteChannelStore } from "./channel-store.ts";
import { createSqlitePassStore } from "./pass-store.ts";
import { maxTokenMs } from "../retention.ts";
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
import { responseIn, headersText, recordIn, storedNames } from "../rules/stored-record.ts";

/** Expired rows that each insertion deletes: more than it adds, so nothing piles up. */
const maxSwept = 4;

/** Kept calls that a new one displaces at most: enough for one that is much larger. */
const maxDisplacedCalls = 64;

/** A record's columns by their names in {@link PaymentRecord}. The body is read apart. */
const columns = [
  "key, length(answer_body) as responseBytes",
  ...Object.entries(storedNames).flatMap(([name, { column }]) =>
    column === undefined ? [] : `${column} as ${name}`,
  ),
].join(", ");

/** The condition and the order of each list, along an index of its own. */
const lists: Readonly<Record<RecordList, string>> = {
  dispensable: `state in ('claimed', 'settling') and dispensable_from_ms <= ?
    and (holder is null or held_until_ms <= ?) order by dispensable_from_ms`,
  delivered: "state = 'delivered' order by id",
  responses: "answer_body is not null and answer_until_ms > 0 order by answer_until_ms",
};

export class SqliteStore implements PaymentRecordStore {
  readonly tokens: TokenStore;
  readonly passes: PassStore;
  readonly balances: BalanceStore;
  readonly channels: ChannelStore;
  readonly #database: Database;
  readonly #bounds: Bounds;

  constructor(database: Database, bounds: Bounds) {
    this.#database = database;
    this.#bounds = bounds;
    this.tokens = createTokens(database, bounds);
    this.passes = createSqlitePassStore(database, bounds.entriesMax, bounds.now);
    this.balances = createSqliteBalanceStore(database, bounds.entriesMax);
    this.channels = createSqliteChannelStore(database, bounds.entriesMax, bounds.now, (call) =>
      this.#keep(call),
    );
  }

  get keptBytes(): number {
    return this.#total("bytes");
  }

  async get(key: string): Promise<PaymentRecord | undefined> {
    return this.#find(key);
  }

  async getResponse(key: string): Promise<StoredResponse | undefined> {
    const row = this.#database.get(
      "select answer_status, answer_headers, answer_body from grants where key = ?",
      key,
    );
    const body = row?.["answer_body"];
    const kept = body instanceof Uint8Array ? body : undefined;
    return responseIn(row?.["answer_status"], row?.["answer_headers"], kept);
  }

  async insert(record: NewPaymentRecord): Promise<Inserted> {
    return this.#database.transaction(() => this.#insert(record), "soon");
  }

  async compareAndSet(key: string, expected: Expected, change: Change | "gone"): Promise<Changed> {
    // A power cut may bring back a lease, but must not undo a decision.
    const isDecided = change !== "gone" && change.state !== undefined;
    const set = () => this.#compareAndSet(key, expected, change);
    return this.#database.transaction(set, isDecided ? "surely" : "soon");
  }

  async list(list: RecordList, limit: number): Promise<readonly PaymentRecord[]> {
    const text = `select ${columns} from grants where format <= ${recordFormat} and ${lists[list]}`;
    const now = this.#bounds.now();
    const values = list === "dispensable" ? [now, now, limit] : [limit];
    return this.#database.all(`${text} limit ?`, ...values).map((row) => this.#toRecord(row));
  }

  /** Keeps the response to a call of a channel, in place of the oldest ones where there is no room. */
  #keep({ key, keptMs, response, opener, ...call }: KeptCall): void {
    const { now, entriesMax } = this.#bounds;
    this.#sweep(now());
    this.#database.run("delete from grants where key = ?", key);
    const isFull = (): boolean =>
      this.#total("entries") >= entriesMax || this.#missingBytes(key, response.body.byteLength) > 0;
    for (let nth = 0; nth < maxDisplacedCalls && isFull(); nth++) {
      this.#database.run(
        `delete from grants where id in (select id from grants
           where state = 'delivered' and key like '${callKeyPrefix}%' order by id limit 1)`,
      );
    }
    if (isFull()) return;
    const untilMs = now() + keptMs;
    const times = { dispensableFromMs: 0, responseUntilMs: untilMs, expiresAtMs: untilMs };
    const record = { ...call, opener, ...times, state: "delivered", format: newRecordFormat };
    this.#add(key, untilMs, toColumns(record));
    // Apart, because the bytes are counted when a body changes.
    const body = responseColumns(response);
    this.#database.run(
      `update grants set ${body.map(([name]) => `${name} = ?`).join(", ")} where key = ?`,
      ...body.map(([, value]) => value),
      key,
    );
  }

  #insert({ binding, opener, ...change }: NewPaymentRecord): Inserted {
    const { key, fingerprint, payload, validBeforeMs } = binding;
    const nowMs = this.#bounds.now();
    this.#sweep(nowMs);
    const found = this.#find(key);
    if (found) return { kind: "exists", record: found };
    // An expired record may still be there.
    this.#database.run("delete from grants where key = ?", key);
    if (this.#total("entries") >= this.#bounds.entriesMax) return { kind: "full" };
    const fields = fieldsOf(change, (deadline) => timeOf(deadline, nowMs));
    const record = { fingerprint, payload, opener, state: "claimed", format: newRecordFormat };
    this.#add(key, validBeforeMs, toColumns({ ...record, dispensableFromMs: 0, ...fields }));
    return { kind: "inserted" };
  }

  #add(key: string, validBeforeMs: number, set: readonly (readonly [string, Value])[]): void {
    const names = ["key", "valid_before_ms", ...set.map(([column]) => column)];
    this.#database.run(
      `insert into grants (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
      key,
      validBeforeMs,
      ...set.map(([, value]) => value),
    );
  }

  #compareAndSet(key: string, expected: Expected, change: Change | "gone"): Changed {
    const guard = guardOf(key, expected);
    const apply = (statement: string, ...values: Value[]): Changed => {
      const text = `${statement} where ${guard.text} returning ${columns}`;
      const row = this.#database.get(text, ...values, ...guard.values);
      return row ? { kind: "changed", record: this.#toRecord(row) } : { kind: "stale" };
    };
    if (change === "gone") return apply("delete from grants");
    if (change.response) {
      const missingBytes = this.#missingBytes(key, change.response.body.byteLength);
      if (missingBytes > 0) return { kind: "full", missingBytes };
    }
    const toTime = (deadline: Deadline) => timeOf(deadline, this.#bounds.now());
    const set = [...toColumns(fieldsOf(change, toTime)), ...responseColumns(change.response)];
    const names = set.map(([name]) => `${name} = ?`).join(", ");
    return apply(`update grants set ${names}`, ...set.map(([, value]) => value));
  }

  /** Returns how many bytes are too many with a response of this size in place of the kept one. */
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

  /** Deletes a few expired rows and responses with each new record. */
  #sweep(nowMs: number): void {
    this.#database.run(
      `delete from grants where id in
         (select id from grants where expires_at_ms <= ? order by expires_at_ms limit ${maxSwept})`,
      nowMs,
    );
    this.#database.run(
      `update grants set answer_body = null where id in
         (select id from grants where answer_body is not null and answer_until_ms between 1 and ?
          order by answer_until_ms limit ${maxSwept})`,
      nowMs,
    );
  }

  #total(what: "entries" | "bytes"): number {
    return Number(this.#database.get("select entries, bytes from totals")?.[what]);
  }
}

function guardOf(key: string, { states, ...expected }: Expected) {
  const list = toColumns(expected);
  const isInState = `state in (${states.map(() => "?").join(", ")})`;
  return {
    text: ["key = ?", ...list.map(([column]) => `${column} is ?`), isInState].join(" and "),
    values: [key, ...list.map(([, value]) => value), ...states],
  };
}

/** Returns the columns for values of a record; objects are stored as JSON. */
function toColumns(values: Readonly<Record<string, string | number | object | null>>) {
  return Object.entries(values).flatMap(([name, value]): [column: string, value: Value][] => {
    const column = storedNames[name]?.column;
    const stored = typeof value === "object" && value ? JSON.stringify(value) : value;
    return column === undefined ? [] : [[column, stored]];
  });
}

/** Returns the columns of a response; of one that is forgotten, only the body goes. */
function responseColumns(response: StoredResponse | null | undefined) {
  if (!response) return response === null ? [["answer_body", null] as const] : [];
  return [
    ["answer_status", response.status],
    ["answer_headers", headersText(response)],
    ["answer_body", response.body],
  ] as const;
}

/** Creates the tokens of a file; beyond the bound the oldest are forgotten. */
function createTokens(database: Database, { entriesMax, now }: Bounds): TokenStore {
  function insert(token: string, payer: string): string | null | undefined {
    const nowMs = now();
    database.run(
      `delete from tokens where id in
         (select id from tokens where expires_at_ms <= ? order by expires_at_ms limit ${maxSwept})`,
      nowMs,
    );
    const row = database.get(
      "select payer from tokens where token = ? and expires_at_ms > ?",
      token,
      nowMs,
    );
    if (row) return row["payer"] === null ? null : String(row["payer"]);
    database.run("delete from tokens where token = ?", token);
    database.run(
      "insert into tokens (token, payer, expires_at_ms) values (?, ?, ?)",
      token,
      payer,
      nowMs + maxTokenMs,
    );
    // Ids grow by one with each token, so this keeps the newest without counting.
    database.run("delete from tokens where id <= (select max(id) from tokens) - ?", entriesMax);
    return undefined;
  }
  return {
    insert: async (token, payer) => database.transaction(() => insert(token, payer), "soon"),
    share: async (token) => {
      const text = "update tokens set payer = null, expires_at_ms = ? where token = ?";
      database.transaction(() => database.run(text, now() + maxTokenMs, token), "soon");
    },
  };
}
