/** The limits of callers without a key, as the store keeps them. */
import type { ChainId } from "@farthing/protocol";
import type { Claim, GasHalf, GasRefusal, KeylessTerms } from "@farthing/engine";

/** The limits of a caller without a key. */
export interface KeylessLimits {
  /** What one payer may have claimed in the trailing window. */
  readonly payerCap?: { readonly units: bigint; readonly windowMs: number } | null;
  /** The other limits; absent where there are none. */
  readonly keyless?: KeylessTerms | undefined;
}

declare module "@farthing/engine" {
  interface ClaimTerms extends KeylessLimits {}
}

/** A payment, as far as the limits of callers without a key are concerned. */
export type KeylessQuestion = Pick<
  Claim,
  "chainId" | "payer" | "nonce" | "payTo" | "amount" | "payerHasCode" | "terms"
>;

/** Which limit a payment meets. */
export type KeylessRefusal = "payer_spend_cap_reached" | "payer_count_reached" | GasRefusal;

/** What the limits say of a payment. */
export interface KeylessVerdict {
  readonly refusal: KeylessRefusal | null;
  /** The budget is used so far that a valid payment is to be noted. */
  readonly isTight: boolean;
}

/** Claims are evaluated and counted by the participant, in the transaction that makes them. */
export interface KeylessStore {
  /** Judges payments as a claim would, and counts nothing; in order. */
  checkKeyless(questions: readonly KeylessQuestion[], now: number): Promise<KeylessVerdict[]>;
  /** Notes valid payments: their claims may draw on what is closed to new questions. */
  noteKeyless(questions: readonly KeylessQuestion[], now: number): Promise<void>;
  /** Gas that is used of each half of a chain's budget, in gwei. */
  readKeylessGas(chainId: ChainId, now: number): Promise<Readonly<Record<GasHalf, number>>>;
  /** Removes expired counters, as many as `limit`; gives how many. */
  pruneKeyless(now: number, limit: number): Promise<number>;
}
