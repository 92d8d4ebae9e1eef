/**
 * Refunds beside payment records. Before money goes back, what the payment has opened ends: its kept
 * response, its pass, and its part of a balance. Each step can be repeated and none is undone, so
 * that a repeat completes a refund whose process died.
 */
import { defined, isObject, maxRefunds, member, parseJson } from "@farthing/protocol";
import type { SettledRequest } from "../../events.ts";
import type { LedgerEntry } from "../balances/balance-store.ts";
import { availableOf, reversalKey, type Balances } from "../balances/balances.ts";
import { paymentIn, type PassStore } from "../passes/pass-store.ts";
import { passIdOf } from "../passes/passes.ts";
import { keptForGoodMs, maxRefundNoteMs, maxSettlingMs } from "../retention.ts";
import type { PaymentRecordStore } from "./store.ts";
import type { Debit, RefundName, RefundRecords } from "./refunds.ts";
import { transit } from "./transit.ts";

/** Which balance a payment has topped up, kept for its refund. */
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
    /** Whether another payment can be noted. */
    hasRoom: async () => (await store.hasNoteRoom?.()) ?? true,
    /** Returns the settlement of a top-up, where its facilitator names one. */
    async find(key: string) {
      const noted = await store.recall(nameOfTopUp(key));
      const topUp = noted === undefined || noted === refundedNote ? undefined : topUpIn(noted);
      return defined({ settlementId: topUp?.payment.settlementId });
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

/** The second try reads what the first one has entered; others follow where that was undone. */
const maxTries = 10;

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
    await balances.settleTopUp(id, name.key, "final");
    const { amount, nextKey } = begunIn(await balances.ledger(id), name);
    if (amount !== undefined) {
      return { kind: asked === undefined || asked === amount ? "debited" : "begun", amount };
    }
    // Refunds at the same time have the same key, so one of them decides the amount of all.
    const isTaken = await balances.payBack(id, nextKey, asked ?? rest, asked !== undefined);
    return isTaken ? undefined : { kind: "spent" };
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
      throw new Error("Other processes begin this refund and undo it all the time.");
    },
    async reverse(name) {
      const topUp = await notes.close(name.key);
      if (!topUp || !balances) return;
      const id = await balances.idOf(topUp.scope, topUp.payment);
      const { paybacks } = begunIn(await balances.ledger(id), name);
      for (const entry of paybacks) await balances.reversePayBack(id, entry);
    },
    async heldIn(balanceId) {
      const balance = await balances?.read(balanceId);
      if (!balances || !balance) return undefined;
      const entries = await balances.ledger(balanceId);
      const voided = new Set(entries.filter(({ kind }) => kind === "void").map(({ key }) => key));
      const paybacks = entries.filter(({ kind }) => kind === "payback");
      const paid = entries.filter(({ kind, key }) => kind === "top-up" && !voided.has(key));
      const topUps = paid.map(async ({ key }) => ({
        key,
        ...(await notes.find(key)),
        isOpen: balance.openTopUps.some((one) => one.key === key),
        debited: ordinalsOf.filter((ordinal) => {
          return begunIn(paybacks, { key, ordinal }).amount !== undefined;
        }),
      }));
      return { left: availableOf(balance), topUps: await Promise.all(topUps) };
    },
    async openTopUp(balanceId, key) {
      const balance = await balances?.settleTopUp(balanceId, key, "final");
      return balance ? availableOf(balance) : 0n;
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

const ordinalsOf = Array.from({ length: maxRefunds }, (_one, ordinal) => ordinal);

/** Returns what the ledger says of a refund; `amount` is undefined while none is begun. */
function begunIn(entries: readonly LedgerEntry[], { key, ordinal }: RefundName) {
  const prefix = `refund/${key}/${ordinal}/`;
  const all = entries.filter((one) => one.kind === "payback" && one.key.startsWith(prefix));
  const keys = new Set(all.map((one) => one.key));
  const made = all.filter((one) => one.amount <= 0n && !one.key.endsWith(reversalKey("")));
  const paybacks = made.filter((one) => !keys.has(reversalKey(one.key)));
  // Earlier versions could enter several.
  const sum = paybacks.reduce((units, { amount, goesBack }) => units + (goesBack ?? -amount), 0n);
  const amount = paybacks.length > 0 ? sum : undefined;
  return { amount, paybacks, nextKey: `${prefix}${made.length}` };
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
