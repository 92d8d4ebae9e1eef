/** A paid request: a payment that matches the route's offer, and what charging for it depends on. */
import type { Payment, Requirements, SettleResponse } from "@farthing/protocol";
import type { ChallengeTerms } from "../responses.ts";
import type { Clock } from "../clock.ts";
import type { SettlementTiming, Redeliver, Redirects } from "../configuration.ts";
import type { ChargeOutcome, EventListener, PaidRequest, SettledRequest } from "../events.ts";
import type { Facilitator, FacilitatorRequest } from "../facilitator.ts";
import type { Access, Binding, PaymentRecords } from "../payment-records/payment-records.ts";
import { settlementIdOf } from "./settle.ts";
import type { WalletBudget } from "./wallet-budget.ts";

/**
 * Makes the content: once for each payment, after confirmation; or before the money moves, where
 * the route settles after success.
 */
export type Serve = (payment: PaidRequest) => Response | Promise<Response>;

/** What the exchange came to: the response, and what it means for the seller. */
export interface ExchangeResult {
  readonly response: Response;
  readonly outcome: ChargeOutcome;
  /** The receipt in the headers of the response, where there is one. */
  readonly receipt?: SettleResponse;
}

/** A response that decides nothing about a payment. */
export function undecided(response: Response): ExchangeResult {
  return { response, outcome: { type: "undecided" } };
}

/** What the exchange of every route of one seller depends on. */
export interface ExchangeDeps {
  readonly facilitator: Facilitator;
  readonly records: PaymentRecords;
  readonly clock: Clock;
  /** Longest time from a request to the start of its content, in milliseconds, without the work. */
  readonly waitMs: number;
  readonly emit: EventListener;
  /** Which payments without a plain key's signature may be sent to the facilitator. */
  readonly wallets: WalletBudget;
  /** Resumes settlements that a request had to leave open. */
  readonly background: BackgroundSettlements;
}

/** Resumes open settlements in the background. */
export interface BackgroundSettlements {
  /** Polls this settlement, unless it is polled already or too many others are. */
  poll(matched: MatchedPayment): void;
  /**
   * Asks for the outcome of a settlement whose content has gone out when it was queued, and tells
   * the seller. Of more than can be followed at once the seller hears nothing here.
   */
  watch(matched: MatchedPayment, receipt: SettleResponse): void;
  /**
   * Remembers a settlement that a request leaves open, to be asked for once when its authorization
   * is over. Those that are too many stay in the store, which forgets them first when it needs room.
   */
  closeLater(matched: MatchedPayment): void;
  /** Resolves what is due, in the background. Called with each paid request, so it needs no timer. */
  closeDue(): void;
}

/** A payment bound to a request: all that is needed to get the money. */
export interface MatchedPayment {
  readonly payment: Payment;
  readonly offer: Requirements;
  readonly binding: Binding;
  readonly access: Access;
  readonly request: FacilitatorRequest;
  readonly terms: ChallengeTerms;
  /** Whether it was begun under previous terms, which are accepted to finish it and for nothing else. */
  readonly acceptsPreviousTerms: boolean;
  /** Whether the content may go out as soon as the engine has stored the settlement. */
  readonly servesQueued: boolean;
}

/** A matched payment and the way its route serves it. */
export interface ChargedRequest extends MatchedPayment {
  readonly serve: Serve;
  /** Whether the content goes out as it is made, unbuffered and never again. */
  readonly isStreamed: boolean;
  readonly settlementTiming: SettlementTiming;
  readonly redirects: Redirects;
  readonly redeliver: Redeliver;
  /** Longest time for the work that is done before the money moves, in milliseconds. */
  readonly workMs: number;
  /** Hash of the credentials of the caller, see `audienceOf`; a response made for others is withheld. */
  readonly audience?: string;
}

/** The payment as the seller's code sees it before the money has moved. */
export function factsBefore({ payment, offer }: MatchedPayment): PaidRequest {
  return {
    payer: payment.authorization.from,
    amount: offer.amount.toString(),
    network: offer.network.id,
  };
}

/** The payment as the seller's code sees it once the money has moved. */
export function factsAfter(matched: MatchedPayment, receipt: SettleResponse): SettledRequest {
  const settlementId = settlementIdOf(receipt);
  return {
    ...factsBefore(matched),
    transaction: receipt.transaction,
    ...(settlementId === undefined ? {} : { settlementId }),
  };
}
