/** The participants of this service in the order in which they are called. */
import type { SettlementParticipant } from "@farthing/engine/storage";
import { keylessParticipant } from "../payments/keyless/participant.ts";
import type { Feature } from "./feature.ts";
import { features } from "./features.ts";

/** Credits come last of those that deny, so that a denied claim takes no credits from others. */
const first = ["api-keys", keylessParticipant.name, "credits"];

/**
 * Webhooks carry the decisions of the others. Aggregates come last: all settlements of an account
 * share their rows, which stay locked until the transaction ends.
 */
const last = ["webhooks", "aggregates"];

/** Participants in neither list stand between the two, in the order of their features. */
export const serviceParticipants: readonly SettlementParticipant[] = [
  keylessParticipant,
  ...features.flatMap(({ participant }: Feature) => participant ?? []),
].toSorted((one, other) => rankOf(one) - rankOf(other));

function rankOf({ name }: SettlementParticipant): number {
  const early = first.indexOf(name);
  return early < 0 ? last.indexOf(name) + 1 : early - first.length;
}
