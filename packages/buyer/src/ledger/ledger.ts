/**
 * What was promised and spent: one record per logical request, and the states it goes through.
 *
 * ```
 * reserved → signed → sent → settled
 *     │        │        ├→ ambiguous → settled | released | expired
 *     └────────┴────────┴→ released | expired → settled | released
 * ```
 *
 * Everything but `released` counts against the limits. `released` is the only state that allows
 * a new signature: never signed, or proven unused on the chain. The seller's word "failed" is no
 * such proof, for it holds a valid authorization until `validBefore`. `expired` ends a payment by
 * the clock where the chain could not be asked: nobody can use the authorization any more, and
 * whether somebody did is not known, so its amount stays spent for the window of the limit.
 */
import type { Address, Hex, SettleResponse } from "@farthing/protocol";

/** Where a payment stands, see the file's head. */
export type LedgerState =
  | "reserved"
  | "signed"
  | "sent"
  | "ambiguous"
  | "settled"
  | "released"
  | "expired";

/** Which states a record may go to. `settled` is final: the money moved. */
export const ledgerTransitions: Readonly<Record<LedgerState, readonly LedgerState[]>> = {
  reserved: ["signed", "released"],
  // Settled at once: the process that sent it died before it could say so, and the chain knows.
  signed: ["sent", "settled", "released", "expired"],
  sent: ["settled", "ambiguous", "released", "expired"],
  ambiguous: ["settled", "ambiguous", "released", "expired"],
  settled: [],
  released: [],
  // The chain can still be asked later.
  expired: ["settled", "released"],
};

/** What is reserved before anything is signed. */
export interface Reservation {
  readonly requestId: string;
  /** Binds the id to method, URL and body: the same id with another request is an error. */
  readonly fingerprint: string;
  readonly wallet: Address;
  /** CAIP-2. */
  readonly network: string;
  readonly asset: Address;
  readonly amountUnits: bigint;
  readonly payTo: Address;
  /** Host and port of the seller. */
  readonly host: string;
  /** What a resume sends again; absent in records that only count. */
  readonly request?: KeptRequest;
  /** Unix milliseconds. */
  readonly reservedAt: number;
}

/** The request as it is kept for sending it again. It holds no header that may be a secret. */
export interface KeptRequest {
  readonly method: string;
  readonly url: string;
  /** Those of {@link keptHeaderNames} that it had. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Names of the others: a resume needs their values from the caller again. */
  readonly headersLeftOut: readonly string[];
  /** SHA-256 of the body, of nothing when there is none. */
  readonly bodyHash: Hex;
  /** Base64; absent when there is none, or when it is longer than {@link keptBodyBytesMax}. */
  readonly body?: string;
  readonly bodyBytes: number;
}

/** Headers that are kept with a request: what it asks for, never who asks. */
export const keptHeaderNames: readonly string[] = ["accept", "accept-language", "content-type"];

/** Longer bodies are kept as their hash alone: a ledger is read whole, line by line. */
export const keptBodyBytesMax = 64 * 1024;

/** The signed payment, complete: a resend is these bytes again. Secret until it has settled. */
export interface SignedPayment {
  readonly url: string;
  readonly headerName: string;
  readonly headerValue: string;
  readonly version: 1 | 2;
  readonly nonce: Hex;
  /** Unix seconds. */
  readonly validBefore: number;
}

/** One logical request. */
export interface LedgerRecord extends Reservation {
  readonly state: LedgerState;
  readonly signed?: SignedPayment;
  /** The hash the seller named; proof only when the state is `settled`. */
  readonly transaction?: Hex;
  /** How often this request was signed for and released before; 0 at first. */
  readonly attempt: number;
  /** What came back, present from the first answer on. */
  readonly answer?: KeptAnswer;
  /** How it is known that a settled payment is settled. */
  readonly evidence?: Evidence;
  /** When that became known, in Unix milliseconds. */
  readonly settledAt?: number;
}

/** `receipt`: the seller's word for exactly this payment. `chain`: the transaction was read. */
export type Evidence = "receipt" | "chain";

/** The last answer to the paid request. */
export interface KeptAnswer {
  readonly status: number;
  /** SHA-256 of the content; absent when it was streamed on unread. */
  readonly bodyHash?: Hex;
  /** The seller's receipt as read, true or not. */
  readonly receipt?: SettleResponse;
  /** The seller says that it charged nothing. That is its word and no proof. */
  readonly saysUncharged?: true;
}

/** A move to the next state, with what it brings. */
export interface LedgerTransition {
  readonly state: LedgerState;
  readonly signed?: SignedPayment;
  readonly transaction?: Hex;
  readonly answer?: KeptAnswer;
  readonly evidence?: Evidence;
  /** Unix milliseconds. */
  readonly settledAt?: number;
  /**
   * The move is meant for the signature with this nonce (undefined: for none yet). Left out, it is
   * for whatever is there; with it, a late word about an earlier attempt moves nothing.
   */
  readonly ofNonce?: Hex | undefined;
  /**
   * The move is meant for this attempt: a reservation that another run has made under the same id
   * may be for other terms than those that were signed. Left out, it is for whichever there is.
   */
  readonly ofAttempt?: number;
}

/** A move that the table does not allow from where the record is; nothing was written. */
export class LedgerMoveError extends Error {
  override readonly name = "LedgerMoveError";
}

/** The limits that a reservation has to keep. */
export interface ReserveRules {
  /** Most in the window, the new amount included; undefined for no limit. */
  readonly perDayUnits: bigint | undefined;
  readonly windowMs: number;
  /** Most open payments in all; those of which the seller says that it charged nothing are free. */
  readonly openPaymentsMax: number;
  /** Most open payments at the host of the reservation; left out, only the sum is limited. */
  readonly openPaymentsPerHostMax?: number;
  /** `keep`: the payee must be the one first seen at this host; `replace`: it becomes that. */
  readonly payeePin: "off" | "keep" | "replace";
}

/** Whether the reservation stands. */
export type ReserveOutcome =
  | { readonly ok: true; readonly record: LedgerRecord }
  | {
      readonly ok: false;
      readonly reason: "cumulative_cap" | "open_payments_limit" | "payee_changed";
    }
  | { readonly ok: false; readonly reason: "exists"; readonly record: LedgerRecord };

/** What of a wallet's money is spoken for. */
export interface LedgerUsage {
  readonly spentUnits: bigint;
  /** Without an outcome yet, except those of which the seller says that it charged nothing. */
  readonly openPayments: number;
}

/** Whose money is counted: limits are per wallet, network and asset. */
export type LedgerScope = Pick<Reservation, "wallet" | "network" | "asset">;

/**
 * Keeps the records. `reserve` and `move` are atomic: two callers at once never both get the last
 * of a limit, and each move starts from a state that allows it.
 */
export interface Ledger {
  /** Checks the limits and writes the record in one step. A released id may be reserved anew. */
  reserve(reservation: Reservation, rules: ReserveRules): Promise<ReserveOutcome>;
  /** Moves a record on; rejects when {@link ledgerTransitions} does not allow it. */
  move(requestId: string, move: LedgerTransition): Promise<LedgerRecord>;
  find(requestId: string): Promise<LedgerRecord | undefined>;
  /** What counts against the limits for reservations made after `since` (Unix milliseconds). */
  usage(scope: LedgerScope, since: number): Promise<LedgerUsage>;
  /** The payee first seen (or last confirmed) at a host on a network. */
  pinnedPayee(host: string, network: string): Promise<Address | undefined>;
  /** Records in the given states, or all, the oldest reservation first. */
  list(states?: readonly LedgerState[]): Promise<readonly LedgerRecord[]>;
}

/** States without an outcome: they count until a receipt, the chain or the clock ends them. */
export const openStates: readonly LedgerState[] = ["reserved", "signed", "sent", "ambiguous"];

/** States in which the chain may still know more than the ledger. */
export const unresolvedStates: readonly LedgerState[] = [...openStates, "expired"];
