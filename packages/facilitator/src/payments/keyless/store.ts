/** Questions and results of the limits for callers without a key. */
import type { Claim, GasHalf, GasRefusal, KeylessGas, KeylessTerms } from "@farthing/engine";
import type { Address, ChainId } from "@farthing/protocol";

export interface KeylessLimits {
  /** The maximum that one payer may have claimed in the trailing window. */
  readonly payerCap?: { readonly units: bigint; readonly windowMs: number } | null;
  /** The other limits; absent without a limit. */
  readonly keyless?: KeylessTerms | undefined;
}

declare module "@farthing/engine" {
  interface ClaimTerms extends KeylessLimits {}
}

/** The part of a payment that the limits depend on. */
export type KeylessQuestion = Pick<
  Claim,
  "chainId" | "payer" | "nonce" | "payTo" | "amount" | "payerHasCode" | "terms"
>;

/** A call of a contract that is no settlement. */
export interface KeylessCall extends Pick<KeylessTerms, "callerNetwork"> {
  readonly chainId: ChainId;
  /** Whose money it moves. */
  readonly payTo: Address;
  readonly gas: KeylessGas;
  /** What it costs. */
  readonly gwei: number;
}

/** The half of the budget that a call was counted in, or why it may not be made. */
export type KeylessCallCharge = { readonly half: GasHalf } | { readonly refusal: GasRefusal };

export type KeylessRefusal = "payer_spend_cap_reached" | "payer_count_reached" | GasRefusal;

export interface KeylessResult {
  readonly refusal: KeylessRefusal | null;
  /** True when so much of the budget is used that a valid payment has to be noted. */
  readonly isTight: boolean;
}
