/**
 * Payments with an outcome, the oldest reservation first: what a window of time has cost, and what
 * lies before it. The window follows the clock, so each payment is added once and subtracted once,
 * however many there are.
 */
import type { LedgerRecord, LedgerScope } from "./ledger.ts";

export class ClosedPayments {
  #records: LedgerRecord[] = [];
  /** Records before this index are dropped; the array is cut when they are half of it. */
  #first = 0;
  /** Index of the first record in the window. */
  #start = 0;
  #since = -Infinity;
  /** Base units in the window, by scope. */
  readonly #spent = new Map<string, bigint>();

  add(record: LedgerRecord): void {
    const at = this.#indexAfter(record.reservedAt);
    // Nearly always the end, where nothing has to move.
    this.#records.splice(at, 0, record);
    if (record.reservedAt > this.#since) this.#count(record, 1n);
    else this.#start += 1;
  }

  remove(record: LedgerRecord): void {
    const at = this.#records.lastIndexOf(record, this.#indexAfter(record.reservedAt) - 1);
    this.#records.splice(at, 1);
    if (at >= this.#start) this.#count(record, -1n);
    else this.#start -= 1;
  }

  /** What was reserved after `since` (Unix milliseconds) and not released, in base units. */
  spentUnits(scope: LedgerScope, since: number): bigint {
    this.#moveTo(since);
    return this.#spent.get(keyOf(scope)) ?? 0n;
  }

  /** Drops those reserved until `time`: all that were released, and of the others all but the newest. */
  dropUntil(time: number, keptMax: number): readonly LedgerRecord[] {
    this.#moveTo(time);
    const old = this.#records.slice(this.#first, this.#start);
    const settled = old.filter(({ state }) => state !== "released");
    const kept = new Set(settled.slice(Math.max(0, settled.length - keptMax)));
    if (kept.size === 0 && this.#start * 2 < this.#records.length) {
      this.#first = this.#start;
    } else {
      this.#records = [...kept, ...this.#records.slice(this.#start)];
      this.#first = 0;
      this.#start = kept.size;
    }
    return old.filter((record) => !kept.has(record));
  }

  #moveTo(since: number): void {
    this.#since = since;
    for (let next = this.#records[this.#start]; next && next.reservedAt <= since;) {
      this.#count(next, -1n);
      next = this.#records[++this.#start];
    }
    // A clock that was set back.
    while (this.#start > this.#first) {
      const before = this.#records[this.#start - 1];
      if (!before || before.reservedAt <= since) break;
      this.#count(before, 1n);
      this.#start -= 1;
    }
  }

  #count(record: LedgerRecord, times: bigint): void {
    if (record.state === "released") return;
    const key = keyOf(record);
    this.#spent.set(key, (this.#spent.get(key) ?? 0n) + times * record.amountUnits);
  }

  /** The index after all records of this time or an earlier one. */
  #indexAfter(time: number): number {
    let [low, high] = [this.#first, this.#records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#records[middle]?.reservedAt ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const keyOf = ({ wallet, network, asset }: LedgerScope): string =>
  `${network} ${wallet} ${asset}`.toLowerCase();
