/**
 * Changes of a balance: a rule is a function of the stored balance, and is tried again when another
 * process was first. Before each rule, the reserves end whose time is over.
 */
import type {
  Balance,
  BalanceStore,
  EntryName,
  FoundBalance,
  LedgerEntry,
} from "./balance-store.ts";

/** Each lost try is the success of another process, of which there are few. */
const maxTries = 1_000;

/** What a rule makes of a balance. */
export interface Step<T> {
  readonly value: T;
  /** Absent where nothing changes. */
  readonly balance?: Balance;
  readonly entries?: readonly LedgerEntry[];
}

type Rule<T> = (balance: Balance | undefined, isEntered: boolean, nowMs: number) => Step<T>;

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

/** Returns what applies a rule to a balance. Within a process one change follows the other. */
export function createChange(store: BalanceStore, now: () => number) {
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
