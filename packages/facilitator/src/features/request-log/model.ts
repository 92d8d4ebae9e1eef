/** A call that was made with an API key, as its account reads it later. */
import type { Address } from "@farthing/protocol";
import type { KeyMode } from "../../http/access/request-key.ts";

/** Calls are kept this long: a seller looks for last month's problem at most. */
export const keptDays = 30;

/** The newest calls of an account that are kept: 10 MB of database, and a day of a busy shop. */
export const keptCallsMax = 10_000;

/** What was asked for. Payments are described by their terms; signatures are left out. */
export interface AskedTerms {
  readonly network?: string;
  /** In base units. */
  readonly amount?: string;
  readonly payer?: Address;
  readonly payTo?: Address;
  readonly settlementId?: string;
}

export interface CallResult {
  /** The code of a refusal or an error; null when there was none. */
  readonly code: string | null;
  readonly message: string | null;
  /** `valid` or `invalid`, or the state of the settlement. */
  readonly result: string | null;
  readonly settlementId: string | null;
  readonly transaction: string | null;
}

/** Times are milliseconds, those without a duration since 1970. */
export interface LoggedCall extends CallResult {
  /** `X-Request-Id` of the response. */
  readonly requestId: string;
  readonly account: Address;
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly createdAt: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly asked: AskedTerms;
}

/** Calls that were refused have a code, whatever their status. */
export const statusClasses = ["2xx", "4xx", "5xx", "refused"] as const;

export const hourMs = 60 * 60_000;

/** Hours of the chart of an account's calls. */
export const chartHours = 24;

/** The calls of an hour by how they ended; each is in one of the three. */
export interface CallHour {
  /** Hours since 1970. */
  readonly hour: number;
  readonly answered: number;
  /** With a code, or with a status of 4xx. */
  readonly refused: number;
  /** With a status of 5xx. */
  readonly failed: number;
}

export interface CallFilter {
  readonly status?: (typeof statusClasses)[number] | undefined;
  /** A part of the path. */
  readonly path?: string | undefined;
  readonly keyId?: string | undefined;
  readonly mode?: KeyMode | undefined;
}
