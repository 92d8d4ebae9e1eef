/** Spending limits: on unless raised, written in USDC decimals, held in base units. */
import { parseUsdc } from "@farthing/protocol";

/** Amounts are USDC decimals such as `"0.10"`. */
export interface LimitsInput {
  /** Most that one payment may cost. */
  readonly perCall?: string;
  /** Most in any 24 hours for one wallet, network and asset; `false` for no such limit. */
  readonly perDay?: string | false;
  /** Above this the approver is asked, where there is one. */
  readonly askAbove?: string;
  /** Most payments without an outcome, at all sellers together. */
  readonly openPayments?: number;
  /** Most of them at one host; `openPayments` where only that is set. */
  readonly openPaymentsPerHost?: number;
}

export interface Limits {
  readonly perCallUnits: bigint;
  readonly perDayUnits: bigint | undefined;
  readonly askAboveUnits: bigint;
  readonly openPaymentsMax: number;
  readonly openPaymentsPerHostMax: number;
}

/** Ten times the usual price of an API call, a loss that is easy to bear. */
export const perCallDefault = "0.10";
/** Twenty calls at the highest price; stops an unattended loop. */
export const perDayDefault = "2";
/** Half of the limit per call: more is unusual enough for a question. */
export const askAboveDefault = "0.05";
/** More unresolved payments at one host are a retry storm, not work. */
export const openPaymentsPerHostDefault = 5;
/** Four hosts that never respond leave room for the others, until their payments expire. */
export const openPaymentsDefault = 20;
/** The window of the limit per day, rolling. */
export const dayMs = 24 * 60 * 60 * 1000;

/** Throws a TypeError that names the invalid value. */
export function parseLimits(input: LimitsInput = {}): Limits {
  const { perDay = perDayDefault } = input;
  const perHost = input.openPaymentsPerHost ?? input.openPayments ?? openPaymentsPerHostDefault;
  return {
    perCallUnits: amount("limits.perCall", input.perCall ?? perCallDefault),
    perDayUnits: perDay === false ? undefined : amount("limits.perDay", perDay),
    askAboveUnits: amount("limits.askAbove", input.askAbove ?? askAboveDefault),
    openPaymentsMax: count("limits.openPayments", input.openPayments ?? openPaymentsDefault),
    openPaymentsPerHostMax: count("limits.openPaymentsPerHost", perHost),
  };
}

/** Reads USDC decimals. Throws a TypeError that names the value. */
export function amount(name: string, text: string): bigint {
  const units = parseUsdc(text);
  if (units === undefined) {
    throw new TypeError(`${name} is an amount in USDC with at most 6 decimals, such as "0.10".`);
  }
  return units;
}

function count(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new TypeError(`${name} is a whole number above 0.`);
}
