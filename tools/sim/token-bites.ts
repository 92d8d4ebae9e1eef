/** What people did to the token and to payments, counted where the facilitator met it. */
import type { Evidence } from "./auditor.ts";
import { createBites, type BiteCounts, type BiteKind } from "./bites.ts";

/** What a caller is told, and what it is counted as. */
const bitesOfReasons: Readonly<Record<string, BiteKind>> = {
  insufficient_funds: "token: drained",
  payer_blocked: "token: blacklisted",
  token_paused: "token: paused",
  invalid_signature: "token: wallet refuses",
  authorization_canceled: "token: canceled",
};

/** Counts what a run's evidence shows. */
export function tokenBites({ answers, stored, ledger, foreign }: Evidence): BiteCounts {
  const bites = createBites();
  for (const { body } of answers) {
    const reason = body["errorReason"] ?? body["invalidReason"];
    const kind = typeof reason === "string" ? bitesOfReasons[reason] : undefined;
    if (kind) bites.note(kind);
  }
  const byOthers = stored.settlements.filter(({ settledBy }) => settledBy === "other");
  bites.note("token: front-run", byOthers.length);
  const strangers = ledger.relayed.filter(({ hash }) => foreign?.has(hash));
  bites.note("stranger: nonce used", strangers.length);
  return bites.counts();
}
