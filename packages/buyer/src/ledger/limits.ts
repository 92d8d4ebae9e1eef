/** Spending limits: on unless raised, written in USDC decimals, held in base units. */
import { parseUsdc } from "@farthing/protocol";

/** What a caller may set. Amounts are USDC decimals such as `"0.10"`. */
export interface LimitsInput {
  /** Most that one payment may cost. */
  readonly perCall?: string;
  /** Most in any 24 hours for one wallet, network and asset; `false` takes this limit away. */
  readonly perDay?: string | false;
  /** Above this the approver is asked, where there is one. */
  readonly askAbove?: string;
  /** Most payments whose outcome is not known yet. */
  readonly openPayments?: number;
}

/** The limits in force, in base units. */
export interface Limits {
  readonly perCallUnits: bigint;
  readonly perDayUnits: bigint | undefined;
  readonly askAboveUnits: bigint;
  readonly openPaymentsMax: number;
}

/** One call: ten times the usual price of an API call, a loss that hurts nobody. */
export const perCallDefault = "0.10";
/** A day: twenty calls at the highest price; stops a loop that nobody watches. */
export const perDayDefault = "2";
/** Half of the limit per call: what is above is unusual enough for a question. */
export const askAboveDefault = "0.05";
/** More than this unresolved at once is a retry storm, not work. */
export const openPaymentsDefault = 5;
/** The window of the limit per day, rolling. */
export const dayMs = 24 * 60 * 60 * 1000;

/** Reads limits; throws a TypeError that names the one that is no amount. */
export function parseLimits(input: LimitsInput = {}): Limits {
  const { perDay = perDayDefault, openPayments = openPaymentsDefault } = input;
  if (!Number.isSafeInteger(openPayments) || openPayments < 1) {
    throw new TypeError("limits.openPayments is a whole number above 0.");
  }
  return {
    perCallUnits: amount("limits.perCall", input.perCall ?? perCallDefault),
    perDayUnits: perDay === false ? undefined : amount("limits.perDay", perDay),
    askAboveUnits: amount("limits.askAbove", input.askAbove ?? askAboveDefault),
    openPaymentsMax: openPayments,
  };
}

/** Reads one amount in USDC decimals; throws a TypeError that names it. */
export function amount(name: string, text: string): bigint {
  const units = parseUsdc(text);
  if (units === undefined) {
    throw new TypeError(`${name} is an amount in USDC with at most 6 decimals, such as "0.10".`);
  }
  return units;
}
