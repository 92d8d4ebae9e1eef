/**
 * Balances: payments top up the money of a buyer with this seller, and each request is charged what
 * it has cost. A balance is the sum of a ledger to which entries are only appended. A request
 * reserves its highest cost before the work, so that no balance falls below zero. The rules for
 * every store: each is a function of the stored balance, tried again when another process was first.
 */
import { defined } from "@farthing/protocol";
import type { SettledRequest } from "../../events.ts";
import { sha256OfText } from "../../sha256.ts";
import type { Balance, BalanceStore, LedgerEntry, OpenTopUp, Reserve } from "./balance-store.ts";
import { createChange, type Step } from "./change-balance.ts";
import { maxReserveMs, maxSuspendedMs } from "../retention.ts";
import { createToken, idChars, idOfToken } from "../passes/token.ts";

export interface ToppedUpBalance {
  readonly balance: Balance;
  /** Shown once. Tokens that were given before it stay good, up to {@link maxTokens}. */
  readonly token: string;
}

export interface ReserveAsked {
  /** Names the request; a request that is charged already reserves nothing more. */
  readonly useId: string;
  readonly amount: bigint;
}

export type Reserved =
  /** `isCharged`: an earlier try of the same request was charged, and this one costs nothing. */
  | { readonly kind: "reserved"; readonly balance: Balance; readonly isCharged: boolean }
  /** Too little is left. */
  | { readonly kind: "short"; readonly balance: Balance }
  /** Too many requests hold a reserve at once. */
  | { readonly kind: "busy"; readonly balance: Balance }
  | { readonly kind: "unknown" };

export interface ChargedCost {
  /** What was charged, in base units. */
  readonly cost: bigint;
  readonly balance: Balance;
}

/** The balances of a seller, shared by all processes that share the payment records. */
export interface Balances {
  /**
   * Adds a payment once, however often it is called. `key` is that of its {@link Binding}; `shut` are
   * the base units of it that pay for nothing until it is final.
   */
  topUp(key: string, scope: string, payment: SettledRequest, shut?: bigint): Promise<Balance>;
  /** Opens a top-up whose payment is final, or takes back one whose payment has failed. */
  settleTopUp(id: string, key: string, end: "final" | "void"): Promise<Balance | undefined>;
  /** Finds the balance of a payer, the one with the most money where there are several. */
  heldBy(payer: string, networks: readonly string[], scope: string): Promise<Balance | undefined>;
  /** Gives a new token to the buyer of a balance. */
  giveToken(id: string): Promise<ToppedUpBalance | undefined>;
  find(token: string): Promise<Balance | undefined>;
  /** Reads a balance by its public id. */
  read(id: string): Promise<Balance | undefined>;
  /** Holds money for a request. */
  reserve(id: string, asked: ReserveAsked): Promise<Reserved>;
  /**
   * Prolongs the reserve of a request, and records what it has cost so far where that is given.
   * Returns false when the reserve has ended.
   */
  meter(id: string, useId: string, metered?: bigint): Promise<boolean>;
  /**
   * Keeps the reserve of a request that failed for its repeat, and charges what it has cost when none
   * comes. Returns undefined when the reserve has ended.
   */
  suspend(id: string, useId: string, metered: bigint): Promise<Balance | undefined>;
  /** Ends a reserve: charges the cost, between 0 and the reserve, once. */
  charge(id: string, useId: string, cost: bigint): Promise<ChargedCost | undefined>;
  /** Ends a reserve without a charge. */
  release(id: string, useId: string): Promise<Balance | undefined>;
  /**
   * Takes money out that goes back to the buyer: at most what is left, once for each key. The ledger
   * tells how much. False when nothing is left; an amount that the seller names goes back even so.
   */
  payBack(id: string, key: string, amount: bigint, isNamed?: boolean): Promise<boolean>;
  /** Puts back what a payback has taken and has not returned to the buyer, once. */
  reversePayBack(id: string, entry: LedgerEntry): Promise<void>;
  /** Returns the entries of a balance, oldest first. */
  ledger(id: string): Promise<readonly LedgerEntry[]>;
  /** Whether a payment for a balance can be taken. */
  hasRoom(id: string): Promise<boolean>;
  idOf(scope: string, payment: Pick<SettledRequest, "payer" | "network">): Promise<string>;
}

/** Requests of one buyer under way at once; more of them would make each change slow. */
export const maxReserves = 256;

/** Tokens of one balance, for as many programs with one wallet. */
export const maxTokens = 16;

/** Payments of one balance that are not final yet. */
export const maxOpenTopUps = 64;

/** Base units that are the buyer's and held for no request. */
export function remainingOf({ amount, reserves }: Balance): bigint {
  return reserves.reduce((left, reserve) => left - reserve.amount, amount);
}

/** Base units that the buyer can spend now. */
export function availableOf(balance: Balance): bigint {
  return balance.openTopUps.reduce((left, { shut }) => left - shut, remainingOf(balance));
}

const idOf: Balances["idOf"] = async (scope, { payer, network }) => {
  const name = JSON.stringify(["balance", network, payer.toLowerCase(), scope]);
  return (await sha256OfText(name)).slice(0, idChars);
};

/** A balance before its first payment. */
const empty = { tokenHash: "", earlierHashes: [], amount: 0n, reserves: [], openTopUps: [] };

/** Names the entry that puts a payback back. */
export const reversalKey = (key: string) => `${key}/reversed`;

/** Notes which balance a payment tops up. */
export interface TopUpNotes {
  /** Throws for a payment whose money goes back. */
  topUp(key: string, scope: string, payment: SettledRequest): Promise<void>;
  hasRoom(): Promise<boolean>;
}

const noNotes: TopUpNotes = { topUp: async () => undefined, hasRoom: async () => true };

export function createBalances(
  store: BalanceStore,
  now: () => number,
  notes: TopUpNotes = noNotes,
): Balances {
  const change = createChange(store, now);
  return {
    idOf,
    async topUp(key, scope, payment, shut = 0n) {
      await notes.topUp(key, scope, payment);
      const id = await idOf(scope, payment);
      const blank = { ...empty, id, scope, payment };
      return change(id, { kind: "top-up", key }, (found = blank, isEntered, atMs) =>
        isEntered ? { value: found } : add(found, { key, payment, shut }, atMs),
      );
    },
    async giveToken(id) {
      const { token, tokenHash } = await createToken(id);
      return change(id, undefined, (found) => {
        if (!found) return { value: undefined };
        const earlierHashes = hashesOf(found).slice(0, maxTokens - 1);
        const balance = { ...found, tokenHash, earlierHashes };
        return { value: { balance, token }, balance };
      });
    },
    settleTopUp: (id, key, end) =>
      change(id, { kind: "void", key }, (found, _isEntered, atMs) => {
        const open = found?.openTopUps.find((one) => one.key === key);
        return found && open ? endTopUp(found, open, end, atMs) : { value: found };
      }),
    heldBy: (...holder) => heldIn(store, ...holder),
    async find(token) {
      const id = idOfToken(token);
      const { balance } = id === undefined ? { balance: undefined } : await store.get(id);
      return balance && hashesOf(balance).includes(await sha256OfText(token)) ? balance : undefined;
    },
    read: (id) => change(id, undefined, (found) => ({ value: found })),
    reserve: (id, asked) =>
      change(id, { kind: "charge", key: asked.useId }, (found, isEntered, nowMs) =>
        found ? hold(found, asked, isEntered, nowMs) : { value: { kind: "unknown" } },
      ),
    meter: (id, useId, metered) =>
      change(id, undefined, (found, _isEntered, nowMs) =>
        found ? prolong(found, { useId, ...defined({ metered }) }, nowMs) : { value: false },
      ),
    suspend: (id, useId, metered) =>
      change(id, undefined, (found, _isEntered, nowMs) => suspend(found, useId, metered, nowMs)),
    charge: (id, useId, cost) =>
      change(id, { kind: "charge", key: useId }, (found, isEntered, nowMs) =>
        found ? bill(found, { useId, cost }, isEntered, nowMs) : { value: undefined },
      ),
    release: (id, useId) => change(id, undefined, (found) => released(found, useId)),
    payBack: (id, key, amount, isNamed = false) =>
      change(id, { kind: "payback", key }, (found, isEntered, atMs) =>
        isEntered ? { value: true } : takeOut(found, { key, amount, isNamed }, atMs),
      ),
    reversePayBack: (id, { key, amount }) =>
      change(id, { kind: "payback", key: reversalKey(key) }, (found, isEntered, atMs) =>
        found && !isEntered ? putBack(found, { key, amount }, atMs) : { value: undefined },
      ),
    ledger: (id) => store.ledger(id),
    async hasRoom(id) {
      if (!(await notes.hasRoom())) return false;
      const { balance } = await store.get(id);
      if (balance) return balance.openTopUps.length < maxOpenTopUps;
      return (await store.isFull?.()) !== true;
    },
  };
}

async function heldIn(
  store: BalanceStore,
  payer: string,
  networks: readonly string[],
  scope: string,
): Promise<Balance | undefined> {
  let held: Balance | undefined;
  for (const network of networks) {
    const { balance } = await store.get(await idOf(scope, { payer, network }));
    if (balance && (!held || balance.amount > held.amount)) held = balance;
  }
  return held;
}

interface AddedTopUp {
  readonly key: string;
  readonly payment: SettledRequest;
  readonly shut: bigint;
}

function add(found: Balance, { key, payment, shut }: AddedTopUp, atMs: number): Step<Balance> {
  const paid = BigInt(payment.amount);
  const { settlementId, transaction } = payment;
  const open = { key, paid, shut, ...defined({ settlementId, transaction }) };
  const openTopUps = shut > 0n ? [...found.openTopUps, open] : found.openTopUps;
  const balance = { ...found, amount: found.amount + paid, openTopUps, payment };
  return { value: balance, balance, entries: [{ kind: "top-up", key, amount: paid, atMs }] };
}

function endTopUp(
  found: Balance,
  open: OpenTopUp,
  end: "final" | "void",
  atMs: number,
): Step<Balance> {
  const { key, paid } = open;
  const openTopUps = found.openTopUps.filter((one) => one !== open);
  const opened = { ...found, openTopUps };
  if (end === "final") return { value: opened, balance: opened };
  // The request that came with the payment may have cost something.
  const amount = clamp(paid, availableOf(opened));
  const balance = { ...opened, amount: opened.amount - amount };
  return { value: balance, balance, entries: [{ kind: "void", key, amount: -amount, atMs }] };
}

function takeOut(
  found: Balance | undefined,
  asked: { readonly key: string; readonly amount: bigint; readonly isNamed: boolean },
  atMs: number,
): Step<boolean> {
  const { key, amount: goesBack, isNamed } = asked;
  const amount = found ? clamp(goesBack, availableOf(found)) : 0n;
  if (!found || (amount === 0n && !(isNamed && goesBack > 0n))) return { value: false };
  const balance = { ...found, amount: found.amount - amount };
  const more = isNamed && goesBack > amount ? { goesBack } : {};
  const entry = { kind: "payback", key, amount: -amount, atMs, ...more } as const;
  return { value: true, balance, entries: [entry] };
}

function released(found: Balance | undefined, useId: string): Step<Balance | undefined> {
  if (!found || !heldBy(found, useId)) return { value: found };
  const balance = without(found, useId);
  return { value: balance, balance };
}

function putBack(
  found: Balance,
  { key, amount }: Pick<LedgerEntry, "key" | "amount">,
  atMs: number,
): Step<undefined> {
  const balance = { ...found, amount: found.amount - amount };
  const entry = { kind: "payback", key: reversalKey(key), amount: -amount, atMs } as const;
  return { value: undefined, balance, entries: [entry] };
}

function hold(
  found: Balance,
  { useId, amount }: ReserveAsked,
  isCharged: boolean,
  nowMs: number,
): Step<Reserved> {
  if (isCharged) return { value: { kind: "reserved", balance: found, isCharged } };
  const held = heldBy(found, useId);
  if (!held && amount > availableOf(found)) return { value: { kind: "short", balance: found } };
  if (!held && found.reserves.length >= maxReserves) {
    return { value: { kind: "busy", balance: found } };
  }
  // One that was suspended ends no earlier than it would without the repeat.
  const untilMs = Math.max(held?.untilMs ?? 0, nowMs + maxReserveMs);
  const balance = withReserve(found, { useId, amount, metered: 0n, ...held, untilMs });
  return { value: { kind: "reserved", balance, isCharged }, balance };
}

function prolong(
  found: Balance,
  { useId, metered, untilMs }: Pick<Reserve, "useId"> & Partial<Reserve>,
  nowMs: number,
): Step<boolean> {
  const held = heldBy(found, useId);
  if (!held) return { value: false };
  const spent = clamp(metered ?? held.metered, held.amount);
  const more = { metered: spent, untilMs: untilMs ?? nowMs + maxReserveMs };
  return { value: true, balance: withReserve(found, { ...held, ...more }) };
}

function suspend(
  found: Balance | undefined,
  useId: string,
  metered: bigint,
  nowMs: number,
): Step<Balance | undefined> {
  const untilMs = nowMs + maxSuspendedMs;
  const { balance } = found ? prolong(found, { useId, metered, untilMs }, nowMs) : {};
  return { value: balance, ...defined({ balance }) };
}

function bill(
  found: Balance,
  { useId, cost }: { readonly useId: string; readonly cost: bigint },
  isEntered: boolean,
  atMs: number,
): Step<ChargedCost> {
  const released = without(found, useId);
  if (isEntered) return { value: { cost: 0n, balance: released }, balance: released };
  // Without a reserve the request took longer than that; it costs what is there.
  const charged = clamp(cost, heldBy(found, useId)?.amount ?? availableOf(found));
  const balance = { ...released, amount: released.amount - charged };
  const entry = { kind: "charge", key: useId, amount: -charged, atMs } as const;
  return { value: { cost: charged, balance }, balance, entries: [entry] };
}

/** The hashes of all tokens, the newest first. */
function hashesOf({ tokenHash, earlierHashes }: Balance): readonly string[] {
  return tokenHash === "" ? [] : [tokenHash, ...earlierHashes];
}

function heldBy({ reserves }: Balance, useId: string): Reserve | undefined {
  return reserves.find((reserve) => reserve.useId === useId);
}

function without(balance: Balance, useId: string): Balance {
  return { ...balance, reserves: balance.reserves.filter((one) => one.useId !== useId) };
}

function withReserve(balance: Balance, reserve: Reserve): Balance {
  return { ...balance, reserves: [...without(balance, reserve.useId).reserves, reserve] };
}

function clamp(cost: bigint, most: bigint): bigint {
  return cost < 0n ? 0n : cost > most ? most : cost;
}
