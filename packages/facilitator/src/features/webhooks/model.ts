/**
 * Webhooks: where an account wants to hear what happened, and what is to be delivered. Times are
 * milliseconds since 1970.
 */
import { networkOfChain, type Address } from "@farthing/protocol";
import { creditsOf, type Settlement } from "@farthing/engine";
import { timeText } from "@farthing/engine/base";
import type { CreditPurchase } from "../purchases/model.ts";

/** What an endpoint may be told of. */
export const webhookEvents = [
  "settlement.confirmed",
  "settlement.failed",
  "settlement.finalized",
  "credits.low",
  "purchase.credited",
  "purchase.held",
] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

/** `webhook.test` is sent only when its owner asks for it. */
export type DeliveryType = WebhookEvent | "webhook.test";

/** Where to deliver. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly account: Address;
  readonly url: string;
  /** `whsec_` and base64: what deliveries are signed with. Shown once to its owner. */
  readonly secret: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAt: number;
  /** Removed by its owner. */
  readonly disabledAt: number | null;
  /** Nothing is sent any more, since nothing arrived for long; its owner can have it go on. */
  readonly pausedAt: number | null;
}

/**
 * - `pending`: to be tried at `nextAt`.
 * - `delivered`: the endpoint took it.
 * - `failed`: given up, until it is sent again by hand.
 */
export type DeliveryState = "pending" | "delivered" | "failed";

/** Something that happened, on its way to one endpoint. */
export interface WebhookDelivery {
  /** Names the event to the endpoint, the same at every try: what came twice is seen by it. */
  readonly id: string;
  readonly endpointId: string;
  readonly account: Address;
  readonly type: DeliveryType;
  /** JSON, sent byte for byte: `{ type, timestamp, data }`. */
  readonly body: string;
  readonly state: DeliveryState;
  /** Tries so far, the running one included. */
  readonly attempts: number;
  readonly nextAt: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
}

/** What a settlement's events say of it, as JSON can say it. */
export function settlementData(settlement: Settlement) {
  return {
    id: settlement.id,
    state: settlement.state,
    network: networkOfChain(settlement.chainId).id,
    asset: settlement.asset,
    payer: settlement.payer,
    payTo: settlement.payTo,
    amount: settlement.amount.toString(),
    transaction: settlement.transaction,
    blockNumber: settlement.blockNumber,
    logIndex: settlement.logIndex,
    settledBy: settlement.settledBy,
    failure: settlement.failure,
    failureMessage: settlement.failureMessage,
    keyId: settlement.keyId,
    credits: creditsOf(settlement),
    createdAt: timeText(settlement.createdAt),
    confirmedAt: timeText(settlement.confirmedAt),
    finalizedAt: timeText(settlement.finalizedAt),
    failedAt: timeText(settlement.failedAt),
  };
}

/** What a purchase's events say of it. */
export function purchaseData(purchase: CreditPurchase) {
  return {
    id: purchase.id,
    state: purchase.state,
    network: networkOfChain(purchase.chainId).id,
    payer: purchase.payer,
    credits: purchase.credits,
    amount: purchase.units.toString(),
    reason: purchase.holdReason,
    transaction: purchase.transaction,
    createdAt: timeText(purchase.createdAt),
    creditedAt: timeText(purchase.creditedAt),
  };
}

declare module "../sign-in/model.ts" {
  interface StepUpDetails {
    readonly webhook_secret: { readonly url: string };
  }
}
