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
import type { ChannelRecord } from "../channels/channel-record.ts";

export type LedgerState =
  | "reserved"
  | "signed"
  | "sent"
  | "ambiguous"
  | "settled"
  | "released"
  | "expired";

/** The states that a record may go to. `settled` is final: the money moved. */
export const ledgerTransitions: Readonly<Record<LedgerState, readonly LedgerState[]>> = {
  reserved: ["signed", "released"],
  // Settled at once when the sending process died before it could record that; the chain knows.
  signed: ["sent", "settled", "released", "expired"],
  sent: ["settled", "ambiguous", "released", "expired"],
  ambiguous: ["settled", "ambiguous", "released", "expired"],
  settled: [],
  released: [],
  // The chain can still be asked later.
  expired: ["settled", "released"],
};

/** A payment before anything is signed. */
export interface Reservation {
  readonly requestId: string;
  /** Binds the id to method, URL and body: the same id with another request is an error. */
  readonly fingerprint: string;
  readonly wallet: Address;
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

/** The request as kept for a resume, without any header that may be a secret. */
export interface KeptRequest {
  readonly method: string;
  readonly url: string;
  /** Those among {@link keptHeaderNames}. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A resume needs the values of these from the caller again. */
  readonly headersLeftOut: readonly string[];
  /** SHA-256 of the body; of no bytes when there is none. */
  readonly bodyHash: Hex;
  /** Base64; absent for no body, or one above {@link keptBodyBytesMax}. */
  readonly body?: string;
  readonly bodyBytes: number;
}

/** Headers that say what is requested, never who requests it. */
export const keptHeaderNames: readonly string[] = ["accept", "accept-language", "content-type"];

/** Longer bodies are kept as their hash alone: a ledger is read whole. */
export const keptBodyBytesMax = 64 * 1024;

/** The signed payment: a resend is these bytes again. Secret until it has settled. */
export interface SignedPayment {
  readonly url: string;
  readonly headerName: string;
  readonly headerValue: string;
  readonly version: 1 | 2;
  readonly nonce: Hex;
  /** Unix seconds. */
  readonly validBefore: number;
}

export interface LedgerRecord extends Reservation {
  readonly state: LedgerState;
  readonly signed?: SignedPayment;
  /** The hash the seller named; proof only when the state is `settled`. */
  readonly transaction?: Hex;
  /** How often this request was signed for and released before. */
  readonly attempt: number;
  /** Present from the first response on. */
  readonly answer?: KeptResponse;
  readonly evidence?: Evidence;
  /** When the settlement became known, in Unix milliseconds. */
  readonly settledAt?: number;
}

/** `receipt`: the seller's word for exactly this payment. `chain`: the transaction was read. */
export type Evidence = "receipt" | "chain";

/** The last response to the paid request. */
export interface KeptResponse {
  readonly status: number;
  /** SHA-256 of the content; absent when it was passed on as a stream. */
  readonly bodyHash?: Hex;
  /** The seller's receipt as read, true or not. */
  readonly receipt?: SettleResponse;
  /** The seller says that it charged nothing, which is no proof. */
  readonly saysUncharged?: true;
  /** The pass that came with it. */
  readonly pass?: KeptPass;
  /** The balance that it topped up. */
  readonly balance?: KeptBalance;
}

/** A balance pays for later requests at the seller's origin. The token is a secret. */
export interface KeptBalance {
  readonly token: string;
}

/** A pass opens later requests at the seller's origin. The token is a secret. */
export interface KeptPass {
  readonly token: string;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
  /** Uses left after the payment; absent where the seller did not say. */
  readonly remaining?: number;
}

/** A token as its seller last spoke of it. The token is a secret. */
export interface HeardToken extends KeptBalance {
  /** An address that it opened, without the query. */
  readonly url: string;
  /** Unix milliseconds; absent for a balance. */
  readonly expiresAtMs?: number;
  /** Uses left; absent where the seller did not say. */
  readonly remaining?: number;
}

type Added = "state" | "signed" | "transaction" | "answer" | "evidence" | "settledAt";

/** A transition to the next state, with what it adds to the record. */
export interface LedgerTransition extends Pick<LedgerRecord, Added> {
  /** Applies only to the signature with this nonce (undefined: before any), to no later one. */
  readonly ofNonce?: Hex | undefined;
  /** Applies only to this attempt: another run may have reserved other terms under the same id. */
  readonly ofAttempt?: number;
}

/** The table does not allow the transition; nothing was written. */
export class LedgerTransitionError extends Error {
  override readonly name = "LedgerTransitionError";
}

export interface ReserveRules {
  /** Most in the window, the new amount included; undefined for no limit. */
  readonly perDayUnits: bigint | undefined;
  readonly windowMs: number;
  /** Most open payments in all, without those for which the seller says that it charged nothing. */
  readonly openPaymentsMax: number;
  /** Most open payments at the reservation's host; left out, only the sum is limited. */
  readonly openPaymentsPerHostMax?: number;
  /** `keep`: the payee must be the first one of this host; `replace`: it becomes that. */
  readonly payeePin: "off" | "keep" | "replace";
}

export type ReserveOutcome =
  | { readonly ok: true; readonly record: LedgerRecord }
  | { readonly ok: false; readonly reason: LedgerRefusal }
  | { readonly ok: false; readonly reason: "exists"; readonly record: LedgerRecord };

type LedgerRefusal = "cumulative_cap" | "open_payments_limit" | "payee_changed";

/** What a wallet has spent or promised. */
export interface LedgerUsage {
  readonly spentUnits: bigint;
  /** Without an outcome, except those for which the seller says that it charged nothing. */
  readonly openPayments: number;
}

/** Limits are per wallet, network and asset. */
export type LedgerScope = Pick<Reservation, "wallet" | "network" | "asset">;

/** `reserve` and `transition` are atomic: two callers never both get the last of a limit. */
export interface Ledger {
  /** Checks the limits and writes the record in one step. A released id may be reserved anew. */
  reserve(reservation: Reservation, rules: ReserveRules): Promise<ReserveOutcome>;
  /** Rejects when {@link ledgerTransitions} does not allow the transition. */
  transition(requestId: string, transition: LedgerTransition): Promise<LedgerRecord>;
  find(requestId: string): Promise<LedgerRecord | undefined>;
  /** What counts against the limits for reservations made after `since` (Unix milliseconds). */
  usage(scope: LedgerScope, since: number): Promise<LedgerUsage>;
  /** The payee first seen (or last confirmed) at a host on a network. */
  pinnedPayee(host: string, network: string): Promise<Address | undefined>;
  /** Records in the given states, or all, the oldest reservation first. */
  list(states?: readonly LedgerState[]): Promise<readonly LedgerRecord[]>;
  /**
   * Keeps what a seller said of a token: a later run then neither signs in again nor asks what is
   * left. Without it, a run knows the tokens of payments alone.
   */
  keepHeard?(heard: HeardToken): Promise<void>;
  /** The tokens kept by `keepHeard`, the one heard of last at the end. */
  listHeard?(): Promise<readonly HeardToken[]>;
  /**
   * Decides on the newest state and writes the decision, in one atomic step; `decide` is pure and may
   * run again. Without it, nothing is paid over a channel.
   */
  changeChannels?<T>(decide: (view: ChannelsView) => ChannelChange<T>): Promise<T>;
  /** The channels, the oldest first. */
  listChannels?(): Promise<readonly ChannelRecord[]>;
}

/** What a ledger knows when it decides about a channel. */
export interface ChannelsView {
  find(channelId: Hex): ChannelRecord | undefined;
  list(): readonly ChannelRecord[];
  usage(scope: LedgerScope, since: number): LedgerUsage;
  pinnedPayee(host: string, network: string): Address | undefined;
}

/** What is written in one step, and what the caller learns. */
export interface ChannelChange<T> {
  readonly put?: ChannelRecord;
  /** The payee that the host has from now on. */
  readonly pin?: Pick<Reservation, "host" | "network" | "payTo">;
  readonly result: T;
}

/** States without an outcome: they count until a receipt, the chain or the clock ends them. */
export const openStates: readonly LedgerState[] = ["reserved", "signed", "sent", "ambiguous"];

/** States in which the chain may know more than the ledger. */
export const unresolvedStates: readonly LedgerState[] = [...openStates, "expired"];
