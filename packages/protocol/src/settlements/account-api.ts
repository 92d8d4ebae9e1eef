/** Values of the account API that the service and its clients have to know alike. */

/** The price of a credit: 0.001 USDC, in base units. */
export const unitsPerCredit = 1_000n;

/** What a member may do in an account; the service has the table of permissions. */
export const accountRoles = ["owner", "developer", "read_only"] as const;

/** How long a rotated API key works beside its successor. */
export const keyOverlaps = ["0", "1h", "24h", "7d"] as const;

/** The events that a webhook can subscribe to. */
export const webhookEvents = [
  "settlement.confirmed",
  "settlement.failed",
  "settlement.finalized",
  "settlement.refunded",
  "credits.low",
  "fee.changed",
  "purchase.credited",
  "purchase.held",
  "channel.opened",
  "channel.claimed",
  "channel.withdrawing",
  "channel.refunded",
  "channel.closed",
] as const;

/** The events that an e-mail address can subscribe to. */
export const emailEvents = [
  ...webhookEvents,
  "settlement.refund_failed",
  "webhook.paused",
] as const;

const routineEvents: readonly string[] = [
  "settlement.confirmed",
  "settlement.finalized",
  "channel.opened",
  "channel.claimed",
  "channel.refunded",
  "channel.closed",
] satisfies (typeof emailEvents)[number][];

/**
 * Whether a busy shop has many of an event, which asks nobody to do something: an e-mail shows others
 * first, and a new address does not get it.
 */
export function isRoutine(event: string): boolean {
  return routineEvents.includes(event);
}
