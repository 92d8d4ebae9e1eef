/**
 * Balances: payments top up the money of a buyer with this seller, and each request is charged what
 * it has cost. A balance is the sum of a ledger to which entries are only appended. A request
 * reserves its highest cost before the work, so that no balance falls below zero. The rules for
 * every store: each is a function of the stored balance, tried again when another process was first.
 */
import type { SettledRequest } from "../events.ts";
import { sha256OfText } from "../sha256.ts";
import type {
  Balance,
  BalanceStore,
  EntryName,
  FoundBalance,
  LedgerEntry,
  Reserve,
} from "./balance-store.ts";
import { maxReserveMs } from "./retention.ts";
import { createToken, idChars, idOfToken } from "./token.ts";

export interface ToppedUpBalance {
  readonly balance: Balance;
  /** Shown once. It replaces the token that was given before. */
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
  /** There is no such balance, or its token was replaced. */
  | { readonly kind: "unknown" };

export interface ChargedCost {
  /** What was charged, in base units. */
  readonly cost: bigint;
  readonly balance: Balance;
}

/** The balances of a seller, shared by all processes that share the payment records. */
export interface Balances {
  /** Adds a payment once, however often it is called. `key` is that of its {@link Binding}. */
  topUp(key: string, scope: string, payment: SettledRequest): Promise<Balance>;
  /** Gives a new token to the buyer of a balance. */
  giveToken(id: string): Promise<ToppedUpBalance | undefined>;
  find(token: string): Promise<Balance | undefined>;
  /** Holds money for a request. With a hash, only while the token has this hash. */
  reserve(id: string, asked: ReserveAsked, tokenHash?: string): Promise<Reserved>;
  /** Records what a request has cost so far, and prolongs its reserve. */
  meter(id: string, useId: string, metered: bigint): Promise<boolean>;
  /** Ends a reserve: charges the cost, between 0 and the reserve, once. */
  charge(id: string, useId: string, cost: bigint): Promise<ChargedCost | undefined>;
  /** Ends a reserve without a charge. */
  release(id: string, useId: string): Promise<Balance | undefined>;
  /** Takes money out that is paid back to the buyer, once for each key; false when less is left. */
  payBack(id: string, key: string, amount: bigint): Promise<boolean>;
  /** Returns the entries of a balance, oldest first. */
  ledger(id: string): Promise<readonly LedgerEntry[]>;
  /** Whether the payer's first payment for the scope can be taken. */
  hasRoom(id: string): Promise<boolean>;
  idOf(scope: string, payment: Pick<SettledRequest, "payer" | "network">): Promise<string>;
}

/** Requests of one buyer under way at once; more of them would make each change slow. */
export const maxReserves = 256;

/** Each lost try is the success of another process, of which there are few. */
const maxTries = 1_000;

/** Base units that the buyer can still spend. */
export function availableOf({ amount, reserves }: Balance): bigint {
  return reserves.reduce((left, reserve) => left - reserve.amount, amount);
}

interface Step<T> {
  readonly value: T;
  /** Absent where nothing changes. */
  readonly balance?: Balance;
  readonly entries?: readonly LedgerEntry[];
}

type Rule<T> = (balance: Balance | undefined, isEntered: boolean, nowMs: number) => Step<T>;

const idOf: Balances["idOf"] = async (scope, { payer, network }) => {
  const name = JSON.stringify(["balance", network, payer.toLowerCase(), scope]);
  return (await sha256OfText(name)).slice(0, idChars);
};

/** Throws for a payment whose money goes back. */
export type NoteTopUp = (key: string, scope: string, payment: SettledRequest) => Promise<void>;

export function createBalances(
  store: BalanceStore,
  now: () => number,
  note: NoteTopUp = async () => undefined,
): Balances {
  const change = createChange(store, now);
  return {
    idOf,
    async topUp(key, scope, payment) {
      await note(key, scope, payment);
      const id = await idOf(scope, payment);
      const blank = { id, tokenHash: "", scope, amount: 0n, reserves: [], payment };
      return change(id, { kind: "top-up", key }, (found = blank, isEntered, atMs) => {
        if (isEntered) return { value: found };
        const amount = BigInt(payment.amount);
        const balance = { ...found, amount: found.amount + amount, payment };
        return { value: balance, balance, entries: [{ kind: "top-up", key, amount, atMs }] };
      });
    },
    async giveToken(id) {
      const { token, tokenHash } = await createToken(id);
      return change(id, undefined, (found) => {
        if (!found) return { value: undefined };
        const balance = { ...found, tokenHash };
        return { value: { balance, token }, balance };
      });
    },
    async find(token) {
      const id = idOfToken(token);
      const { balance } = id === undefined ? { balance: undefined } : await store.get(id);
      return balance?.tokenHash === (await sha256OfText(token)) ? balance : undefined;
    },
    reserve: (id, asked, tokenHash) =>
      change(id, { kind: "charge", key: asked.useId }, (found, isEntered, nowMs) =>
        found && (tokenHash ?? found.tokenHash) === found.tokenHash
          ? hold(found, asked, isEntered, nowMs)
          : { value: { kind: "unknown" } },
      ),
    meter: (id, useId, metered) =>
      change(id, undefined, (found, _isEntered, nowMs) => {
        const held = found && heldBy(found, useId);
        if (!held) return { value: false };
        const more = { metered: clamp(metered, held.amount), untilMs: nowMs + maxReserveMs };
        return { value: true, balance: withReserve(found, { ...held, ...more }) };
      }),
    charge: (id, useId, cost) =>
      change(id, { kind: "charge", key: useId }, (found, isEntered, nowMs) =>
        found ? bill(found, { useId, cost }, isEntered, nowMs) : { value: undefined },
      ),
    release: (id, useId) =>
      change(id, undefined, (found) => {
        if (!found || !heldBy(found, useId)) return { value: found };
        const balance = without(found, useId);
        return { value: balance, balance };
      }),
    payBack: (id, key, amount) =>
      change(id, { kind: "payback", key }, (found, isEntered, atMs) => {
        if (isEntered) return { value: true };
        if (!found || amount <= 0n || amount > availableOf(found)) return { value: false };
        const balance = { ...found, amount: found.amount - amount };
        return { value: true, balance, entries: [{ kind: "payback", key, amount: -amount, atMs }] };
      }),
    ledger: (id) => store.ledger(id),
    async hasRoom(id) {
      if ((await store.isFull?.()) !== true) return true;
      return (await store.get(id)).balance !== undefined;
    },
  };
}

function hold(
  found: Balance,
  { useId, amount }: ReserveAsked,
  isCharged: boolean,
  nowMs: number,
): Step<Reserved> {
  const untilMs = nowMs + maxReserveMs;
  if (isCharged) return { value: { kind: "reserved", balance: found, isCharged } };
  const held = heldBy(found, useId);
  if (!held && amount > availableOf(found)) return { value: { kind: "short", balance: found } };
  if (!held && found.reserves.length >= maxReserves) {
    return { value: { kind: "busy", balance: found } };
  }
  const balance = withReserve(found, { useId, amount, metered: 0n, ...held, untilMs });
  return { value: { kind: "reserved", balance, isCharged }, balance };
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

/** Ends the reserves whose time is over: their requests are charged what was metered. */
function lapse(found: Balance, nowMs: number) {
  const over = found.reserves.filter(({ untilMs }) => untilMs <= nowMs);
  const entries = over.flatMap(({ useId, metered }): LedgerEntry[] =>
    metered > 0n ? [{ kind: "charge", key: useId, amount: -metered, atMs: nowMs }] : [],
  );
  const reserves = found.reserves.filter(({ untilMs }) => untilMs > nowMs);
  const amount = entries.reduce((left, entry) => left + entry.amount, found.amount);
  return { balance: over.length > 0 ? { ...found, reserves, amount } : found, entries };
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

/** Returns what applies a rule to a balance. Within a process one change follows the other. */
function createChange(store: BalanceStore, now: () => number) {
  const lasts = new Map<string, Promise<unknown>>();

  async function attempt<T>(
    found: FoundBalance,
    name: EntryName | undefined,
    rule: Rule<T>,
  ): Promise<{ readonly value: T } | undefined> {
    const nowMs = now();
    const lapsed = found.balance && lapse(found.balance, nowMs);
    const entered = lapsed?.entries.some(
      ({ kind, key }) => kind === name?.kind && key === name.key,
    );
    const step = rule(lapsed?.balance, found.isEntered || entered === true, nowMs);
    const entries = [...(lapsed?.entries ?? []), ...(step.entries ?? [])];
    const next = step.balance ?? lapsed?.balance;
    if (next === undefined || next === found.balance) return { value: step.value };
    return (await store.compareAndSet(found.version, next, entries)) ? step : undefined;
  }

  async function run<T>(id: string, name: EntryName | undefined, rule: Rule<T>): Promise<T> {
    for (let nth = 1; nth <= maxTries; nth++) {
      const done = await attempt(await store.get(id, name), name, rule);
      if (done) return done.value;
    }
    throw new Error("Other processes change this balance all the time.");
  }

  return async function change<T>(
    id: string,
    name: EntryName | undefined,
    rule: Rule<T>,
  ): Promise<T> {
    const turn = (lasts.get(id) ?? Promise.resolve()).then(() => run(id, name, rule));
    const last = turn.catch(() => undefined);
    lasts.set(id, last);
    try {
      return await turn;
    } finally {
      if (lasts.get(id) === last) lasts.delete(id);
    }
  };
}
