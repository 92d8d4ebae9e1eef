/** Webhook endpoints and deliveries. Times are milliseconds since 1970. */
import { emailEvents, networkOfChain, webhookEvents, type Address } from "@farthing/protocol";
import { creditsOf, type Settlement } from "@farthing/engine";
import { timeText } from "@farthing/engine/base";
import type { CreditPurchase } from "../purchases/model.ts";

export type WebhookEvent = (typeof webhookEvents)[number];

/** What the outbox carries; webhooks subscribe to fewer events than e-mail addresses. */
export const accountEvents = emailEvents;

export type AccountEventName = (typeof accountEvents)[number];

/** `webhook.test` is sent only when its owner asks for it. */
export type DeliveryType = AccountEventName | "webhook.test";

/** How an endpoint is reached. Webhooks and e-mail addresses share the outbox. */
export type Channel = "webhook" | "email";

export interface WebhookEndpoint {
  readonly id: string;
  readonly account: Address;
  readonly channel: Channel;
  /** Of an e-mail address: `mailto:` and the address. */
  readonly url: string;
  /** `whsec_` and base64: the key of the signatures. Shown once to the owner. */
  readonly secret: string;
  readonly events: readonly AccountEventName[];
  readonly createdAt: number;
  /** Removed by its owner. */
  readonly disabledAt: number | null;
  /** Paused by its owner, or after a long time without a delivery; the owner can resume it. */
  readonly pausedAt: number | null;
  readonly isPausedByOwner: boolean;
}

/** What an owner may change of an endpoint. */
export interface EndpointChanges {
  readonly events?: readonly AccountEventName[] | undefined;
  readonly isPaused?: boolean | undefined;
}

/**
 * - `pending`: due at `nextAt`.
 * - `delivered`: the endpoint accepted it.
 * - `failed`: given up, until the owner sends it again.
 */
export type DeliveryState = "pending" | "delivered" | "failed";

/** An event for one endpoint. */
export interface WebhookDelivery {
  /** The same in every attempt, so that endpoints recognise duplicates. */
  readonly id: string;
  readonly endpointId: string;
  readonly account: Address;
  readonly type: DeliveryType;
  /** JSON, sent byte for byte: `{ type, timestamp, data }`. */
  readonly body: string;
  readonly state: DeliveryState;
  /** Attempts so far, including a running one. */
  readonly attempts: number;
  readonly nextAt: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
}

/** The `data` of a settlement's events. */
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
    refundOf: settlement.refundOf,
    keyId: settlement.keyId,
    credits: creditsOf(settlement),
    createdAt: timeText(settlement.createdAt),
    confirmedAt: timeText(settlement.confirmedAt),
    finalizedAt: timeText(settlement.finalizedAt),
    failedAt: timeText(settlement.failedAt),
    /** When the chain showed it after the database had lost it: it may be a payment of long before. */
    recoveredAt: timeText(settlement.recoveredAt),
  };
}

/** The `data` of a purchase's events. */
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
