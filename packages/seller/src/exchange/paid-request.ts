/** A payment that matches the route's offer, and what charging for it depends on. */
import { defined, type Payment, type Requirements, type SettleResponse } from "@farthing/protocol";
import type { BalanceTermsOfRoute } from "../balance-options.ts";
import type { ChannelDesk } from "../channels/channel-desk.ts";
import type { ChallengeTerms } from "../responses.ts";
import type { Clock, WaitUntil } from "../clock.ts";
import type { RouteConfiguration } from "../configuration.ts";
import type { ChargeOutcome, EventListener, PaidRequest, SettledRequest } from "../events.ts";
import type { SellerExtension } from "../extensions/hooks.ts";
import type { FacilitatorRequest } from "../facilitator.ts";
import type { FacilitatorOrder } from "../facilitator-order.ts";
import type { Access, Binding, PaymentRecords } from "../payment-records/rules/payment-records.ts";
import type { Balances } from "../payment-records/balances/balances.ts";
import type { Passes, PassSale } from "../payment-records/passes/passes.ts";
import type { RateLimit } from "../rate-limit.ts";
import type { SaleBooks } from "../sale-books.ts";
import type { FinalitySource } from "./finality-source.ts";
import { settlementIdOf } from "./settle.ts";
import type { WalletBudget } from "./wallet-budget.ts";

/** Produces the content once for each payment, as the settlement timing says. */
export type Serve = (payment: PaidRequest) => Response | Promise<Response>;

export interface ExchangeResult {
  readonly response: Response;
  readonly outcome: ChargeOutcome;
  /** The receipt in the headers of the response, where there is one. */
  readonly receipt?: SettleResponse;
}

/** A route's pass, and the part of the store that keeps it. */
export interface SoldPass extends PassSale {
  readonly passes: Passes;
  /** Whether the buyer has disconnected. */
  readonly isGone: () => boolean;
}

/** A route's balance, and the part of the store that keeps it. */
export interface SoldBalance extends Omit<BalanceTermsOfRoute, "scope"> {
  readonly scope: string;
  readonly balances: Balances;
  /** Whether the buyer has disconnected. */
  readonly isGone: () => boolean;
}

export interface ExchangeDeps extends ChannelDesk {
  readonly facilitators: FacilitatorOrder;
  readonly records: PaymentRecords;
  readonly clock: Clock;
  /** Longest time from a request to the start of its content, in milliseconds, without the work. */
  readonly waitMs: number;
  readonly emit: EventListener;
  readonly wallets: WalletBudget;
  readonly rateLimit: Required<RateLimit> | undefined;
  readonly extensions: readonly SellerExtension[];
  readonly background: BackgroundSettlements;
  readonly finality: FinalitySource;
  /** Of this request, or of the seller. */
  readonly waitUntil?: WaitUntil | undefined;
}

/** `waitUntil` of each method is that of the request that causes the work. */
export interface BackgroundSettlements {
  /** Polls a settlement, unless it is polled already or too many others are. */
  poll(matched: MatchedPayment, waitUntil?: WaitUntil): void;
  /** Emits the outcome of a settlement that was served when queued, within a bound. */
  watch(matched: MatchedPayment, receipt: SettleResponse, waitUntil?: WaitUntil): void;
  /** Resolves an open settlement after its authorization has ended, within a bound. */
  closeLater(matched: MatchedPayment): void;
  /** Resolves due settlements in the background. Called with each paid request. */
  closeDue(waitUntil?: WaitUntil): void;
}

export interface MatchedPayment {
  readonly payment: Payment;
  readonly offer: Requirements;
  readonly binding: Binding;
  readonly access: Access;
  readonly request: FacilitatorRequest;
  readonly terms: ChallengeTerms;
  readonly books: SaleBooks;
  /** The buyer's id of the payment, from the extension `payment-identifier`. */
  readonly identifier?: string;
  /** Whether the payment was begun under previous terms, which count for finishing it only. */
  readonly acceptsPreviousTerms: boolean;
  /** Whether the content may go out as soon as the engine has stored the settlement. */
  readonly servesQueued: boolean;
}

type ChargeRules = "isStreamed" | "settlementTiming" | "redirects" | "redeliver" | "workMs";

export interface ChargedRequest extends MatchedPayment, Pick<RouteConfiguration, ChargeRules> {
  readonly serve: Serve;
  /** Hash of the caller's credentials, see `audienceOf`; a response made for others is withheld. */
  readonly audience?: string;
  readonly pass?: SoldPass;
  readonly balance?: SoldBalance;
}

/** Returns the payment as the seller's code sees it before the money has moved. */
export function factsBefore({ payment, offer }: MatchedPayment): PaidRequest {
  return {
    payer: payment.authorization.from,
    amount: offer.amount.toString(),
    network: offer.network.id,
  };
}

/** Returns the payment as the seller's code sees it once the money has moved. */
export function factsAfter(matched: MatchedPayment, receipt: SettleResponse): SettledRequest {
  const { transaction } = receipt;
  const settlementId = settlementIdOf(receipt);
  return { ...factsBefore(matched), transaction, ...defined({ settlementId }) };
}
