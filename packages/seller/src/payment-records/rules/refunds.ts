/** What payment records do for a refund, for every store. */
import { member, type SettleResponse } from "@farthing/protocol";
import type { SettledRequest } from "../../events.ts";

/** One refund of a payment, whichever process makes it. */
export interface RefundName {
  /** Of the payment's record. */
  readonly key: string;
  readonly ordinal: number;
}

export type Debit =
  /** What goes back, in base units. */
  | { readonly kind: "debited"; readonly amount: bigint }
  /** The refund was begun with this amount, which has to go back first. */
  | { readonly kind: "begun"; readonly amount: bigint }
  /** Nothing is left to go back. */
  | { readonly kind: "spent" };

/** A payment that has topped up a balance. */
export interface ToppedUp {
  /** Of the payment's record. */
  readonly key: string;
  /** Absent where the facilitator names no settlement. */
  readonly settlementId?: string;
  /** Whether it pays for nothing yet, because it is not known to be final. */
  readonly isOpen: boolean;
  /** The ordinals of its refunds that were debited. */
  readonly debited: readonly number[];
}

export interface RefundRecords {
  /** Ends the kept response and the pass of a payment. Returns what the payment has opened. */
  close(key: string, payment: SettledRequest): Promise<"pass" | "balance" | undefined>;
  /**
   * Takes a refund out of the balance that the payment has topped up: once, and at most what is left.
   * Without an amount, what is left goes back, at most `rest`; an amount that is asked for goes back
   * whatever is left. The first call decides the amount, also among calls at the same time.
   */
  debit(name: RefundName, asked: bigint | undefined, rest: bigint): Promise<Debit>;
  /** Puts back what was taken out for a refund that no one can make. It can then have another amount. */
  reverse(name: RefundName): Promise<void>;
  /** Returns what is left of a balance, in base units, and its top-ups, oldest first. */
  heldIn(
    balanceId: string,
  ): Promise<{ readonly left: bigint; readonly topUps: readonly ToppedUp[] } | undefined>;
  /** Opens a top-up whose payment is final. Returns what is left of its balance. */
  openTopUp(balanceId: string, key: string): Promise<bigint>;
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
