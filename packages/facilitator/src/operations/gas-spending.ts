/** The gas that the wallets of a network spend, by their balances: also what no row of ours tells of. */

const dayMs = 24 * 60 * 60_000;

/** What is spent differs with the time of day, so a rate is that of a day where so much is known. */
const windowMs = dayMs;

/** A shorter observation would make one busy minute a rate. */
const windowMsMin = 60 * 60_000;

/** One a minute for a day, and some for a clock that is set. */
const samplesMax = 1_500;

export interface GasSpending {
  /** Returns what each wallet has spent since the last call, in wei. A refill hides what came with it. */
  note(nowMs: number, balances: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint>;
  /** How long the pool's gas lasts at the rate of the last day; undefined while that is not known. */
  runwayDays(): number | undefined;
}

export function createGasSpending(): GasSpending {
  let last = new Map<string, bigint>();
  let samples: { readonly atMs: number; readonly wei: bigint }[] = [];
  return {
    note(nowMs, balances) {
      const spent = new Map(
        [...balances].map(([wallet, balance]) => {
          const before = last.get(wallet) ?? balance;
          return [wallet, before > balance ? before - balance : 0n];
        }),
      );
      last = new Map(balances);
      samples = samples.filter(({ atMs }) => atMs > nowMs - windowMs && atMs <= nowMs);
      samples = [...samples, { atMs: nowMs, wei: sumOf(spent) }].slice(-samplesMax);
      return spent;
    },
    runwayDays() {
      const [first] = samples;
      const observedMs = (samples.at(-1)?.atMs ?? 0) - (first?.atMs ?? 0);
      // The first sample tells of a time before it.
      const wei = samples.slice(1).reduce((sum, sample) => sum + sample.wei, 0n);
      if (observedMs < windowMsMin || wei === 0n) return undefined;
      return (Number(sumOf(last)) / Number(wei)) * (observedMs / dayMs);
    },
  };
}

function sumOf(amounts: ReadonlyMap<string, bigint>): bigint {
  return [...amounts.values()].reduce((sum, amount) => sum + amount, 0n);
}
