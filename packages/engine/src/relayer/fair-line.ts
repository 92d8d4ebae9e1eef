/**
 * A line whose turns go alternately to groups (the account or the payee) and to payers, one entry each.
 * So many payers of one group delay no other group, and many groups of one payer delay no other payer.
 * Within a flow the oldest entry goes first.
 */

export interface LineEntry {
  readonly group: string;
  readonly payer: string;
  /** The order within a flow: milliseconds of the claim, or of the last try. */
  readonly order: number;
}

/** Entries of one flow, lowest order first, then first come first served. */
class Flow<T extends LineEntry> {
  readonly #entries: T[] = [];

  get size(): number {
    return this.#entries.length;
  }

  push(entry: T): void {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.order ?? 0) <= entry.order) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, entry);
  }

  pop(): T | undefined {
    return this.#entries.shift();
  }
}

/** Used keys at the front of a rotation before its array is shortened. */
const droppedMax = 1_024;

/** Takes one entry from each flow in turn. */
class Rotation<T extends LineEntry> {
  readonly #keyOf: (entry: T) => string;
  readonly #flows = new Map<string, Flow<T>>();
  #keys: string[] = [];
  #next = 0;
  /** Stored entries, including those taken through another rotation. */
  stored = 0;

  constructor(keyOf: (entry: T) => string) {
    this.#keyOf = keyOf;
  }

  push(entry: T): void {
    const key = this.#keyOf(entry);
    let flow = this.#flows.get(key);
    if (!flow) {
      flow = new Flow();
      this.#flows.set(key, flow);
      this.#keys.push(key);
    }
    flow.push(entry);
    this.stored++;
  }

  take(isWaiting: (entry: T) => boolean): T | undefined {
    for (let key = this.#nextKey(); key !== undefined; key = this.#nextKey()) {
      const flow = this.#flows.get(key);
      let entry = this.#popOf(flow);
      while (entry && !isWaiting(entry)) entry = this.#popOf(flow);
      if (flow?.size) this.#keys.push(key);
      else this.#flows.delete(key);
      if (entry) return entry;
    }
    return undefined;
  }

  #popOf(flow: Flow<T> | undefined): T | undefined {
    const entry = flow?.pop();
    if (entry) this.stored--;
    return entry;
  }

  #nextKey(): string | undefined {
    const key = this.#keys[this.#next];
    if (key === undefined) return undefined;
    this.#next++;
    if (this.#next >= droppedMax && this.#next * 2 >= this.#keys.length) {
      this.#keys = this.#keys.slice(this.#next);
      this.#next = 0;
    }
    return key;
  }
}

/** Taken entries that a rotation may store beside twice the waiting ones. */
const staleMax = 1_024;

export class FairLine<T extends LineEntry> {
  readonly #waiting = new Set<T>();
  #rotations = this.#newRotations();
  #turn = 0;

  get size(): number {
    return this.#waiting.size;
  }

  add(entry: T): void {
    this.#waiting.add(entry);
    for (const rotation of this.#rotations) rotation.push(entry);
  }

  /** Takes the entry whose turn it is. */
  take(): T | undefined {
    const rotation = this.#rotations[this.#turn];
    this.#turn = (this.#turn + 1) % this.#rotations.length;
    const entry = rotation?.take((one) => this.#waiting.has(one));
    if (entry) this.remove(entry);
    return entry;
  }

  remove(entry: T): void {
    this.#waiting.delete(entry);
    const storedMax = 2 * this.#waiting.size + staleMax;
    if (this.#rotations.some(({ stored }) => stored > storedMax)) this.#rebuild();
  }

  #rebuild(): void {
    this.#rotations = this.#newRotations();
    for (const entry of this.#waiting) {
      for (const rotation of this.#rotations) rotation.push(entry);
    }
  }

  #newRotations(): readonly Rotation<T>[] {
    return [new Rotation<T>(({ group }) => group), new Rotation<T>(({ payer }) => payer)];
  }
}
