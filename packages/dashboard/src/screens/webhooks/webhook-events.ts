export const webhookEvents = [
  ["settlement.confirmed", "A payment is mined: deliver what was bought"],
  ["settlement.failed", "A payment did not and will not move money"],
  ["settlement.finalized", "A payment can no longer be reorganised away"],
  ["settlement.refunded", "A refund is final: the money is back at the payer"],
  ["credits.low", "The credits fell to the balance you set"],
  ["fee.changed", "A settlement costs more or fewer credits from now on"],
  ["purchase.credited", "Bought credits have arrived"],
  ["purchase.held", "A purchase waits for a review"],
  ["channel.opened", "A buyer has deposited money in a payment channel"],
  ["channel.claimed", "What was charged on a channel was claimed"],
  ["channel.withdrawing", "A buyer takes money back; it is claimed at once"],
  ["channel.refunded", "What a channel had left went back to the buyer"],
  ["channel.closed", "A channel is empty"],
] as const;

/** Those of e-mail addresses. */
export const emailEvents = [
  ...webhookEvents,
  ["settlement.refund_failed", "A refund did not go through"],
  ["webhook.paused", "A webhook was paused, because nothing arrived there for a day"],
] as const;

export type EventList = readonly (readonly [name: string, meaning: string])[];

export function eventsText(events: readonly string[]): string {
  return events.length === webhookEvents.length ? "all events" : events.join(", ");
}
