/**
 * Grants in one SQLite file, for several processes of one machine, and across restarts.
 *
 * Needs the SQLite of Node.js 22.13 or later. What has to survive a power cut is on the disk before
 * a step returns: that `/settle` is about to be sent, with the answer made for it, and what came
 * of it.
 */
import { randomUUID } from "node:crypto";
import {
  answerBytesMaxDefault,
  deliveredMsMax,
  leaseMsDefault,
  overMsMin,
  replayMsMax,
  settlingMsMax,
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
import { mayResume, newExchangeKey, openerIn, openerOf, openerText } from "./proof.ts";
import { openGrants, type Database, type Row, type Value } from "./sqlite-file.ts";
import {
  answerIn,
  foundIn,
  foundNew,
  headersText,
  isBoundTo,
  receiptIn,
  type StoredGrant,
} from "./stored-record.ts";
import { isTokenShared } from "./sqlite-tokens.ts";

/** Where the grants are, and their bounds. */
export interface SqliteGrantOptions {
  /** The file; made when there is none. */
  readonly path: string;
  /** Most grants at once. */
  readonly entriesMax?: number;
  /** Longest body that is kept for a repeat, in bytes. */
  readonly answerBytesMax?: number;
  /** Most bytes of bodies together; the oldest delivered ones go first. */
  readonly totalBytesMax?: number;
  /** How long a paid answer can be fetched again, in milliseconds; ten minutes at most. */
  readonly replayMs?: number;
  /** How long the lease of a process that is not heard of stays in force, in milliseconds. */
  readonly leaseMs?: number;
  /** Milliseconds since the Unix epoch; the same for all processes. */
  readonly now?: () => number;
}

/** Grants in a file, to be closed at the end. */
export interface SqliteGrants extends PaymentRecords {
  /** Bytes of the bodies that are kept, of all processes. */
  keptBytes(): number;
  close(): void;
}

/** A gigabyte at most, with the bodies: one day of two payments a second. */
const entriesMaxDefault = 200_000;
const totalBytesMaxDefault = 512 * 1024 * 1024;

/** How long a statement waits for another process's transaction, each of which takes milliseconds. */
const busyTimeoutMs = 5_000;

/** How often a waiting request looks: unnoticeable beside a block of two seconds, and cheap. */
const pollMs = 25;

/** What each new grant clears away of what has ended: more than it adds, so nothing piles up. */
const swept = 4;

/** Delivered answers that one new answer may displace at most. */
const displacedMax = 1_000;

/** Opens the grants in a file. Throws when the file cannot be used. */
export function createSqliteGrants(options: SqliteGrantOptions): SqliteGrants {
  const bounds: Bounds = {
    entriesMax: options.entriesMax ?? entriesMaxDefault,
    answerBytesMax: options.answerBytesMax ?? answerBytesMaxDefault,
    totalBytesMax: options.totalBytesMax ?? totalBytesMaxDefault,
    replayMs: Math.min(options.replayMs ?? replayMsMax, replayMsMax),
    leaseMs: options.leaseMs ?? leaseMsDefault,
    now: options.now ?? Date.now,
  };
  const database = openGrants(options.path, busyTimeoutMs);
  const { now, leaseMs } = bounds;
  const read = (key: string): Row | undefined =>
    database.get("select * from grants where key = ? and expires_at_ms > ?", key, now());
  const isHeld = (row: Row | undefined) =>
    row?.["holder"] != null && Number(row["held_until_ms"]) > now();

  /** Makes the record of a payment that has none. False when there is no room. */
  function insert(binding: Binding, access: Access, holder: string, exchangeKey: string): boolean {
    const { key, fingerprint, payload, validBeforeMs } = binding;
    // One that has ended may still be there.
    database.run("delete from grants where key = ?", key);
    if (!makeRoom(database, bounds.entriesMax, now())) return false;
    database.run(
      `insert into grants (key, fingerprint, payload, valid_before_ms, state, expires_at_ms,
         holder, held_until_ms, exchange, opener, dispensable_from_ms)
       values (?, ?, ?, ?, 'claimed', ?, ?, ?, ?, ?, 0)`,
      key,
      fingerprint,
      payload,
      validBeforeMs,
      now() + settlingMsMax,
      holder,
      now() + leaseMs,
      exchangeKey,
      openerText(openerOf(access.proof)),
    );
    return true;
  }

  /** Takes the lease of a record that is there, or says why not. */
  function resume(
    row: Row,
    binding: Binding,
    access: Access,
    holder: string,
  ): Acquisition | Pick<StoredGrant, "exchangeKey"> {
    const stored = toStored(row);
    if (!isBoundTo(stored, binding)) return { kind: "bound" };
    const isDelivered = stored.state === "delivered";
    const isAllowed = mayResume(openerIn(row["opener"]), access, isDelivered);
    const receipt = receiptIn(stored);
    if (isDelivered && receipt) {
      const isKept = isAllowed && Number(row["answer_until_ms"]) > now();
      const answer = isKept ? answerIn(stored) : undefined;
      return { kind: "delivered", receipt, ...(answer ? { answer } : {}) };
    }
    if (!isAllowed) return { kind: "unproven", ...(receipt ? { receipt } : {}) };
    if (isHeld(row)) return { kind: "busy" };
    // Nothing was sent for a claim; one of an earlier version gets its name now.
    const exchangeKey =
      stored.state === "claimed" ? (stored.exchangeKey ?? newExchangeKey()) : stored.exchangeKey;
    database.run(
      "update grants set holder = ?, held_until_ms = ?, exchange = ? where key = ?",
      holder,
      now() + leaseMs,
      typeof exchangeKey === "string" ? exchangeKey : null,
      binding.key,
    );
    return { exchangeKey };
  }

  function acquire(binding: Binding, access: Access): Acquisition {
    const { key, validBeforeMs } = binding;
    sweep(database, now());
    const row = read(key);
    const holder = randomUUID();
    let exchangeKey: unknown;
    if (row) {
      const resumed = resume(row, binding, access, holder);
      if ("kind" in resumed) return resumed;
      ({ exchangeKey } = resumed);
    } else {
      const fresh = newExchangeKey();
      if (!insert(binding, access, holder, fresh)) return { kind: "full" };
      exchangeKey = fresh;
    }
    const found = row ? foundIn({ ...toStored(row), exchangeKey }) : foundNew(exchangeKey);
    const steps = stepsOf({ database, bounds, key, validBeforeMs, holder });
    return { kind: "acquired", lease: holdLease(found, steps, leaseMs) };
  }

  return {
    answerBytesMax: bounds.answerBytesMax,
    acquire: async (binding, access) =>
      database.transaction(() => acquire(binding, access), "soon"),
    isTokenShared: async (token, payer) => {
      const notesMax = bounds.entriesMax;
      const note = { token, payer, nowMs: now(), notesMax };
      return database.transaction(() => isTokenShared(database, note), "soon");
    },
    has: async (binding) => {
      const row = read(binding.key);
      return row !== undefined && isBoundTo(toStored(row), binding);
    },
    wait: createWaiting(async (key) => isHeld(read(key)), pollMs),
    keptBytes: () => totalOf(database, "bytes"),
    close: () => database.close(),
  };
}

type Bounds = Required<Omit<SqliteGrantOptions, "path">>;

/** What ends by itself goes, a little with each new grant. */
function sweep(database: Database, nowMs: number): void {
  database.run(
    `delete from grants where id in
       (select id from grants where expires_at_ms <= ? order by expires_at_ms limit ${swept})`,
    nowMs,
  );
  database.run(
    `update grants set answer_body = null where id in
       (select id from grants where answer_body is not null and answer_until_ms between 1 and ?
        order by answer_until_ms limit ${swept})`,
    nowMs,
  );
}

/**
 * Makes room for one more grant: an open one goes of which nothing can come any more, or the oldest
 * that is delivered.
 */
function makeRoom(database: Database, entriesMax: number, nowMs: number): boolean {
  const isFull = () => totalOf(database, "entries") >= entriesMax;
  if (!isFull()) return true;
  const gone = database.run(
    `delete from grants where id =
       (select id from grants where state in ('claimed', 'settling') and dispensable_from_ms <= ?
          and (holder is null or held_until_ms <= ?) order by dispensable_from_ms limit 1)`,
    nowMs,
    nowMs,
  );
  if (gone === 0) {
    database.run(
      `delete from grants where id =
         (select id from grants where state = 'delivered' order by id limit 1)`,
    );
  }
  return !isFull();
}

interface Held {
  readonly database: Database;
  readonly bounds: Bounds;
  readonly key: string;
  readonly validBeforeMs: number;
  readonly holder: string;
}

/** The steps of one holder: each changes the grant only while it is his. */
function stepsOf({ database, bounds, key, validBeforeMs, holder }: Held): Steps {
  const { now, leaseMs } = bounds;
  const ours = "where key = ? and holder = ?";
  const change = (set: string, ...values: Value[]) =>
    database.run(`update grants set ${set} ${ours}`, ...values, key, holder) > 0;

  function keep(answer: StoredAnswer | undefined): void {
    if (!answer || !hasRoomFor(database, bounds, answer.body.byteLength)) return;
    const headers = headersText(answer);
    change(
      "answer_status = ?, answer_headers = ?, answer_body = ?",
      answer.status,
      headers,
      answer.body,
    );
  }

  return {
    settling: async ({ receipt, answer, isDispensable } = {}) =>
      database.transaction(() => {
        keep(answer);
        return change(
          `state = 'settling', receipt = coalesce(?, receipt), expires_at_ms = ?,
           dispensable_from_ms = ?`,
          receipt ? JSON.stringify(receipt) : null,
          now() + settlingMsMax,
          isDispensable ? 0 : validBeforeMs + overMsMin,
        );
      }, "surely"),
    paid: async (receipt) =>
      database.transaction(
        () =>
          change(
            "state = 'paid', receipt = ?, expires_at_ms = ?",
            JSON.stringify(receipt),
            now() + undeliveredMsMax,
          ),
        "surely",
      ),
    complete: async (receipt, answer) =>
      database.transaction(() => {
        keep(answer);
        return change(
          `state = 'delivered', receipt = ?, expires_at_ms = ?, answer_until_ms = ?,
           holder = null, held_until_ms = 0`,
          JSON.stringify(receipt),
          now() + deliveredMsMax,
          Math.min(validBeforeMs, now() + bounds.replayMs),
        );
      }, "surely"),
    discard: async () =>
      database.transaction(
        () => database.run(`delete from grants ${ours}`, key, holder) > 0,
        "soon",
      ),
    unlock: async () =>
      database.transaction(() => change("holder = null, held_until_ms = 0"), "soon"),
    renew: async () =>
      database.transaction(() => change("held_until_ms = ?", now() + leaseMs), "soon"),
  };
}

/** Makes room for a body: delivered ones give way, oldest first. What nobody has had yet stays. */
function hasRoomFor(database: Database, bounds: Bounds, size: number): boolean {
  if (size > bounds.answerBytesMax) return false;
  const isRoom = () => totalOf(database, "bytes") + size <= bounds.totalBytesMax;
  for (let displaced = 0; displaced < displacedMax && !isRoom(); displaced++) {
    const dropped = database.run(
      `update grants set answer_body = null where id =
         (select id from grants where answer_body is not null and answer_until_ms > 0
          order by answer_until_ms limit 1)`,
    );
    if (dropped === 0) return false;
  }
  return isRoom();
}

function totalOf(database: Database, what: "entries" | "bytes"): number {
  return Number(database.get("select entries, bytes from totals")?.[what]);
}

function toStored(row: Row): StoredGrant {
  return {
    exchangeKey: row["exchange"],
    fingerprint: row["fingerprint"],
    payload: row["payload"],
    state: row["state"],
    receipt: row["receipt"],
    answerStatus: row["answer_status"],
    answerHeaders: row["answer_headers"],
    answerBody: row["answer_body"] instanceof Uint8Array ? row["answer_body"] : undefined,
  };
}
