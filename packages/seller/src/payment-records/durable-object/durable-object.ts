/**
 * Payment records in a Durable Object of Cloudflare Workers, for sellers that run there. All
 * instances of the Worker call one object, whose SQLite database has the records.
 * @packageDocumentation
 */
import {
  createPaymentRecords,
  type PaymentRecordOptions,
} from "../rules/create-payment-records.ts";
import { openObject, type DurableObjectStateLike } from "./database.ts";
import type { PaymentRecords } from "../rules/payment-records.ts";
import { SqliteStore } from "../sqlite/record-store.ts";
import type { Database } from "../sqlite/tables.ts";
import type { PaymentRecordStore } from "../rules/store.ts";

export type { DurableObjectStateLike } from "./database.ts";

/** The part of a binding to a namespace of Durable Objects that is used. */
export interface RecordsNamespace<Id> {
  idFromName(name: string): Id;
  get(id: Id): {
    fetch(url: string, init: { method: string; body: string }): Promise<Response>;
  };
}

export interface DurableObjectGrantOptions<Id> extends Pick<
  PaymentRecordOptions,
  "answerBytesMax" | "totalBytesMax" | "replayMs" | "leaseMs"
> {
  /** The binding to the class {@link PaymentRecordsObject}. */
  readonly namespace: RecordsNamespace<Id>;
  /** Names the object; `farthing` when absent. */
  readonly name?: string;
  /** Most records at once, most passes, most balances, and most channels. */
  readonly entriesMax?: number;
  /** Milliseconds since the Unix epoch; the clock of the object when absent, which all share. */
  readonly now?: () => number;
}

/** A gigabyte at most, with the bodies: a tenth of what an object may hold. */
const defaultMaxEntries = 200_000;
const defaultMaxTotalBytes = 512 * 1024 * 1024;

/** Bounds the wait of a buyer while the object moves to another machine. */
const replyMsMax = 5_000;

/** Pause between two polls of a waiting request: unnoticeable beside a block of two seconds. */
const pollMs = 50;

interface Message {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly bounds: { readonly entriesMax: number; readonly totalBytesMax: number };
  /** The time of the caller, where it is not that of the object. */
  readonly nowMs?: number;
}

type Reply = { readonly value?: unknown } | { readonly error: string };

export function createDurableObjectGrants<Id>(
  options: DurableObjectGrantOptions<Id>,
): PaymentRecords {
  const { namespace, name = "farthing", now } = options;
  const { entriesMax = defaultMaxEntries, totalBytesMax = defaultMaxTotalBytes } = options;
  async function ask<T>(call: string, ...values: unknown[]): Promise<T> {
    const bounds = { entriesMax, totalBytesMax };
    const message: Message = { name: call, values, bounds, ...(now ? { nowMs: now() } : {}) };
    const object = namespace.get(namespace.idFromName(name));
    const init = { method: "POST", body: JSON.stringify(message, writeValue) };
    const response = await object.fetch("https://payment-records/", init);
    const reply = JSON.parse(await response.text(), readValue);
    if ("error" in reply) throw new Error(reply.error);
    return reply.value;
  }
  const store: PaymentRecordStore = {
    get: (...values) => ask("get", ...values),
    getResponse: (...values) => ask("getResponse", ...values),
    insert: (...values) => ask("insert", ...values),
    compareAndSet: (...values) => ask("compareAndSet", ...values),
    list: (...values) => ask("list", ...values),
    tokens: {
      insert: (...values) => ask("tokens.insert", ...values),
      share: (...values) => ask("tokens.share", ...values),
    },
    passes: {
      get: (...values) => ask("passes.get", ...values),
      open: (...values) => ask("passes.open", ...values),
      addUses: (...values) => ask("passes.addUses", ...values),
      heldBy: (...values) => ask("passes.heldBy", ...values),
      remember: (...values) => ask("passes.remember", ...values),
      recall: (key) => ask("passes.recall", key),
      mark: (...values) => ask("passes.mark", ...values),
      isFull: () => ask("passes.isFull"),
    },
    balances: {
      get: (id, entry) => ask("balances.get", id, ...(entry ? [entry] : [])),
      compareAndSet: (...values) => ask("balances.compareAndSet", ...values),
      ledger: (id) => ask("balances.ledger", id),
      isFull: () => ask("balances.isFull"),
    },
    channels: {
      get: (id) => ask("channels.get", id),
      compareAndSet: (...values) => ask("channels.compareAndSet", ...values),
      remove: (...values) => ask("channels.remove", ...values),
      list: (...values) => ask("channels.list", ...values),
      makeRoom: () => ask("channels.makeRoom"),
    },
  };
  return createPaymentRecords(store, { ...options, totalBytesMax, pollMs, replyMsMax });
}

/**
 * The object, to be exported by the Worker's main module under the name of the binding's class, with
 * SQLite storage. Only the Worker that has the binding can call it.
 */
export class PaymentRecordsObject {
  readonly #database: Database;

  constructor(state: DurableObjectStateLike) {
    this.#database = openObject(state);
  }

  async fetch(request: Request): Promise<Response> {
    const message: Message = JSON.parse(await request.text(), readValue);
    return new Response(JSON.stringify(await this.#reply(message), writeValue));
  }

  async #reply({ name, values, bounds, nowMs }: Message): Promise<Reply> {
    const now = () => nowMs ?? Date.now();
    const store = new SqliteStore(this.#database, { ...bounds, now });
    try {
      return { value: await call(store, name, values) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** Calls a method of the store, or of its part: `get`, `passes.get`. */
async function call(
  store: SqliteStore,
  name: string,
  values: readonly unknown[],
): Promise<unknown> {
  const [method = "", part] = name.split(".").toReversed();
  const target: unknown = part === undefined ? store : Reflect.get(store, part);
  const found: unknown = typeof target === "object" && target && Reflect.get(target, method);
  if (typeof found !== "function") throw new Error(`The store has no call ${name}.`);
  return Reflect.apply(found, target, values);
}

/** Stand for bytes and amounts in a message; no record has such a member. */
const bytesName = "$bytes";
const amountName = "$amount";

function writeValue(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return { [amountName]: value.toString() };
  if (!(value instanceof Uint8Array)) return value;
  let binary = "";
  for (const byte of value) binary += String.fromCharCode(byte);
  return { [bytesName]: btoa(binary) };
}

function readValue(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (amountName in value) return BigInt(String(value[amountName]));
  if (!(bytesName in value)) return value;
  return Uint8Array.from(atob(String(value[bytesName])), (char) => char.charCodeAt(0));
}
