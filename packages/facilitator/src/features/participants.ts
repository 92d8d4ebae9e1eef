/** Who takes part in the settlements of this service, in the order in which they are called. */
import { apiKeysParticipant } from "./api-keys/participant.ts";
import { creditsParticipant } from "./credits/participant.ts";
import { keylessParticipant } from "../payments/keyless/participant.ts";
import { webhooksParticipant } from "./webhooks/participant.ts";
import type { SettlementParticipant } from "@farthing/engine/storage";
import { purchasesParticipant } from "./purchases/participant.ts";
import { aggregatesParticipant } from "./history/participant.ts";

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
