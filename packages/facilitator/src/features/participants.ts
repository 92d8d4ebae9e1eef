/** The participants in the settlements of this service, in the order in which they are called. */
import type { SettlementParticipant } from "@farthing/engine/storage";
import { keylessParticipant } from "../payments/keyless/participant.ts";
import type { Feature } from "./feature.ts";
import { features } from "./features.ts";

/**
 * Credits come after the others that deny claims, so that a claim which is denied for another reason
 * takes no credits from the rest of its batch.
 */
const first = ["api-keys", keylessParticipant.name, "credits"];

/**
 * Webhooks carry what the others have decided. Aggregates come last: all settlements of an account
 * share their rows, which stay locked until the transaction ends.
 */
const last = ["webhooks", "aggregates"];

/** Participants that neither list names stand between the two, in the order of their features. */
export const serviceParticipants: readonly SettlementParticipant[] = [
  keylessParticipant,
  ...features.flatMap(({ participant }: Feature) => participant ?? []),
].toSorted((one, other) => rankOf(one) - rankOf(other));

function rankOf({ name }: SettlementParticipant): number {
  const early = first.indexOf(name);
  return early < 0 ? last.indexOf(name) + 1 : early - first.length;
}
