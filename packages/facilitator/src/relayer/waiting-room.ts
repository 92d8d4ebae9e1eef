/**
 * How many settlements may wait, and whose: keyed and keyless callers have places of their own, and
 * a payer or an account that has many waiting gets no more than what is still free. So n payers leave
 * at least one in n + 1 places to others, however many each of them sends. A payee has no such bound:
 * strangers could fill it up to close a shop, and would be held up by none themselves, since they may
 * pay any address.
 */

/** What the room reads of a settlement. */
export interface Guest {
  /** Of the account (keyed) or the payee (keyless). */
  readonly group: string;
  readonly payer: string;
  /** Whether the caller showed an API key. */
  readonly isKeyed: boolean;
  /** Whether it goes alone in a transaction, as payments of contract wallets do. */
  readonly isAlone: boolean;
}

/**
 * Settlements that may wait, of keyed and of keyless callers each: 100 payers with 5,000 waiting
 * leave room for others, and one wallet carries so many in 15 blocks of eight batches of 50.
 */
export const waitingMax = 6_000;

/** Those of them that go alone in a transaction: the slow way, a few in each block. */
export const waitingAloneMax = 1_000;

/** Counts who waits. */
export class WaitingRoom {
  readonly #counts = new Map<string, number>();
  #size = 0;

  /** Settlements that wait. */
  get size(): number {
    return this.#size;
  }

  hasRoom(guest: Guest): boolean {
    return placesOf(guest).every(({ total, max, shares }) => {
      const free = max - this.#count(total);
      return free > 0 && shares.every((share) => this.#count(share) < free);
    });
  }

  enter(guest: Guest): void {
    this.#change(guest, 1);
  }

  leave(guest: Guest): void {
    this.#change(guest, -1);
  }

  #change(guest: Guest, by: 1 | -1): void {
    this.#size += by;
    for (const { total, shares } of placesOf(guest)) {
      for (const key of [total, ...shares]) {
        const count = this.#count(key) + by;
        if (count > 0) this.#counts.set(key, count);
        else this.#counts.delete(key);
      }
    }
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

/** The counters that a settlement has a place in, with their bounds. */
function placesOf({ isKeyed, isAlone, group, payer }: Guest) {
  const kind = isKeyed ? "keyed" : "keyless";
  const holders = [`payer ${payer}`, ...(isKeyed ? [`account ${group}`] : [])];
  const places = [placeOf(kind, waitingMax, holders)];
  if (isAlone) places.push(placeOf(`${kind} alone`, waitingAloneMax, holders));
  return places;
}

function placeOf(total: string, max: number, holders: readonly string[]) {
  return { total, max, shares: holders.map((holder) => `${total} ${holder}`) };
}
