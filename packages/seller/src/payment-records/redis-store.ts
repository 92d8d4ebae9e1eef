/** The store of payment records in Redis. Each call is one script. */
import type { StoredAnswer } from "./payment-records.ts";
import { recordFormat, type PaymentRecord } from "./record-transitions.ts";
import {
  answerScript,
  changeScript,
  getScript,
  insertScript,
  returnedFields,
  tokenScript,
} from "./redis-scripts.ts";
import { tokenMsMax } from "./retention.ts";
import type {
  Change,
  Changed,
  Deadline,
  Expected,
  Inserted,
  NewPaymentRecord,
  PaymentRecordStore,
  TokenStore,
} from "./store.ts";
import { answerIn, headersText, recordIn } from "./stored-record.ts";

/** What is used of a client, such as that of `createClient()` of the package `redis`. */
export interface RedisClient {
  eval(
    script: string,
    options: { readonly keys: string[]; readonly arguments: string[] },
  ): Promise<unknown>;
}

interface Place {
  readonly client: RedisClient;
  /** Before every key. */
  readonly prefix: string;
  readonly tokensMax: number;
  /** Milliseconds since the Unix epoch; the clock of Redis when absent. */
  readonly now?: () => number;
}

/** The store in Redis. It has no bound of its own: Redis says when there is no memory left. */
export class RedisStore implements PaymentRecordStore {
  readonly tokens: TokenStore;
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
    this.tokens = {
      insert: async (token, payer) => {
        const known = await this.#note(token, payer);
        return known === "" ? null : typeof known === "string" ? known : undefined;
      },
      share: async (token) => void (await this.#note(token, "", "1")),
    };
  }

  async get(key: string): Promise<PaymentRecord | undefined> {
    return toRecord(key, await this.#run(key, getScript));
  }

  async getAnswer(key: string): Promise<StoredAnswer | undefined> {
    const reply = await this.#run(key, answerScript);
    const [status, headers, body]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    if (typeof status !== "string" || typeof body !== "string") return undefined;
    return answerIn(Number(status), headers, new Uint8Array(Buffer.from(body, "base64")));
  }

  async insert({ binding, opener, exchangeKey, ...own }: NewPaymentRecord): Promise<Inserted> {
    const fields = {
      v: String(recordFormat),
      f: binding.fingerprint,
      p: binding.payload,
      s: "claimed",
      k: exchangeKey,
      h: own.lock.holder,
      ...(opener.token === undefined ? {} : { ot: opener.token }),
      ...(opener.authorization === undefined ? {} : { oa: opener.authorization }),
      ...(opener.cookie === undefined ? {} : { oc: opener.cookie }),
      ...(opener.isOpened ? { os: "1" } : {}),
    };
    const times = timesOf({ e: own.expires, u: own.lock.until });
    const inserting = this.#run(binding.key, insertScript, JSON.stringify(fields), times);
    const reply = await inserting.catch(fullWhenOutOfMemory);
    if (reply === "full" || reply === "inserted") return { kind: reply };
    const record = toRecord(binding.key, reply);
    if (!record) throw new Error("Redis keeps something else under the key of a payment record.");
    return { kind: "exists", record };
  }

  async compareAndSet(key: string, expected: Expected, change: Change | "gone"): Promise<Changed> {
    const more = change === "gone" ? [] : argumentsOf(change);
    const reply = await this.#run(key, changeScript, expectedText(expected), ...more);
    const record = toRecord(key, reply);
    return record ? { kind: "changed", record } : { kind: "stale" };
  }

  #run(key: string, script: string, ...more: readonly string[]): Promise<unknown> {
    // In braces, so that a cluster keeps the two keys of a record together.
    const record = `${this.#place.prefix}{${key}}`;
    return this.#eval(script, [record, `${record}:answer`], more);
  }

  #note(token: string, payer: string, replaces = ""): Promise<unknown> {
    const { prefix, tokensMax } = this.#place;
    const keys = [`${prefix}{tokens}`, `${prefix}{tokens}:times`];
    const bounds = [String(tokenMsMax), String(tokensMax)];
    return this.#eval(tokenScript, keys, [...bounds, token, payer, replaces]);
  }

  #eval(script: string, keys: string[], more: readonly string[]): Promise<unknown> {
    const { client, now } = this.#place;
    return client.eval(script, { keys, arguments: [String(now?.() ?? -1), ...more] });
  }
}

function toRecord(key: string, reply: unknown): PaymentRecord | undefined {
  if (!Array.isArray(reply)) return undefined;
  const values: readonly unknown[] = reply;
  const found = Object.fromEntries(returnedFields.map((name, at) => [name, values[at]]));
  const { ot: token, oa: authorization, oc: cookie, os } = found;
  return recordIn({
    key,
    format: found["v"],
    fingerprint: found["f"],
    payload: found["p"],
    state: found["s"],
    opener: { token, authorization, cookie, isOpened: os === "1" },
    exchangeKey: found["k"],
    receipt: found["r"],
    holder: found["h"],
    heldUntilMs: found["u"],
    answerUntilMs: found["t"],
    readAtMs: found["now"],
  });
}

/** What is expected, by field. Redis holds no record back for its room, so it knows nothing of that. */
function expectedText({ states, holder, heldUntilMs, exchangeKey }: Expected): string {
  return JSON.stringify({
    s: states,
    ...(holder === undefined ? {} : { h: [holder ?? ""] }),
    // A record without a holder has no end of its lease.
    ...(heldUntilMs === undefined ? {} : { u: [heldUntilMs === 0 ? "" : String(heldUntilMs)] }),
    ...(exchangeKey === undefined ? {} : { k: [exchangeKey ?? ""] }),
  });
}

/** The arguments of a change after what is expected. */
function argumentsOf(change: Change): readonly string[] {
  const { state, receipt, exchangeKey, lock, expires, answerUntil, answer } = change;
  const fields = {
    ...(state === undefined ? {} : { s: state }),
    ...(receipt === undefined ? {} : { r: JSON.stringify(receipt) }),
    ...(exchangeKey === undefined ? {} : { k: exchangeKey }),
    ...(lock ? { h: lock.holder } : {}),
  };
  const times = timesOf({ e: expires, u: lock?.until, t: answerUntil });
  const removed = lock === null ? ["h", "u"] : [];
  const kept = answer ? [String(answer.status), headersText(answer), toBase64(answer.body)] : [];
  return [JSON.stringify(fields), times, JSON.stringify(removed), ...kept];
}

function timesOf(times: Readonly<Record<string, Deadline | undefined>>): string {
  const given = Object.entries(times).flatMap(([field, time]) =>
    time ? [[field, [time.inMs, ...(time.notAfterMs === undefined ? [] : [time.notAfterMs])]]] : [],
  );
  return JSON.stringify(Object.fromEntries(given));
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Redis has no room, and has been told to forget nothing: the reply to that is "not now". */
function fullWhenOutOfMemory(error: unknown): "full" {
  if (error instanceof Error && /\bOOM\b/.test(error.message)) return "full";
  throw error;
}
