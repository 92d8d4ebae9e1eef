/** Credits: the balance and ledger of an account. Settlements spend through the participant. */
import { createCreditStore } from "./store.ts";
import { creditsParticipant } from "./participant.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { migrations } from "./migrations.ts";
import { registerCredits, type CreditRouteDeps } from "./routes.ts";

export const credits = {
  name: "credits",
  participant: creditsParticipant,
  createStore: createCreditStore,
  migrations,
  tags: [{ name: "Credits", description: "The prepaid balance that settlements are charged to" }],
  create: (deps: CreditRouteDeps): RunningFeature => ({
    routes: { account: (server) => registerCredits(server, deps) },
  }),
} satisfies Feature;
