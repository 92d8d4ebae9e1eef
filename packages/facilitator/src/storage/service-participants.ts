/** Who takes part in the settlements of this service, in the order in which they are called. */
import { apiKeysParticipant } from "./api-key-claims.ts";
import { creditsParticipant } from "./credit-reservations.ts";
import { keylessParticipant } from "./keyless-limits.ts";
import { webhooksParticipant } from "./outbox.ts";
import type { SettlementParticipant } from "./participant.ts";
import { purchasesParticipant } from "./purchases.ts";
import { aggregatesParticipant } from "./settlement-sums.ts";

/**
 * Credits come after everything else that denies claims, so that a claim which is denied for another
 * reason takes no credits from the rest of its batch. Webhooks carry what credits have decided.
 * Aggregates come last: all settlements of an account share their rows, which stay locked until the
 * transaction ends.
 */
export const serviceParticipants: readonly SettlementParticipant[] = [
  apiKeysParticipant,
  keylessParticipant,
  creditsParticipant,
  purchasesParticipant,
  webhooksParticipant,
  aggregatesParticipant,
];
