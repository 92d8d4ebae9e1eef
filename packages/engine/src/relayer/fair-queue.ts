/**
 * Which settlements go next. Keyed callers go before keyless ones, which still get every fourth
 * transaction; within each class turns are shared out as fair-line.ts says. Payments that go alone in
 * a transaction, those of contract wallets above all, have a bounded share of what a relayer may
 * have on its way, and each payer has few of them at once; wallets that have paid before go first.
 * Pure: no clock, no I/O.
 */
import { FairLine } from "./fair-line.ts";
import { WaitingRoom, type Guest } from "./queue-capacity.ts";

/** What the queue reads of a settlement. */
export interface QueuePlace extends Guest {
  readonly id: string;
  /** When it was claimed, in milliseconds: the oldest of a flow goes first. */
  readonly since: number;
}

/** Transactions that are on their way, and how many may be. */
export interface TransactionUse {
  /** How many may be on their way, all wallets together. */
  readonly capacity: number;
  /** Those led by a keyless caller's settlement. */
  readonly keyless: number;
  /** Those that carry one payment alone, of either class and of keyless callers. */
  readonly alone: number;
  readonly keylessAlone: number;
  /** Whether keyed callers come now and then: something is kept free for them then. */
  readonly hasKeyedCallers: boolean;
}

/** What one transaction carries. */
export interface QueueGroup<T> {
  readonly values: readonly T[];
  readonly isKeyed: boolean;
  readonly isAlone: boolean;
}

interface Entry<T> extends QueuePlace {
  readonly value: T;
  readonly order: number;
  /** Its payer is a contract wallet that has paid before: see storage/proven-payers.ts. */
  isProven: boolean;
  /** `ready`: in a line; `held`: the payer has as many on their way as allowed, or is paused. */
  state: "ready" | "held" | "putOff" | "taken";
}

/** Turns in a row that keyed callers have while keyless ones wait. */
const keyedTurnsMax = 3;

/** Turns in a row that proven contract wallets have while others of their class wait. */
const provenTurnsMax = 3;

/** Eighths of the capacity that keyless callers do not use while keyed ones come now and then. */
const keptForKeyed = 2;

/**
 * Eighths of the capacity for payments that go alone: they carry one payment where others carry
 * fifty. Beside plain payments keyless ones have half of what keyless callers have, so that with four wallets
 * an unknown contract wallet leaves within ten blocks among 100 hostile ones; plain payments keep the
 * other half, 150 of them in a block of one wallet. Also when nothing else
 * waits, enough is left for what comes next.
 */
const aloneShares = {
  amongOthers: { all: 4, keyless: 3 },
  otherwise: { all: 6, keyless: 5 },
};

/** The share of a capacity, at least one transaction. */
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

/** The queue of one network; T is what is carried. */
export class FairQueue<T> {
  readonly #room = new WaitingRoom();
  readonly #entries = new Map<string, Entry<T>>();
  readonly #putOff = new Set<Entry<T>>();
  readonly #lines = { keyed: newLines<T>(), keyless: newLines<T>() };
  /** Entries that go alone and wait for their payer, by payer, oldest first. */
  readonly #held = new Map<string, Set<Entry<T>>>();
  /** Settlements that go alone and are ready or on their way, by payer. */
  readonly #active = new Map<string, Set<string>>();
  /** Those on their way: their payer, and since when. */
  readonly #carried = new Map<string, { readonly payer: string; readonly sinceMs: number }>();
  readonly #paused = new Map<string, number>();
  readonly #aloneMax: number;
  #keyedTurns = 0;
  #provenTurns = 0;
  /** Classes whose last transaction carried one payment alone. */
  readonly #wentAlone = new Set<boolean>();

  /** `aloneMax`: payments of one payer at once, as far as they go alone. */
  constructor(aloneMax: number) {
    this.#aloneMax = aloneMax;
  }

  /** Settlements that wait, put off or not. */
  get size(): number {
    return this.#room.size;
  }

  /** Those that could go now. */
  get readySize(): number {
    const lines = Object.values(this.#lines).flatMap((ofClass) => Object.values(ofClass));
    return lines.reduce((sum, { size }) => sum + size, 0);
  }

  hasRoom(guest: Guest): boolean {
    return this.#room.hasRoom(guest);
  }

  /** Keeps a place for a settlement that is being claimed; call what it returns when that ended. */
  reserve(guest: Guest): (() => void) | undefined {
    if (!this.#room.hasRoom(guest)) return undefined;
    this.#room.enter(guest);
    return () => this.#room.leave(guest);
  }

  /** Takes a settlement in; `since` may be older than that of others. */
  add(place: QueuePlace, value: T): void {
    if (this.#entries.has(place.id)) return;
    // One that comes back from a transaction is not on its way any more.
    this.end(place.id);
    this.#room.enter(place);
    this.#insert({ ...place, value, order: place.since, isProven: false, state: "ready" });
  }

  /** The settlements of the next transaction, `batchMax` at most; they are the caller's from then on. */
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

  /** Puts taken settlements off until `resume`. */
  putOff(id: string, value: T, nowMs: number): void {
    const entry = this.#entries.get(id);
    if (entry?.state !== "taken") return;
    this.#release(entry);
    const again: Entry<T> = { ...entry, value, order: nowMs, state: "putOff" };
    this.#entries.set(id, again);
    this.#room.enter(again);
    this.#putOff.add(again);
  }

  /** Takes up what was put off, and payers whose pause is over. */
  resume(nowMs: number): void {
    for (const [payer, until] of this.#paused) if (until <= nowMs) this.#paused.delete(payer);
    const again = [...this.#putOff];
    this.#putOff.clear();
    for (const entry of again) this.#insert({ ...entry, state: "ready" });
    for (const payer of Array.from(this.#held.keys())) this.#promote(payer);
  }

  /** Taken settlements are on their way: those that go alone keep their payer busy until `end`. */
  carry(id: string, nowMs: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    if (entry.isAlone) this.#carried.set(id, { payer: entry.payer, sinceMs: nowMs });
  }

  /** Ends what was taken and neither put off nor carried. */
  drop(id: string): void {
    const entry = this.#entries.get(id);
    if (entry?.state !== "taken") return;
    this.#entries.delete(id);
    this.#release(entry);
  }

  /** A settlement's payer is proven: it goes before those of other contract wallets from now on. */
  prove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry || entry.isProven) return;
    if (entry.state === "ready") this.#lineOf(entry).remove(entry);
    entry.isProven = true;
    if (entry.state === "ready") this.#lineOf(entry).add(entry);
  }

  /** Forgets a settlement, whether it waits or is on its way. */
  end(id: string): void {
    const entry = this.#entries.get(id);
    const carried = this.#carried.get(id);
    this.#carried.delete(id);
    if (carried) this.#release({ id, payer: carried.payer });
    if (!entry) return;
    this.#entries.delete(id);
    if (entry.state !== "taken") this.#room.leave(entry);
    this.#putOff.delete(entry);
    this.#lineOf(entry).remove(entry);
    this.#held.get(entry.payer)?.delete(entry);
    this.#release(entry);
  }

  /** A payer's payments that go alone wait until a time. */
  pause(payer: string, untilMs: number): void {
    this.#paused.set(payer, untilMs);
  }

  /** Lets go of payments on their way since before a time, of which nobody told the end. */
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
    // The rest of a transaction that goes anyway is for the other class.
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
      this.#room.enter(entry);
      this.#release(entry);
      this.#hold(entry);
    }
    return taken[0];
  }

  #takeFrom(line: FairLine<Entry<T>>, into: Entry<T>[]): void {
    const entry = line.take();
    if (!entry) return;
    entry.state = "taken";
    this.#room.leave(entry);
    into.push(entry);
  }

  #insert(entry: Entry<T>): void {
    this.#entries.set(entry.id, entry);
    if (!entry.isAlone) return this.#lineOf(entry).add(entry);
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
      if (this.#paused.has(payer) || active.size >= this.#aloneMax) break;
      held?.delete(entry);
      entry.state = "ready";
      active.add(entry.id);
      this.#lineOf(entry).add(entry);
    }
    if (active.size > 0) this.#active.set(payer, active);
    if (held?.size === 0) this.#held.delete(payer);
  }

  #release({ id, payer }: Pick<QueuePlace, "id" | "payer">): void {
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
