/** Calls of /settle and GET /settlements/{id} as parts of an exchange. */
import type { ClaimingCall, Settlement } from "../model/settlement.ts";

/**
 * The response to a repeated settle of a confirmed payment: `auto` depends on the number of
 * exchanges; `return` is always the first result; `once` acts as after several exchanges; `refuse`
 * is a refusal.
 */
export type RepeatPolicy = "auto" | "return" | "once" | "refuse";

/** How the response to a settle presents a settlement. */
export type Presentation =
  /** The present state, with `success` where it succeeded. */
  | {
      readonly kind: "whole";
      /** False where a repeat reports the only success: sellers poll and serve by the id. */
      readonly hasId: boolean;
      /** The call has the idempotency key of the claiming call. */
      readonly isOwnExchange: boolean;
    }
  /** The facts without success and without the id. */
  | { readonly kind: "facts"; readonly isPending: boolean }
  | { readonly kind: "refused" };

export interface CallTerms {
  /** A unique name of the call. */
  readonly writer: string;
  /** The account; without an API key, the network address. */
  readonly caller: string;
  /** Resolves when the response has ended: true when it was written whole. */
  readonly delivered: Promise<boolean>;
}

export interface SettleCallTerms extends CallTerms {
  readonly idempotencyKey: string | null;
  readonly isUpfront: boolean;
  /** The caller waits for the outcome and expects it in the response. */
  readonly waitsForOutcome: boolean;
}

export interface SettleCall {
  /** Stored when the call claims its payment. */
  readonly claimingCall: ClaimingCall;
  /** Must be called after the claim, before the outcome can be known. */
  claimed(settlementId: string): void;
  /** Decides the response; records a success before the response that reports it is written. */
  present(settlement: Settlement, isRepeat: boolean): Promise<Presentation>;
}

export type ClaimingExchange = Pick<SettleCall, "claimingCall" | "claimed">;
