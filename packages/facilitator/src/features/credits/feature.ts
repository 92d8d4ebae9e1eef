/**
 * Credits: the balance of an account and its ledger. Settlements spend credits through the
 * participant.
 */
import { createCreditStore } from "./store.ts";
import { creditsParticipant } from "./participant.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { registerCredits, type CreditRouteDeps } from "./routes.ts";

export const credits = {
  name: "credits",
  participant: creditsParticipant,
  createStore: createCreditStore,
  tags: [{ name: "Credits", description: "What settlements cost" }],
  create: (deps: CreditRouteDeps): RunningFeature => ({
    routes: { account: (server) => registerCredits(server, deps) },
  }),
} satisfies Feature;
