/**
 * The order of settlements. Keyed callers go before keyless ones, which still get every fourth
 * transaction; fair-line.ts orders each class. Payments that go alone, mostly of contract wallets, have
 * a bounded share of the pending transactions and few per payer; wallets that have paid before go first.
 */
import { FairLine } from "./fair-line.ts";
import { fullBatch, QueueCapacity, type QueueCandidate } from "./queue-capacity.ts";

export interface QueuedPayment extends QueueCandidate {
  readonly id: string;
  /** Milliseconds of its claim: the oldest of a flow goes first. */
  readonly since: number;
}

/** Pending transactions and their bound. */
export interface TransactionUse {
  /** How many may be pending, all wallets together. */
  readonly capacity: number;
  /** Those whose first settlement is a keyless caller's. */
  readonly keyless: number;
  /** Those that carry one payment alone, of either class and of keyless callers. */
  readonly alone: number;
  readonly keylessAlone: number;
  /** Whether a part is kept free because keyed callers were seen lately. */
  readonly hasKeyedCallers: boolean;
}

export interface QueueGroup<T> {
  readonly values: readonly T[];
  readonly isKeyed: boolean;
  readonly isAlone: boolean;
}

interface Entry<T> extends QueuedPayment {
  readonly value: T;
  readonly order: number;
  /** Its payer is a contract wallet that has paid before: see storage/proven-payers.ts. */
  isProven: boolean;
  /** `ready`: in a line; `held`: the payer is paused or has as many pending as allowed. */
  state: "ready" | "held" | "deferred" | "taken";
}

/** Consecutive turns of keyed callers while keyless ones wait. */
const keyedTurnsMax = 3;

/** Consecutive turns of proven contract wallets while others of their class wait. */
const provenTurnsMax = 3;

/** Eighths of the capacity that are kept free while keyed callers come. */
const keptForKeyed = 2;

/**
 * Eighths of the capacity for payments that go alone, since such a transaction carries one payment
 * instead of fifty. With four wallets an unknown contract wallet leaves within ten blocks among 100
 * hostile ones, and plain payments keep 150 places in a block of one wallet.
 */
const aloneShares = {
  amongOthers: { all: 4, keyless: 3 },
  otherwise: { all: 6, keyless: 5 },
};

function shareOf(capacity: number, eighths: number): number {
  return Math.max(1, Math.floor((capacity * eighths) / 8));
}

function newLines<T>() {
  return {
    plain: new FairLine<Entry<T>>(),
    alone: new FairLine<Entry<T>>(),
    proven: new FairLine<Entry<T>>(),
  };
}

/** The queue of one network, without a clock or I/O. */
export class FairQueue<T> {
  readonly #capacity: QueueCapacity;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #deferred = new Set<Entry<T>>();
  readonly #lines = { keyed: newLines<T>(), keyless: newLines<T>() };
  /** By payer, oldest first: bounded entries that wait for their payer. */
  readonly #held = new Map<string, Set<Entry<T>>>();
  /** By payer: bounded settlements that are ready or pending. */
  readonly #active = new Map<string, Set<string>>();
  /** Those of them that are pending. */
  readonly #carried = new Map<string, { readonly payer: string; readonly sinceMs: number }>();
  readonly #paused = new Map<string, number>();
  readonly #boundedMax: number;
  #keyedTurns = 0;
  #provenTurns = 0;
  /** Classes whose last transaction carried one payment alone. */
  readonly #wentAlone = new Set<boolean>();

  /** `boundedMax` is per payer, at once; `batchPayments` returns what a batch carries now. */
  constructor(boundedMax: number, batchPayments: () => number = () => fullBatch) {
    this.#boundedMax = boundedMax;
    this.#capacity = new QueueCapacity(batchPayments);
  }

  get size(): number {
    return this.#capacity.size;
  }

  get readySize(): number {
    const lines = Object.values(this.#lines).flatMap((ofClass) => Object.values(ofClass));
    return lines.reduce((sum, { size }) => sum + size, 0);
  }

  hasRoom(candidate: QueueCandidate): boolean {
    return this.#capacity.hasRoom(candidate);
  }

  /** Reserves a place for a settlement that is being claimed; returns the function that frees it. */
  reserve(candidate: QueueCandidate): (() => void) | undefined {
    if (!this.#capacity.hasRoom(candidate)) return undefined;
    this.#capacity.add(candidate);
    return () => this.#capacity.remove(candidate);
  }

  add(payment: QueuedPayment, value: T): void {
    if (this.#entries.has(payment.id)) return;
    // A settlement that comes back from a transaction is no longer pending.
    this.end(payment.id);
    this.#capacity.add(payment);
    this.#insert({ ...payment, value, order: payment.since, isProven: false, state: "ready" });
  }

  /** Takes the settlements of the next transaction, `batchMax` at most. */
  take(use: TransactionUse, batchMax: number): QueueGroup<T> | undefined {
    const isKeylessTurn = this.#keyedTurns >= keyedTurnsMax;
    for (const isKeyed of isKeylessTurn ? [false, true] : [true, false]) {
      const entries = this.#takeOf(isKeyed, use, batchMax);
      const [first] = entries;
      if (!first) continue;
      this.#keyedTurns = isKeyed ? this.#keyedTurns + 1 : 0;
      return { values: entries.map(({ value }) => value), isKeyed, isAlone: first.isAlone };
    }
    return undefined;
  }

  /** Defers a taken settlement until `resume`; from then on it may have to go alone. */
  defer(id: string, value: T, nowMs: number, goesAlone = false): void {
    const entry = this.#entries.get(id);
    if (entry?.state !== "taken") return;
    this.#release(entry);
    const isAlone = entry.isAlone || goesAlone;
    const kind = { isAlone, isBounded: entry.isBounded || isAlone };
    const again: Entry<T> = { ...entry, ...kind, value, order: nowMs, state: "deferred" };
    this.#entries.set(id, again);
    this.#capacity.add(again);
    this.#deferred.add(again);
  }

  /** Resumes deferred settlements, and payers whose pause is over. */
  resume(nowMs: number): void {
    for (const [payer, until] of this.#paused) if (until <= nowMs) this.#paused.delete(payer);
    const again = [...this.#deferred];
    this.#deferred.clear();
    for (const entry of again) this.#insert({ ...entry, state: "ready" });
    for (const payer of Array.from(this.#held.keys())) this.#promote(payer);
  }

  /** A taken settlement is pending; a bounded one occupies its payer until `end`. */
  carry(id: string, nowMs: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    if (entry.isBounded) this.#carried.set(id, { payer: entry.payer, sinceMs: nowMs });
  }

  /** Forgets a taken settlement that is neither deferred nor carried. */
  drop(id: string): void {
    const entry = this.#entries.get(id);
    if (entry?.state !== "taken") return;
    this.#entries.delete(id);
    this.#release(entry);
  }

  /** Moves a settlement of a proven payer before those of other contract wallets. */
  prove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry?.isAlone || entry.isProven) return;
    if (entry.state === "ready") this.#lineOf(entry).remove(entry);
    entry.isProven = true;
    if (entry.state === "ready") this.#lineOf(entry).add(entry);
  }

  /** Forgets a settlement, waiting or pending. */
  end(id: string): void {
    const entry = this.#entries.get(id);
    const carried = this.#carried.get(id);
    this.#carried.delete(id);
    if (carried) this.#release({ id, payer: carried.payer });
    if (!entry) return;
    this.#entries.delete(id);
    if (entry.state !== "taken") this.#capacity.remove(entry);
    this.#deferred.delete(entry);
    this.#lineOf(entry).remove(entry);
    this.#held.get(entry.payer)?.delete(entry);
    this.#release(entry);
  }

  /** Holds back a payer's bounded payments. */
  pause(payer: string, untilMs: number): void {
    this.#paused.set(payer, untilMs);
  }

  /** Forgets payments pending since before a time, whose end was never reported. */
  releaseOlderThan(ms: number): void {
    for (const [id, { sinceMs }] of this.#carried) if (sinceMs < ms) this.end(id);
  }

  #takeOf(isKeyed: boolean, use: TransactionUse, batchMax: number): Entry<T>[] {
    const { capacity, keyless, hasKeyedCallers } = use;
    const kept = hasKeyedCallers ? shareOf(capacity, keptForKeyed) : 0;
    if (!isKeyed && keyless >= Math.max(1, capacity - kept)) return [];
    const isPlainTurn = this.#wentAlone.delete(isKeyed) && this.#linesOf(isKeyed).plain.size > 0;
    const hasShare = !isPlainTurn && this.#hasShareAlone(isKeyed, use);
    const alone = hasShare ? this.#takeAlone(isKeyed) : undefined;
    if (!alone) return this.#takePlain(isKeyed, batchMax);
    this.#wentAlone.add(isKeyed);
    return [alone];
  }

  #hasShareAlone(isKeyed: boolean, { capacity, alone, keylessAlone }: TransactionUse): boolean {
    const { keyed, keyless } = this.#lines;
    const isAmongOthers = keyed.plain.size + keyless.plain.size > 0;
    const shares = isAmongOthers ? aloneShares.amongOthers : aloneShares.otherwise;
    if (alone >= shareOf(capacity, shares.all)) return false;
    return isKeyed || keylessAlone < shareOf(capacity, shares.keyless);
  }

  #takePlain(isKeyed: boolean, batchMax: number): Entry<T>[] {
    const [own, other] = [this.#linesOf(isKeyed).plain, this.#linesOf(!isKeyed).plain];
    const entries: Entry<T>[] = [];
    while (entries.length < batchMax && own.size > 0) this.#takeFrom(own, entries);
    // The other class fills the rest of a transaction that is sent anyway.
    while (entries.length > 0 && entries.length < batchMax && other.size > 0) {
      this.#takeFrom(other, entries);
    }
    return entries;
  }

  #takeAlone(isKeyed: boolean): Entry<T> | undefined {
    const { proven, alone } = this.#linesOf(isKeyed);
    const isOthersTurn = this.#provenTurns >= provenTurnsMax;
    for (const line of isOthersTurn ? [alone, proven] : [proven, alone]) {
      const entry = this.#takeUnpaused(line);
      if (!entry) continue;
      this.#provenTurns = line === proven ? this.#provenTurns + 1 : 0;
      return entry;
    }
    return undefined;
  }

  #takeUnpaused(line: FairLine<Entry<T>>): Entry<T> | undefined {
    const taken: Entry<T>[] = [];
    while (line.size > 0 && taken.length === 0) {
      this.#takeFrom(line, taken);
      const [entry] = taken;
      if (!entry || !this.#paused.has(entry.payer)) continue;
      taken.pop();
      this.#capacity.add(entry);
      this.#release(entry);
      this.#hold(entry);
    }
    return taken[0];
  }

  #takeFrom(line: FairLine<Entry<T>>, into: Entry<T>[]): void {
    const entry = line.take();
    if (!entry) return;
    entry.state = "taken";
    this.#capacity.remove(entry);
    into.push(entry);
  }

  #insert(entry: Entry<T>): void {
    this.#entries.set(entry.id, entry);
    if (!entry.isBounded) return this.#lineOf(entry).add(entry);
    this.#hold(entry);
    this.#promote(entry.payer);
  }

  #hold(entry: Entry<T>): void {
    entry.state = "held";
    const held = this.#held.get(entry.payer) ?? new Set();
    this.#held.set(entry.payer, held.add(entry));
  }

  /** Moves a payer's held entries into their line, as far as the payer may have more. */
  #promote(payer: string): void {
    const held = this.#held.get(payer);
    const active = this.#active.get(payer) ?? new Set<string>();
    for (const entry of held ?? []) {
      if (this.#paused.has(payer) || active.size >= this.#boundedMax) break;
      held?.delete(entry);
      entry.state = "ready";
      active.add(entry.id);
      this.#lineOf(entry).add(entry);
    }
    if (active.size > 0) this.#active.set(payer, active);
    if (held?.size === 0) this.#held.delete(payer);
  }

  #release({ id, payer }: Pick<QueuedPayment, "id" | "payer">): void {
    const active = this.#active.get(payer);
    if (!active?.delete(id)) return;
    if (active.size === 0) this.#active.delete(payer);
    this.#promote(payer);
  }

  #lineOf({ isKeyed, isAlone, isProven }: Entry<T>): FairLine<Entry<T>> {
    const { proven, alone, plain } = this.#linesOf(isKeyed);
    if (!isAlone) return plain;
    return isProven ? proven : alone;
  }

  #linesOf(isKeyed: boolean) {
    return isKeyed ? this.#lines.keyed : this.#lines.keyless;
  }
}
