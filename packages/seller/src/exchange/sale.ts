/** One sale: a payment that matches a route's offer, and what it takes to see it through. */
import type { Payment, Requirements, SettleResponse } from "@farthing/protocol";
import type { ChallengeTerms } from "../answers.ts";
import type { Clock } from "../clock.ts";
import type { Order, Redeliver, Redirects } from "../configuration.ts";
import type { Continuations } from "./continuation.ts";
import type { Serve } from "./delivery.ts";
import type { EventListener, PaidRequest, SettledRequest } from "../events.ts";
import type { Facilitator, FacilitatorRequest } from "../facilitator.ts";
import type { Access, Binding, GrantStore } from "../grants/grants.ts";
import { settlementIdOf } from "./settle.ts";
import type { WalletBudget } from "./wallet-budget.ts";

/** What an exchange works with. */
export interface Surroundings {
  readonly facilitator: Facilitator;
  readonly grants: GrantStore;
  readonly clock: Clock;
  /** Longest time from a request to the start of its content, in milliseconds, without the work. */
  readonly waitMs: number;
  readonly emit: EventListener;
  /** Which payments without a plain key's signature may be sent to the facilitator. */
  readonly wallets: WalletBudget;
  /** Goes on with settlements that a request had to leave open. */
  readonly continuations: Continuations;
}

/** A payment bound to a request: all that is needed to get the money. */
export interface Purchase {
  readonly payment: Payment;
  readonly offer: Requirements;
  readonly binding: Binding;
  readonly access: Access;
  readonly request: FacilitatorRequest;
  readonly terms: ChallengeTerms;
  /** Whether it was begun under other terms than today's, and may only be finished. */
  readonly isFormer: boolean;
  /** Whether the content may go out as soon as the engine has stored the settlement. */
  readonly servesQueued: boolean;
}

/** A purchase and the seller's side of it. */
export interface Sale extends Purchase {
  readonly serve: Serve;
  /** Whether the content goes out as it is made, unbuffered and never again. */
  readonly isStreamed: boolean;
  readonly order: Order;
  readonly redirects: Redirects;
  readonly redeliver: Redeliver;
  /** Longest time for the work that is done before the money moves, in milliseconds. */
  readonly workMs: number;
  /** Who asks, see `readerOf`: an answer made for others is not given to him. */
  readonly reader?: string;
}

/** The payment as the seller's code sees it before the money has moved. */
export function factsBefore({ payment, offer }: Purchase): PaidRequest {
  return {
    payer: payment.authorization.from,
    amount: offer.amount.toString(),
    network: offer.network.id,
  };
}

/** The payment as the seller's code sees it once the money has moved. */
export function factsAfter(purchase: Purchase, receipt: SettleResponse): SettledRequest {
  const settlementId = settlementIdOf(receipt);
  return {
    ...factsBefore(purchase),
    transaction: receipt.transaction,
    ...(settlementId === undefined ? {} : { settlementId }),
  };
}
