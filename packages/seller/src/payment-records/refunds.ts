/** What payment records do for a refund, for every store. */
import { member, type SettleResponse } from "@farthing/protocol";
import type { SettledRequest } from "../events.ts";

/** One refund of a payment, whichever process makes it. */
export interface RefundName {
  /** Of the payment's record. */
  readonly key: string;
  readonly ordinal: number;
}

export type Debit =
  /** What goes back, in base units. */
  | { readonly kind: "debited"; readonly amount: bigint }
  /** Another amount has been taken out for this refund, and has to go back first. */
  | { readonly kind: "begun"; readonly amount: bigint }
  /** Nothing is left to go back. */
  | { readonly kind: "spent" };

export interface RefundRecords {
  /** Ends the kept response and the pass of a payment. Returns what the payment has opened. */
  close(key: string, payment: SettledRequest): Promise<"pass" | "balance" | undefined>;
  /**
   * Takes a refund out of the balance that the payment has topped up: once, and at most what is left.
   * Without an amount, what is left goes back, at most `rest`; an amount that is asked for goes back
   * whatever is left.
   */
  debit(name: RefundName, asked: bigint | undefined, rest: bigint): Promise<Debit>;
  /**
   * Notes that a refund begins and when its authorization ends, in Unix seconds. Returns the end that
   * was noted before, so that processes which refund at once sign the same.
   */
  begin(name: RefundName, asked: string, validBefore: bigint): Promise<bigint>;
  /** Whether a refund was begun by this call, and its caller did not learn how it went. */
  isUntold(name: RefundName, asked: string): Promise<boolean>;
  markTold(name: RefundName, asked: string): Promise<void>;
}

/** Whether the money of a delivered payment goes back. */
export function isRefunded({ extra }: SettleResponse): boolean {
  return extra !== undefined && member(extra, "refunded") === true;
}
