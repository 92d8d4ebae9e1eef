/**
 * How many settlements may wait. Keyed and keyless callers have separate places, and a payer or account
 * with many waiting gets only a part of the free ones, so 100 payers leave places to others. A payee has
 * no such bound: attackers could fill it to close a shop, and may pay any address themselves.
 */

export interface QueueCandidate {
  /** The account (keyed) or the payee (keyless). */
  readonly group: string;
  readonly payer: string;
  /** Whether the caller showed an API key. */
  readonly isKeyed: boolean;
  /** Whether it needs a transaction of its own, as payments of contract wallets mostly do. */
  readonly isAlone: boolean;
  /** Whether few payments of its payer may be pending at once; those that go alone always. */
  readonly isBounded: boolean;
}

/** The payments of a full batch, where neither the gas price nor the blocks bound it. */
export const fullBatch = 50;

/** For keyed and keyless callers each; one wallet carries as many in 20 blocks of 8 full batches. */
export const waitingMax = 8_000;

/** Smaller batches carry fewer in those blocks, and what waits longer expires in the queue. */
function waitingMaxAt(batchPayments: number): number {
  return batchPayments < fullBatch
    ? Math.ceil((waitingMax * batchPayments) / fullBatch)
    : waitingMax;
}

/** The part of them that needs transactions of its own, of which each block takes a few. */
export const waitingAloneMax = 1_000;

/** So it takes 109 payers to fill the thousand places for payments that go alone. */
const freePerPayer = 25;

/** An account may use as many places as are free: its payers are bounded individually. */
const freePerAccount = 1;

export class QueueCapacity {
  readonly #counts = new Map<string, number>();
  readonly #batchPayments: () => number;
  #size = 0;

  /** `batchPayments` returns how many payments a batch carries now. */
  constructor(batchPayments: () => number) {
    this.#batchPayments = batchPayments;
  }

  get size(): number {
    return this.#size;
  }

  hasRoom(candidate: QueueCandidate): boolean {
    return this.#boundsOf(candidate).every(({ total, max, shares }) => {
      const free = max - this.#count(total);
      return free > 0 && shares.every(({ key, per }) => this.#count(key) * per < free);
    });
  }

  add(candidate: QueueCandidate): void {
    this.#change(candidate, 1);
  }

  remove(candidate: QueueCandidate): void {
    this.#change(candidate, -1);
  }

  #change(candidate: QueueCandidate, by: 1 | -1): void {
    this.#size += by;
    for (const { total, shares } of this.#boundsOf(candidate)) {
      for (const key of [total, ...shares.map((share) => share.key)]) {
        const count = this.#count(key) + by;
        if (count > 0) this.#counts.set(key, count);
        else this.#counts.delete(key);
      }
    }
  }

  #boundsOf(candidate: QueueCandidate) {
    return boundsOf(candidate, waitingMaxAt(this.#batchPayments()));
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

/** The counters that include a settlement, with their bounds. */
function boundsOf({ isKeyed, isAlone, group, payer }: QueueCandidate, places: number) {
  const kind = isKeyed ? "keyed" : "keyless";
  const holders = [
    { name: `payer ${payer}`, per: freePerPayer },
    ...(isKeyed ? [{ name: `account ${group}`, per: freePerAccount }] : []),
  ];
  const bounds = [boundOf(kind, places, holders)];
  if (isAlone) bounds.push(boundOf(`${kind} alone`, waitingAloneMax, holders));
  return bounds;
}

function boundOf(
  total: string,
  max: number,
  holders: readonly { readonly name: string; readonly per: number }[],
) {
  return { total, max, shares: holders.map(({ name, per }) => ({ key: `${total} ${name}`, per })) };
}
