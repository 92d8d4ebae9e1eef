/** Calls of /settle and of a settlement, as far as the exchange that they belong to is concerned. */
import type { ClaimingCall, Settlement } from "../model/settlement.ts";

/**
 * What a repeat of a confirmed settle is told: `auto`, by the number of exchanges; `return`, the
 * first result in any case; `once`, as if there had been several exchanges; `refuse`, a refusal.
 */
export type RepeatPolicy = "auto" | "return" | "once" | "refuse";

/** How the response to a settle presents a settlement. */
export type Presentation =
  /** Its present state, with `success` where it succeeded. */
  | {
      readonly kind: "whole";
      /** False for the one success of a repeat: sellers poll and serve by the id of the response. */
      readonly hasId: boolean;
      /** The call carries the key of the claiming call: this is its own exchange. */
      readonly isOwnExchange: boolean;
    }
  /** The facts without success and without the id. */
  | { readonly kind: "facts"; readonly isPending: boolean }
  | { readonly kind: "refused" };

/** A call of /settle or GET /settlements/{id}, as far as exchanges are concerned. */
export interface CallTerms {
  /** Names the call: no two have the same. */
  readonly writer: string;
  /** The account, or without a key the network address. */
  readonly caller: string;
  /** Resolves when the connection is done with the response: true when it was written whole. */
  readonly delivered: Promise<boolean>;
}

/** What a settle adds. */
export interface SettleCallTerms extends CallTerms {
  readonly idempotencyKey: string | null;
  readonly isUpfront: boolean;
  /** The caller waits for the outcome, and is expected to be told it. */
  readonly waitsForOutcome: boolean;
}

/** One call of /settle. */
export interface SettleCall {
  /** What is stored when the call claims its payment. */
  readonly claimingCall: ClaimingCall;
  /** To be called when it has claimed, before anyone can know the outcome. */
  claimed(settlementId: string): void;
  /** Decides about the response, and records a success that it tells before it is written. */
  present(settlement: Settlement, isRepeat: boolean): Promise<Presentation>;
}

/** What a settle needs to know of the call that asks for it. */
export type ClaimingExchange = Pick<SettleCall, "claimingCall" | "claimed">;
