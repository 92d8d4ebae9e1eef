/**
 * Limits of callers without an API key: settlements and USDC per payer, and gas per day and per
 * caller network. The gas budget of a day is a bucket that refills by the hour, in two halves: the
 * open half for every payee, the proven half for payees that others have paid before. A third party
 * that empties the open half does not stop established shops. Gas is counted in gwei, which keeps a
 * year's worth in an exact number.
 */

/** The budget and the gas of one settlement by the kind of payer, in gwei. */
export interface KeylessGas {
  /** Per day. After a quiet day the bucket is full, so 24 hours cost at most twice as much. */
  readonly budgetGwei: number;
  readonly plainGwei: number;
  readonly contractGwei: number;
}

export interface KeylessTerms {
  /** The caller's network: IPv4 /24, IPv6 /48. */
  readonly callerNetwork: string;
  /** Settlements of one payer in 24 hours; null for no limit. */
  readonly payerCountMax: number | null;
  readonly gas: KeylessGas | null;
}

/** In the order in which payments to a proven payee draw on them. */
export const gasHalves = ["proven", "open"] as const;
export type GasHalf = (typeof gasHalves)[number];

/** Share of a half at which new questions are refused; the rest is for payments found valid. */
const questionsShare = 0.95;

/** From this share of a half on, payments that `/verify` finds valid are noted. */
export const notedShare = 0.8;

/** Share of a half that one caller network may use without waiting. */
const freeShare = 1 / 20;

/** Share of a half at which one caller network stops. */
const networkShare = 1 / 10;

/**
 * A caller network beyond its free share is served only while less than this share of the half is
 * used, so that the rest stays for networks that have used less.
 */
const waitingShare = 1 / 2;

export const hourMs = 60 * 60 * 1000;
export const hoursPerDay = 24;

/** Budgets of gas refill at the full hour. */
export function secondsToRefill(nowMs: number): number {
  return Math.ceil((hourMs - (nowMs % hourMs)) / 1000);
}

/** A payee is proven by final settlements from this many payers on this many days. */
export const provenPayers = 5;
export const provenDays = 3;

export function halfOf(budgetGwei: number): number {
  return Math.floor(budgetGwei / 2);
}

/** The hourly refill of a half, and of one caller network's share. */
export function refillOf(budgetGwei: number): { readonly half: number; readonly network: number } {
  const half = halfOf(budgetGwei);
  return {
    half: Math.ceil(half / hoursPerDay),
    network: Math.ceil((half * networkShare) / hoursPerDay),
  };
}

/** The use of a bucket `hours` after it was counted. */
export function usedAfter(used: number, refillPerHour: number, hours: number): number {
  return Math.max(0, used - refillPerHour * Math.max(0, hours));
}

/** The reasons for which no half admits a payment. */
const gasRefusals = ["caller_gas_share_used", "keyless_gas_exhausted"] as const;
export type GasRefusal = (typeof gasRefusals)[number];

export function isGasRefusal(code: string): code is GasRefusal {
  return gasRefusals.some((one) => one === code);
}

/** The use of a half by all callers, and by the caller's network. */
export interface HalfUse {
  readonly all: number;
  readonly network: number;
}

/** Returns the half that a payment may draw on, or the reason for which there is none. */
export function chooseHalf(options: {
  readonly budgetGwei: number;
  readonly costGwei: number;
  readonly isProven: boolean;
  /** `/verify` found the payment valid before, so it may use what is closed to new questions. */
  readonly isNoted: boolean;
  readonly useOf: (half: GasHalf) => HalfUse;
}): { readonly half: GasHalf } | { readonly refusal: GasRefusal } {
  const { costGwei, isProven, isNoted, useOf } = options;
  const size = halfOf(options.budgetGwei);
  const closesAt = size * (isNoted ? 1 : questionsShare);
  let refusal: GasRefusal = "keyless_gas_exhausted";
  for (const half of gasHalves) {
    if (half === "proven" && !isProven) continue;
    const { all, network } = useOf(half);
    if (all + costGwei > closesAt) refusal = "keyless_gas_exhausted";
    else if (network + costGwei > size * networkShare) refusal = "caller_gas_share_used";
    else if (network > size * freeShare && all + costGwei > size * waitingShare) {
      refusal = "caller_gas_share_used";
    } else return { half };
  }
  return { refusal };
}
