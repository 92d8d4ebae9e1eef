/** The store of payment records in Redis. Each call is one script. */
import type { StoredResponse } from "../rules/payment-records.ts";
import type { BalanceStore } from "../balances/balance-store.ts";
import type { ChannelStore } from "../channels/channel-store.ts";
import { callKeyPrefix, type KeptCall } from "../channels/kept-call.ts";
import type { PassStore } from "../passes/pass-store.ts";
import { newRecordFormat, type PaymentRecord } from "../rules/record-transitions.ts";
import { createRedisBalanceStore } from "./balance-store.ts";
import { createRedisChannelStore } from "./channel-store.ts";
import { createRedisPassStore } from "./pass-store.ts";
import {
  responseScript,
  changeScript,
  getScript,
  insertScript,
  returnedNames,
  tokenScript,
} from "./scripts.ts";
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
import { responseIn, headersText, recordIn, storedNames } from "../rules/stored-record.ts";

/** The part of a client, such as that of `createClient()` of the package `redis`, that is used. */
export interface RedisClient {
  eval(
    script: string,
    options: { readonly keys: string[]; readonly arguments: string[] },
  ): Promise<unknown>;
}

interface Deps {
  readonly client: RedisClient;
  /** Before every key. */
  readonly prefix: string;
  readonly tokensMax: number;
  /** Milliseconds since the Unix epoch; the clock of Redis when absent. */
  readonly now?: (() => number) | undefined;
}

/** The store in Redis. It has no bound of its own: Redis says when there is no memory left. */
export class RedisStore implements PaymentRecordStore {
  readonly tokens: TokenStore;
  readonly passes: PassStore;
  readonly balances: BalanceStore;
  readonly channels: ChannelStore;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.tokens = {
      insert: async (token, payer) => {
        const known = await this.#setToken(token, payer);
        return known === "" ? null : typeof known === "string" ? known : undefined;
      },
      share: async (token) => void (await this.#setToken(token, "", "1")),
    };
    this.passes = createRedisPassStore((name, script, more) =>
      this.#eval(script, [`${deps.prefix}{${name}}`], more),
    );
    this.balances = createRedisBalanceStore((id, script, more) => {
      const balance = `${deps.prefix}{balance:${id}}`;
      return this.#eval(script, [balance, `${balance}:ledger`, `${balance}:charges`], more);
    });
    this.channels = createRedisChannelStore(
      (names, script, more) => {
        const keys = names.map((name) => `${deps.prefix}{channels}:${name}`);
        return this.#eval(script, keys, more);
      },
      keepArguments,
      deps.now,
    );
  }

  async get(key: string): Promise<PaymentRecord | undefined> {
    return toRecord(key, await this.#run(key, getScript));
  }

  async getResponse(key: string): Promise<StoredResponse | undefined> {
    const reply = await this.#run(key, responseScript);
    const [status, headers, body]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    if (typeof status !== "string" || typeof body !== "string") return undefined;
    return responseIn(Number(status), headers, new Uint8Array(Buffer.from(body, "base64")));
  }

  async insert({ binding, opener, ...values }: NewPaymentRecord): Promise<Inserted> {
    const { key, fingerprint, payload } = binding;
    const record = { format: newRecordFormat, fingerprint, payload, state: "claimed" };
    const fields = toFields({ ...record, ...opener, ...fieldsOf(values, toTime) });
    const text = JSON.stringify(fields);
    const reply = await this.#run(key, insertScript, text).catch(fullWhenOutOfMemory);
    if (reply === "full" || reply === "inserted") return { kind: reply };
    const found = toRecord(key, reply);
    if (!found) throw new Error("Redis keeps something else under the key of a payment record.");
    return { kind: "exists", record: found };
  }

  async compareAndSet(
    key: string,
    { states, ...expected }: Expected,
    change: Change | "gone",
  ): Promise<Changed> {
    const values = Object.entries(toFields(expected)).map(([field, value]) => [field, [value]]);
    const guard = JSON.stringify({ s: states, ...Object.fromEntries(values) });
    const more = change === "gone" ? [] : argumentsOf(change);
    const record = toRecord(key, await this.#run(key, changeScript, guard, ...more));
    return record ? { kind: "changed", record } : { kind: "stale" };
  }

  #run(key: string, script: string, ...more: readonly string[]): Promise<unknown> {
    // In braces, so that a cluster keeps the two keys of a record together; those of a call, its channel.
    const { prefix } = this.#deps;
    const record = key.startsWith(callKeyPrefix)
      ? `${prefix}{channels}:${key}`
      : `${prefix}{${key}}`;
    return this.#eval(script, [record, `${record}:answer`], more);
  }

  #setToken(token: string, payer: string, replaces = ""): Promise<unknown> {
    const { prefix, tokensMax } = this.#deps;
    const keys = [`${prefix}{tokens}`, `${prefix}{tokens}:times`];
    const bounds = [String(maxTokenMs), String(tokensMax)];
    return this.#eval(tokenScript, keys, [...bounds, token, payer, replaces]);
  }

  #eval(script: string, keys: string[], more: readonly string[]): Promise<unknown> {
    const { client, now } = this.#deps;
    return client.eval(script, { keys, arguments: [String(now?.() ?? -1), ...more] });
  }
}

function toRecord(key: string, reply: unknown): PaymentRecord | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [readAtMs, ...values]: readonly unknown[] = reply;
  const record = Object.fromEntries(returnedNames.map(({ name }, nth) => [name, values[nth]]));
  const opener = { ...record, isOpened: record["isOpened"] === "1" };
  return recordIn({ ...record, key, opener, readAtMs });
}

type Value = string | number | boolean | object | null;

/** Returns the fields of the hash for values of a record, as text; "" where there is none. */
function toFields(values: Readonly<Record<string, Value>>) {
  const fields = Object.entries(values).flatMap(([name, value]) => {
    const field = storedNames[name]?.field;
    return field === undefined ? [] : [[field, toText(value)] as const];
  });
  return Object.fromEntries(fields);
}

function toText(value: Value): unknown {
  if (!value) return "";
  if (value === true) return "1";
  if (typeof value !== "object") return String(value);
  // The scripts resolve moments by the clock of Redis.
  return Array.isArray(value) ? value : JSON.stringify(value);
}

function toTime({ inMs, notAfterMs }: Deadline): readonly number[] {
  return notAfterMs === undefined ? [inMs] : [inMs, notAfterMs];
}

function argumentsOf({ response, ...change }: Change): readonly string[] {
  const fields = JSON.stringify(toFields(fieldsOf(change, toTime)));
  if (!response) return response === null ? [fields, ""] : [fields];
  return [fields, ...partsOf(response)];
}

function partsOf(response: StoredResponse): readonly string[] {
  const { buffer, byteOffset, byteLength } = response.body;
  const body = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  return [String(response.status), headersText(response), body];
}

function keepArguments({ keptMs, response, opener, key: _key, ...call }: KeptCall) {
  const record = { ...call, ...opener, state: "delivered", format: newRecordFormat };
  return [`${keptMs}`, JSON.stringify(toFields(record)), ...partsOf(response)];
}

/** Redis has no memory left and must not evict; the payment is refused as "not now". */
function fullWhenOutOfMemory(error: unknown): "full" {
  if (error instanceof Error && /\bOOM\b/.test(error.message)) return "full";
  throw error;
}
