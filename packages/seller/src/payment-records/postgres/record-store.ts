/** The store of payment records in PostgreSQL. Each change is one statement. */
import type { BalanceStore } from "../balances/balance-store.ts";
import type { ChannelStore } from "../channels/channel-store.ts";
import type { PassStore } from "../passes/pass-store.ts";
import type { StoredResponse } from "../rules/payment-records.ts";
import { createPostgresBalanceStore } from "./balance-store.ts";
import { createPostgresChannelStore, type KeepText } from "./channel-store.ts";
import { createPostgresPassStore } from "./pass-store.ts";
import {
  createTables,
  maxSwept,
  nowOf,
  Values,
  type PostgresClient,
  type Query,
} from "./tables.ts";
import { newRecordFormat, type PaymentRecord } from "../rules/record-transitions.ts";
import { maxTokenMs } from "../retention.ts";
import {
  fieldsOf,
  type Change,
  type Changed,
  type Deadline,
  type Expected,
  type Inserted,
  type NewPaymentRecord,
  type PaymentRecordStore,
  type TokenStore,
} from "../rules/store.ts";
import { headersText, recordIn, responseIn, storedNames } from "../rules/stored-record.ts";

export interface PostgresStoreDeps {
  readonly client: PostgresClient;
  readonly tokensMax: number;
  /** Milliseconds since the Unix epoch; the clock of PostgreSQL when absent. */
  readonly now?: (() => number) | undefined;
}

/** Attempts of an insertion whose conflicting record is gone when it is read. */
const maxInsertions = 3;

/** The store in PostgreSQL. It has no bound of its own: the operator bounds the database. */
export class PostgresStore implements PaymentRecordStore {
  readonly tokens: TokenStore;
  readonly passes: PassStore;
  readonly balances: BalanceStore;
  readonly channels: ChannelStore;
  readonly #query: Query;
  readonly #now: (() => number) | undefined;

  constructor({ client, tokensMax, now }: PostgresStoreDeps) {
    let ready: Promise<unknown> | undefined;
    this.#query = async (text, values) => {
      // A database that could not be reached is asked again.
      ready ??= createTables(client).catch((error: unknown) => {
        ready = undefined;
        throw error;
      });
      await ready;
      return (await client.query(text, values)).rows;
    };
    this.#now = now;
    this.tokens = createTokens(this.#query, tokensMax, now);
    this.passes = createPostgresPassStore(this.#query, now);
    this.balances = createPostgresBalanceStore(this.#query);
    this.channels = createPostgresChannelStore(this.#query, keepTextAt(now), now);
  }

  async get(key: string): Promise<PaymentRecord | undefined> {
    const values = new Values();
    const now = nowOf(values, this.#now);
    const text = `select ${columns(now)} from farthing_grants
      where key = ${values.add(key)} and expires_at_ms > ${now}`;
    const [row] = await this.#query(text, values.list);
    return row && recordIn(row);
  }

  async getResponse(key: string): Promise<StoredResponse | undefined> {
    const text =
      "select answer_status, answer_headers, answer_body from farthing_grants where key = $1";
    const [row] = await this.#query(text, [key]);
    const body = row?.["answer_body"];
    const kept = body instanceof Uint8Array ? body : undefined;
    return responseIn(row?.["answer_status"], row?.["answer_headers"], kept);
  }

  async insert({ binding, opener, ...change }: NewPaymentRecord): Promise<Inserted> {
    const { key, fingerprint, payload } = binding;
    for (let nth = 1; nth <= maxInsertions; nth++) {
      const values = new Values();
      const now = nowOf(values, this.#now);
      const fields = fieldsOf(change, (deadline) => timeIn(values, now, deadline));
      const record = { fingerprint, payload, opener, state: "claimed", format: newRecordFormat };
      const set: readonly Assignment[] = [
        ["key", values.add(key)],
        ...toColumns(values, { ...unset, ...record, ...fields }),
        ["answer_body", "null"],
      ];
      // A record that has ended may still be there, and is replaced.
      const text = `insert into farthing_grants as old (${set.map(([name]) => name).join(", ")})
        values (${set.map(([, value]) => value).join(", ")})
        on conflict (key) do update
          set ${set.map(([name]) => `${name} = excluded.${name}`).join(", ")}
          where old.expires_at_ms <= ${now}
        returning key`;
      const inserted = await this.#query(text, values.list);
      if (inserted.length > 0) {
        await this.#sweep();
        return { kind: "inserted" };
      }
      const found = await this.get(key);
      if (found) return { kind: "exists", record: found };
    }
    throw new Error("The record of a payment comes and goes in PostgreSQL.");
  }

  async compareAndSet(key: string, expected: Expected, change: Change | "gone"): Promise<Changed> {
    const values = new Values();
    const now = nowOf(values, this.#now);
    const { states, ...others } = expected;
    const where = [
      `key = ${values.add(key)}`,
      `state = any(${values.add(states)})`,
      ...toColumns(values, others).map(([name, value]) => `${name} is not distinct from ${value}`),
    ].join(" and ");
    const statement =
      change === "gone"
        ? "delete from farthing_grants"
        : `update farthing_grants set ${this.#assignments(values, now, change)}`;
    const text = `${statement} where ${where} returning ${columns(now)}`;
    const [row] = await this.#query(text, values.list);
    return row ? { kind: "changed", record: recordIn(row) } : { kind: "stale" };
  }

  #assignments(values: Values, now: string, change: Change): string {
    const fields = fieldsOf(change, (deadline) => timeIn(values, now, deadline));
    const set = [...toColumns(values, fields), ...responseColumns(values, change.response)];
    return set.map(([name, value]) => `${name} = ${value}`).join(", ");
  }

  /** Deletes a few expired rows and responses with each new record. */
  async #sweep(): Promise<void> {
    const values = new Values();
    const now = nowOf(values, this.#now);
    const limit = `limit ${maxSwept} for update skip locked`;
    await this.#query(
      `with gone as (delete from farthing_grants where key in
         (select key from farthing_grants where expires_at_ms <= ${now}
          order by expires_at_ms ${limit}))
       update farthing_grants set answer_body = null where key in
         (select key from farthing_grants
          where answer_body is not null and answer_until_ms between 1 and ${now}
            and expires_at_ms > ${now} order by answer_until_ms ${limit})`,
      values.list,
    );
  }
}

/** Keeps the response to a call of a channel, and deletes a few records that have ended. */
function keepTextAt(clock?: () => number): KeepText {
  return (values, { key, keptMs, response, ...call }) => {
    const now = nowOf(values, clock);
    const until = timeIn(values, now, { inMs: keptMs });
    const times = { dispensableFromMs: 0, responseUntilMs: until, expiresAtMs: until };
    const named = values.add(key);
    const set: readonly Assignment[] = [
      ["key", named],
      ...toColumns(values, { ...call, ...times, state: "delivered", format: newRecordFormat }),
      ...responseColumns(values, response),
    ];
    // Parameters that are selected are text unless the statement says otherwise.
    const selected = set.map(([name, value]) => `(${value})::${columnTypes[name] ?? "text"}`);
    return `swept as (delete from farthing_grants where key in
        (select key from farthing_grants where expires_at_ms <= ${now} and key <> ${named}
         order by expires_at_ms limit ${maxSwept} for update skip locked)),
      kept as (insert into farthing_grants (${set.map(([name]) => name).join(", ")})
        select ${selected.join(", ")} from changed
        on conflict (key) do update
          set ${set.map(([name]) => `${name} = excluded.${name}`).join(", ")})`;
  };
}

const columnTypes: Readonly<Record<string, string>> = {
  format: "integer",
  answer_status: "integer",
  answer_body: "bytea",
  answer_until_ms: "bigint",
  expires_at_ms: "bigint",
  dispensable_from_ms: "bigint",
};

type Assignment = readonly [column: string, value: string];

/** An expression of SQL for a moment by the clock of the store. */
class Moment {
  readonly sql: string;
  constructor(sql: string) {
    this.sql = sql;
  }
}

/** What a record has that replaces one that has ended. */
const unset = { facilitator: null, receipt: null, dispensableFromMs: 0, responseUntilMs: 0 };

/** A record's columns by their names in {@link PaymentRecord}. The body is read apart. */
function columns(now: string): string {
  const named = Object.entries(storedNames).flatMap(([name, { column }]) =>
    column === undefined ? [] : `${column} as "${name}"`,
  );
  const read = `key, length(answer_body) as "responseBytes", ${now} as "readAtMs"`;
  return [read, ...named].join(", ");
}

function timeIn(values: Values, now: string, { inMs, notAfterMs }: Deadline): Moment {
  const end = `${now} + ${values.add(inMs)}::bigint`;
  return new Moment(
    notAfterMs === undefined ? end : `least(${end}, ${values.add(notAfterMs)}::bigint)`,
  );
}

/** Returns the columns for values of a record; objects are stored as JSON. */
function toColumns(
  values: Values,
  fields: Readonly<Record<string, string | number | object | null>>,
): readonly Assignment[] {
  return Object.entries(fields).flatMap(([name, value]): readonly Assignment[] => {
    const column = storedNames[name]?.column;
    if (column === undefined) return [];
    if (value instanceof Moment) return [[column, value.sql]];
    const stored = typeof value === "object" && value ? JSON.stringify(value) : value;
    return [[column, values.add(stored)]];
  });
}

/** Returns the columns of a response; of one that is forgotten, only the body goes. */
function responseColumns(
  values: Values,
  response: StoredResponse | null | undefined,
): readonly Assignment[] {
  if (!response) return response === null ? [["answer_body", "null"]] : [];
  return [
    ["answer_status", values.add(response.status)],
    ["answer_headers", values.add(headersText(response))],
    ["answer_body", values.add(response.body)],
  ];
}

/** Creates the tokens of a database; beyond the bound the oldest are forgotten. */
function createTokens(query: Query, tokensMax: number, now?: () => number): TokenStore {
  async function find(token: string): Promise<string | null | undefined> {
    const values = new Values();
    const text = `select payer from farthing_tokens
      where token = ${values.add(token)} and expires_at_ms > ${nowOf(values, now)}`;
    const [row] = await query(text, values.list);
    if (!row) return undefined;
    const payer = row["payer"];
    return typeof payer === "string" ? payer : null;
  }
  async function forgetOldest(): Promise<void> {
    const values = new Values();
    await query(
      `delete from farthing_tokens where token in
         (select token from farthing_tokens where expires_at_ms <= ${nowOf(values, now)}
          order by expires_at_ms limit ${maxSwept} for update skip locked)
         or id <= (select max(id) from farthing_tokens) - ${values.add(tokensMax)}::bigint`,
      values.list,
    );
  }
  return {
    async insert(token, payer) {
      // Read first: an insertion takes an id also where it inserts nothing.
      const known = await find(token);
      if (known !== undefined) return known;
      const values = new Values();
      const moment = nowOf(values, now);
      const text = `insert into farthing_tokens as old (token, payer, expires_at_ms)
        values (${values.add(token)}, ${values.add(payer)}, ${moment} + ${maxTokenMs})
        on conflict (token) do update
          set payer = excluded.payer, expires_at_ms = excluded.expires_at_ms
          where old.expires_at_ms <= ${moment}
        returning token`;
      const inserted = await query(text, values.list);
      if (inserted.length === 0) return find(token);
      await forgetOldest();
      return undefined;
    },
    async share(token) {
      const values = new Values();
      const end = `${nowOf(values, now)} + ${maxTokenMs}`;
      const text = `update farthing_tokens set payer = null, expires_at_ms = ${end}
        where token = ${values.add(token)}`;
      await query(text, values.list);
    },
  };
}
