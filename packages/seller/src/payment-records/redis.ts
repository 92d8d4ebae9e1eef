/**
 * Grants in Redis, for processes on any number of machines. The client is the seller's own; every
 * step is one script, so that it happens whole or not at all.
 *
 * How much survives a crash of Redis is set there: with `appendonly yes` nothing but the last
 * second, with `appendfsync always` everything. `maxmemory-policy noeviction` keeps Redis from
 * forgetting open settlements; when it is full then, no new payment is taken.
 */
import { randomUUID } from "node:crypto";
import {
  answerBytesMaxDefault,
  deliveredMsMax,
  leaseMsDefault,
  replayMsMax,
  settlingMsMax,
  tokenMsMax,
  undeliveredMsMax,
} from "./retention.ts";
import type {
  Access,
  Binding,
  PaymentRecords,
  StoredAnswer,
  Acquisition,
} from "./payment-records.ts";
import { createWaiting, holdLease, type Steps } from "./held-lease.ts";
import { newExchangeKey } from "./proof.ts";
import {
  busyScript,
  hasScript,
  leaveScript,
  recordScript,
  releaseScript,
  renewScript,
  takeScript,
  tokenScript,
} from "./redis-scripts.ts";
import { answerIn, foundIn, headersText, receiptIn, type StoredGrant } from "./stored-record.ts";

/** What is used of a client, such as that of `createClient()` of the package `redis`. */
export interface RedisClient {
  eval(
    script: string,
    options: { readonly keys: string[]; readonly arguments: string[] },
  ): Promise<unknown>;
}

/** Where the grants are, and their bounds. */
export interface RedisGrantOptions {
  /** Connected already; the seller opens, watches and closes it. */
  readonly client: RedisClient;
  /** Before every key; `farthing:` when absent. */
  readonly prefix?: string;
  /** Longest body that is kept for a repeat, in bytes. */
  readonly answerBytesMax?: number;
  /** How long the lease of a process that is not heard of stays in force, in milliseconds. */
  readonly leaseMs?: number;
  /** Most tokens of challenges that are remembered with their payers; the oldest go first. */
  readonly tokensMax?: number;
  /** Milliseconds since the Unix epoch; the clock of Redis when absent, which all share. */
  readonly now?: () => number;
}

/**
 * Longest wait for an answer of Redis before a payment is taken, in milliseconds. Its client keeps
 * commands while the connection is away, and buyers must not hang for as long. Once a payment is
 * under way its steps are waited for: they must not take effect after they were given up.
 */
const answerMsMax = 5_000;

/** About 400 bytes each: some 20 MB at most, whoever shows them. */
const tokensMaxDefault = 50_000;

/** How often a waiting request asks: unnoticeable beside a block of two seconds. */
const pollMs = 50;

/** Creates a store of grants in Redis. */
export function createRedisGrants(options: RedisGrantOptions): PaymentRecords {
  const {
    client,
    prefix = "farthing:",
    answerBytesMax = answerBytesMaxDefault,
    leaseMs = leaseMsDefault,
    tokensMax = tokensMaxDefault,
  } = options;

  function run(key: string, script: string, ...more: (string | number)[]): Promise<unknown> {
    // In braces, so that a cluster keeps the two keys of a grant together.
    const grant = `${prefix}{${key}}`;
    return client.eval(script, {
      keys: [grant, `${grant}:answer`],
      arguments: [options.now?.() ?? -1, ...more].map(String),
    });
  }

  async function acquire(binding: Binding, access: Access): Promise<Acquisition> {
    const { key, fingerprint, payload } = binding;
    const holder = randomUUID();
    const bounds = [
      fingerprint,
      payload,
      holder,
      leaseMs,
      settlingMsMax,
      newExchangeKey(),
    ] as const;
    const asking = run(key, takeScript, ...bounds, ...shownBy(access)).catch(fullWhenOutOfMemory);
    const reply = await inTime(asking, async (late) => {
      // Taken after all, for nobody: a new grant is forgotten, another one left as it was.
      const [kind, state]: readonly unknown[] = Array.isArray(late) ? late : [];
      if (kind === "acquired")
        await run(key, state === "claimed" ? releaseScript : leaveScript, holder);
    });
    const fields: readonly unknown[] = Array.isArray(reply) ? reply : [];
    const stored = toStored(binding, fields);
    switch (fields[0]) {
      case "full":
      case "bound":
      case "busy":
        return { kind: fields[0] };
      case "unproven": {
        const receipt = receiptIn(stored);
        return { kind: "unproven", ...(receipt ? { receipt } : {}) };
      }
      case "acquired": {
        const steps = stepsOf({ run, binding, holder, leaseMs, answerBytesMax });
        return { kind: "acquired", lease: holdLease(foundIn(stored), steps, leaseMs) };
      }
      case "delivered": {
        const receipt = receiptIn(stored);
        const answer = answerIn(stored);
        if (receipt) return { kind: "delivered", receipt, ...(answer ? { answer } : {}) };
      }
    }
    throw new Error("Redis keeps something else under the key of a grant.");
  }

  return {
    answerBytesMax,
    acquire,
    async isTokenShared(token, payer) {
      const asking = client.eval(tokenScript, {
        // In braces, so that a cluster keeps the two keys together.
        keys: [`${prefix}{tokens}`, `${prefix}{tokens}:times`],
        arguments: [options.now?.() ?? -1, token, payer, tokenMsMax, tokensMax].map(String),
      });
      return (await inTime(asking)) === 1;
    },
    async has({ key, fingerprint, payload }) {
      return (await inTime(run(key, hasScript, fingerprint, payload))) === 1;
    },
    wait: createWaiting(async (key) => (await inTime(run(key, busyScript))) === 1, pollMs),
  };
}

/** What a request shows, as the arguments of the script; what it does not show is "". */
function shownBy({ rule, proof }: Access): readonly string[] {
  const { token = "", isTokenShared = false, authorization = "", cookie = "" } = proof;
  const shared = isTokenShared ? "1" : "";
  return [
    rule,
    isTokenShared ? "" : token,
    shared,
    authorization,
    cookie,
    proof.isOpened ? "1" : "",
  ];
}

interface Held {
  readonly run: (key: string, script: string, ...more: (string | number)[]) => Promise<unknown>;
  readonly binding: Binding;
  readonly holder: string;
  readonly leaseMs: number;
  readonly answerBytesMax: number;
}

/** The steps of one holder: each changes the grant only while it is his. */
function stepsOf({ run, binding, holder, leaseMs, answerBytesMax }: Held): Steps {
  const { key, validBeforeMs } = binding;
  const step = async (script: string, ...more: (string | number)[]) =>
    (await run(key, script, holder, ...more)) === 1;
  const fieldsOf = (answer: StoredAnswer | undefined) =>
    answer && answer.body.byteLength <= answerBytesMax
      ? [answer.status, headersText(answer), toBase64(answer.body)]
      : [];
  return {
    settling: ({ receipt, answer } = {}) => {
      const known = receipt ? JSON.stringify(receipt) : "";
      return step(recordScript, "settling", known, settlingMsMax, "", "", ...fieldsOf(answer));
    },
    paid: (receipt) =>
      step(recordScript, "paid", JSON.stringify(receipt), undeliveredMsMax, "", ""),
    complete: (receipt, answer) =>
      step(
        recordScript,
        "delivered",
        JSON.stringify(receipt),
        deliveredMsMax,
        replayMsMax,
        validBeforeMs,
        ...fieldsOf(answer),
      ),
    discard: () => step(releaseScript),
    unlock: () => step(leaveScript),
    renew: () => step(renewScript, leaseMs),
  };
}

/** Waits for an answer, not for ever; one that comes after that goes to `late`. */
function inTime<T>(
  asking: Promise<T>,
  late: (reply: T) => Promise<void> = async () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`Redis did not answer within ${answerMsMax} ms.`));
      // If this fails as well, the lease ends by itself.
      asking.then(late).catch(() => undefined);
    }, answerMsMax);
    asking.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Redis has no room, and has been told to forget nothing: the answer to that is "not now". */
function fullWhenOutOfMemory(error: unknown): readonly [string] {
  if (error instanceof Error && /\bOOM\b/.test(error.message)) return ["full"];
  throw error;
}

function toStored({ fingerprint, payload }: Binding, fields: readonly unknown[]): StoredGrant {
  const [, state, exchangeKey, receipt, status, answerHeaders, body] = fields;
  return {
    exchangeKey: exchangeKey === "" ? undefined : exchangeKey,
    fingerprint,
    payload,
    state,
    receipt,
    answerStatus: typeof status === "string" ? Number(status) : undefined,
    answerHeaders,
    answerBody: typeof body === "string" ? fromBase64(body) : undefined,
  };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}
