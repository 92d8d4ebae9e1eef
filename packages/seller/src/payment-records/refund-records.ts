/**
 * Refunds beside payment records. Before money goes back, what the payment has opened ends: its kept
 * response, its pass, and its part of a balance. Each step can be repeated and none is undone, so
 * that a repeat completes a refund whose process died.
 */
import { isObject, member, parseJson } from "@farthing/protocol";
import type { SettledRequest } from "../events.ts";
import { availableOf, type Balances } from "./balances.ts";
import { paymentIn, type PassStore } from "./pass-store.ts";
import { passIdOf } from "./passes.ts";
import { keptForGoodMs, maxRefundNoteMs, maxSettlingMs } from "./retention.ts";
import type { PaymentRecordStore } from "./store.ts";
import type { Debit, RefundName, RefundRecords } from "./refunds.ts";
import { transit } from "./transit.ts";

/** Of what a payment has topped up, kept for its refund. */
export type SaleNotes = ReturnType<typeof createSaleNotes>;

const refundedNote = "refunded";

const nameOfTopUp = (key: string) => `top-up/${key}`;

export function createSaleNotes(store: PassStore) {
  return {
    /** Notes a top-up. Throws for a payment whose money goes back. */
    async topUp(key: string, scope: string, payment: SettledRequest): Promise<void> {
      const text = JSON.stringify({ scope, payment });
      const noted = await store.remember(nameOfTopUp(key), text, keptForGoodMs);
      if (noted === refundedNote) throw new Error("The money of this payment goes back.");
    },
    /** Returns the top-up of a payment; without one, the payment can top up nothing any more. */
    async close(key: string) {
      const noted = await store.remember(nameOfTopUp(key), refundedNote, keptForGoodMs);
      return noted === undefined || noted === refundedNote ? undefined : topUpIn(noted);
    },
  };
}

function topUpIn(noted: string) {
  const value = parseJson(noted)?.value;
  const scope = isObject(value) ? member(value, "scope") : undefined;
  if (typeof scope !== "string" || !isObject(value)) {
    throw new Error("The store keeps something else under the key of a top-up.");
  }
  return { scope, payment: paymentIn(member(value, "payment")) };
}

/** Each lost try is the success of another refund or request of the same buyer. */
const maxTries = 100;

const noteName = ({ key, ordinal }: RefundName, asked: string) => `${key}/${ordinal}/${asked}`;

export function createRefundRecords(deps: {
  readonly store: PaymentRecordStore;
  readonly passes: PassStore;
  readonly balances: Balances | undefined;
  readonly notes: SaleNotes;
  readonly now: () => number;
}): RefundRecords {
  const { store, passes, balances, notes, now } = deps;

  async function debitOnce(
    name: RefundName,
    asked: bigint | undefined,
    rest: bigint,
  ): Promise<Debit | undefined> {
    const topUp = await notes.close(name.key);
    if (!topUp || !balances) return { kind: "debited", amount: asked ?? rest };
    // Also where the process died that was to enter it.
    const { id } = await balances.topUp(name.key, topUp.scope, topUp.payment);
    // Only final payments are refunded; no request has asked for this one yet.
    const balance = await balances.settleTopUp(id, name.key, "final");
    if (!balance) return undefined;
    const entries = await balances.ledger(balance.id);
    const prefix = `refund/${name.key}/${name.ordinal}/`;
    const taken = entries
      .filter(({ kind, key }) => kind === "payback" && key.startsWith(prefix))
      .reduce((sum, { amount }) => sum - amount, 0n);
    if (asked === undefined && taken > 0n) return { kind: "debited", amount: taken };
    const wanted = asked ?? rest;
    if (taken > wanted) return { kind: "begun", amount: taken };
    const left = availableOf(balance);
    const more = wanted - taken < left ? wanted - taken : left;
    if (more > 0n) {
      // The name says what was taken before, so refunds at the same time take it once.
      await balances.payBack(balance.id, `${prefix}${taken}`, more);
      return undefined;
    }
    return asked === undefined ? { kind: "spent" } : { kind: "debited", amount: asked };
  }

  return {
    async close(key, payment) {
      await closeRecord(store, key, payment);
      const pass = await closePass(passes, key, payment, now());
      return (await notes.close(key)) ? "balance" : pass;
    },
    async debit(name, asked, rest) {
      for (let nth = 1; nth <= maxTries; nth++) {
        const debit = await debitOnce(name, asked, rest);
        if (debit) return debit;
      }
      throw new Error("Other requests change this balance all the time.");
    },
    async begin(name, asked, validBefore) {
      const key = `refund/${noteName(name, asked)}`;
      const untilMs = now() + maxRefundNoteMs;
      const noted = await passes.remember(key, validBefore.toString(), untilMs);
      return noted === undefined ? validBefore : BigInt(noted);
    },
    async isUntold(name, asked) {
      if ((await passes.recall(`refund/${noteName(name, asked)}`)) === undefined) return false;
      return (await passes.recall(`refund-told/${noteName(name, asked)}`)) === undefined;
    },
    async markTold(name, asked) {
      await passes.remember(`refund-told/${noteName(name, asked)}`, "", now() + maxRefundNoteMs);
    },
  };
}

/** A repeat then gets neither a response nor a new token. */
async function closeRecord(store: PaymentRecordStore, key: string, payment: SettledRequest) {
  const record = await store.get(key);
  if (!record) return;
  const { payer, network, transaction } = payment;
  const known = record.receipt?.success === true ? record.receipt : undefined;
  const receipt = known ?? { success: true, payer, network, transaction };
  const extra = { ...known?.extra, refunded: true };
  const change = { lock: null, response: null, receipt: { ...receipt, extra } };
  await transit(store, key, "refund", {}, change);
}

/** The scope of a pass that was void before it was opened: no route has it. */
const noScope = "";

async function closePass(
  store: PassStore,
  key: string,
  payment: SettledRequest,
  nowMs: number,
): Promise<"pass" | undefined> {
  const id = await passIdOf(key);
  // An exchange may be about to open the pass, so one that opens nothing takes its place.
  const uses = { uses: 1, usesLeft: 0, expiresAtMs: nowMs + maxSettlingMs };
  const state = { isVoid: true, isFinal: true };
  const blank = { id, tokenHash: "", scope: noScope, ...uses, ...state, payment };
  const pass = (await store.get(id)) ?? (await store.open(blank));
  // Also a new one, which databases do not store as void.
  await store.mark(id, "void");
  return pass.scope === noScope ? undefined : "pass";
}
