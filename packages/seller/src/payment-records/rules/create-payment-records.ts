/** The rules of payment records for every store: leases, steps of a holder, and evictions. */
import { defined } from "@farthing/protocol";
import {
  defaultMaxResponseBytes,
  leaseMsDefault,
  maxReplayMs,
  maxSettlingMs,
} from "../retention.ts";
import type { Access, Binding, PaymentRecords, Acquisition } from "./payment-records.ts";
import { createSteps, holdLease } from "./held-lease.ts";
import { createKeptCalls } from "./kept-calls.ts";
import { createBalances } from "../balances/balances.ts";
import { createChannels, type ChannelHolding, type Channels } from "../channels/channels.ts";
import { createPasses } from "../passes/passes.ts";
import { createRefundRecords, createSaleNotes } from "./refund-records.ts";
import { isHeld, type PaymentRecord } from "./record-transitions.ts";
import { createRememberedNames } from "./remembered-names.ts";
import { mayResume, openerOf, randomHex } from "./proof.ts";
import type { Changed, Inserted, PaymentRecordStore } from "./store.ts";
import { asRead, makeRoom, transit } from "./transit.ts";
import { createWaiting, inTime } from "./waiting.ts";

export interface PaymentRecordOptions {
  /** Longest body of a response that is kept, in bytes. */
  readonly answerBytesMax?: number | undefined;
  /** Most bytes of bodies together, where the store has such a bound. */
  readonly totalBytesMax?: number | undefined;
  /** How long a delivered response is kept, in milliseconds; ten minutes at most. */
  readonly replayMs?: number | undefined;
  /** How long a lease lasts unless it is renewed, in milliseconds; `Infinity` in one process. */
  readonly leaseMs?: number | undefined;
  /** Pause between two polls of a waiting request, where the store cannot be watched. */
  readonly pollMs?: number | undefined;
  /** Longest wait for the store before a payment is acquired. Later steps have no limit. */
  readonly replyMsMax?: number | undefined;
  /** Milliseconds since the Unix epoch, for the end of passes, of reserves and of named payments. */
  readonly now?: (() => number) | undefined;
}

/** Unnoticeable beside a block of two seconds. */
const pollMsDefault = 25;

/** Attempts of an insertion while other processes take the room that was made. */
const maxInsertions = 3;

export function createPaymentRecords(
  store: PaymentRecordStore,
  options: PaymentRecordOptions,
): PaymentRecords {
  const { answerBytesMax = defaultMaxResponseBytes, leaseMs = leaseMsDefault } = options;
  const { pollMs = pollMsDefault, replyMsMax, now = Date.now } = options;
  const maxKeptBytes = Math.min(answerBytesMax, options.totalBytesMax ?? Infinity);
  const replayMs = Math.min(options.replayMs ?? maxReplayMs, maxReplayMs);

  function prepare(binding: Binding) {
    const lock = { holder: crypto.randomUUID(), until: { inMs: leaseMs } };
    const steps = createSteps(store, { binding, lock, replayMs, maxKeptBytes });
    return { lock, steps };
  }

  async function insert(binding: Binding, { proof }: Access): Promise<Acquisition | PaymentRecord> {
    const { lock, steps } = prepare(binding);
    const exchangeKey = randomHex();
    const expires = { inMs: maxSettlingMs };
    const record = { binding, opener: openerOf(proof), exchangeKey, lock, expires };
    // A late insertion has no holder any more.
    const undo = async ({ kind }: Inserted) => kind === "inserted" && steps.discard();
    for (let nth = 1; nth <= maxInsertions; nth++) {
      const inserted = await inTime(store.insert(record), replyMsMax, undo);
      if (inserted.kind === "exists") return inserted.record;
      if (inserted.kind === "inserted") {
        const found = { state: "claimed", exchangeKey } as const;
        return { kind: "acquired", lease: holdLease(found, steps, leaseMs) };
      }
      if (!(await makeRoom(store))) break;
    }
    return { kind: "full" };
  }

  /** Acquires the lease of a record that no one holds, as it was read. */
  async function resume(binding: Binding, read: PaymentRecord): Promise<Acquisition> {
    const { lock, steps } = prepare(binding);
    // Nothing was sent for a claim; one of an earlier version gets its key now.
    const isUnnamed = read.state === "claimed" && read.exchangeKey === null;
    const details = isUnnamed ? { lock, exchangeKey: randomHex() } : { lock };
    const changing = transit(store, read.key, "acquire", asRead(read), details);
    const undo = async ({ kind }: Changed) => kind === "changed" && steps.unlock();
    const changed = await inTime(changing, replyMsMax, undo);
    const record = changed.kind === "changed" ? changed.record : undefined;
    // Another request was quicker.
    if (!record || record.state === "delivered") return { kind: "busy" };
    const { state, exchangeKey, facilitator, receipt } = record;
    try {
      // No response is kept with a claim.
      const isKept = state !== "claimed";
      const response = isKept ? await inTime(store.getResponse(read.key), replyMsMax) : undefined;
      const known = { receipt: receipt ?? undefined, facilitator: facilitator ?? undefined };
      const found = { state, response, exchangeKey: exchangeKey ?? undefined, ...known };
      const lease = holdLease(found, steps, leaseMs);
      return { kind: "acquired", lease };
    } catch (error) {
      steps.unlock().catch(() => undefined);
      throw error;
    }
  }

  async function acquire(binding: Binding, access: Access): Promise<Acquisition> {
    const found = await insert(binding, access);
    if ("kind" in found) return found;
    if (!isBoundTo(found, binding)) return { kind: "bound" };
    const { key, state, receipt, opener } = found;
    const isAllowed = mayResume(opener, access, state === "delivered");
    if (state === "delivered") {
      if (!receipt) throw new Error("The record of a delivered payment has no receipt.");
      const isKept = isAllowed && found.responseUntilMs > found.readAtMs;
      const response = isKept ? await inTime(store.getResponse(key), replyMsMax) : undefined;
      return { kind: "delivered", receipt, ...defined({ response }) };
    }
    if (!isAllowed) return { kind: "unproven", ...defined({ receipt: receipt ?? undefined }) };
    return isHeld(found) ? { kind: "busy" } : resume(binding, found);
  }

  const find = (key: string) => inTime(store.get(key), replyMsMax);

  async function findBound(binding: Binding): Promise<PaymentRecord | undefined> {
    const record = await find(binding.key);
    return record && isBoundTo(record, binding) ? record : undefined;
  }

  async function isBusy(key: string): Promise<boolean> {
    const record = await find(key);
    return record !== undefined && isHeld(record);
  }
  return {
    answerBytesMax,
    acquire,
    ...createRememberedNames({ store, replyMsMax, now }),
    ...createKeptCalls({ store, find: findBound, keptMs: replayMs, maxKeptBytes, replyMsMax }),
    wait: createWaiting(isBusy, pollMs, store.watch?.bind(store)),
    ...createSales(store, { now, leaseMs, replyMsMax }),
  };
}

interface SaleTimes {
  readonly now: () => number;
  readonly leaseMs: number;
  readonly replyMsMax: number | undefined;
}

/** What payments open beside their records, and how a refund ends it. */
function createSales(store: PaymentRecordStore, times: SaleTimes) {
  const { now } = times;
  const notes = store.passes && createSaleNotes(store.passes);
  const passes = store.passes && createPasses(store.passes, now);
  const balances = store.balances && createBalances(store.balances, now, notes);
  const refunds =
    notes &&
    store.passes &&
    createRefundRecords({ store, passes: store.passes, balances, notes, now });
  return defined({ passes, balances, channels: openChannels(store, times), refunds });
}

/** Nobody works on a channel that is held too late. */
async function giveUp(late: ChannelHolding): Promise<void> {
  if (late.kind === "held") await late.held.release();
}

function openChannels(
  store: PaymentRecordStore,
  { leaseMs, replyMsMax }: SaleTimes,
): Channels | undefined {
  const channels = store.channels && createChannels(store.channels, leaseMs);
  return (
    channels && {
      ...channels,
      hold: (id, opened) => inTime(channels.hold(id, opened), replyMsMax, giveUp),
    }
  );
}

function isBoundTo(record: PaymentRecord, binding: Binding): boolean {
  const { fingerprint, payload, earlierPayload } = binding;
  const isSamePayload = record.payload === payload || record.payload === earlierPayload;
  return record.fingerprint === fingerprint && isSamePayload;
}
