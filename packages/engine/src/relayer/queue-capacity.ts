/**
 * How many settlements may wait, and whose: keyed and keyless callers have places of their own, and a
 * payer or an account that has many waiting gets no more than a part of what is still free. So 100
 * payers leave places to others, however many each of them sends and in whatever order they come. A
 * payee has no such bound: strangers could fill it up to close a shop, and would be held up by none
 * themselves, since they may pay any address.
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
 * leave room for others, and one wallet carries so many in 20 blocks of eight batches of 50.
 */
export const waitingMax = 8_000;

/** Those of them that go alone in a transaction: the slow way, a few in each block. */
export const waitingAloneMax = 1_000;

/**
 * A payer may have this part of the free places waiting: each next one leaves 25 of 26 free places,
 * so that it takes 109 payers to fill the thousand places for payments that go alone.
 */
const freePerPayer = 25;

/** An account may have as much waiting as is free: its payers are bounded one by one. */
const freePerAccount = 1;

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
      return free > 0 && shares.every(({ key, per }) => this.#count(key) * per < free);
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
      for (const key of [total, ...shares.map((share) => share.key)]) {
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
  const holders = [
    { name: `payer ${payer}`, per: freePerPayer },
    ...(isKeyed ? [{ name: `account ${group}`, per: freePerAccount }] : []),
  ];
  const places = [placeOf(kind, waitingMax, holders)];
  if (isAlone) places.push(placeOf(`${kind} alone`, waitingAloneMax, holders));
  return places;
}

function placeOf(
  total: string,
  max: number,
  holders: readonly { readonly name: string; readonly per: number }[],
) {
  return { total, max, shares: holders.map(({ name, per }) => ({ key: `${total} ${name}`, per })) };
}
