/** Counts the faults at the token and at payments that the facilitator met. */
import type { Evidence } from "@farthing/lab/audit";
import {
  createObservedFaults,
  type ObservedFaultCounts,
  type ObservedFaultKind,
} from "./observed-faults.ts";

/** The reason that a caller is told, and the fault it is counted as. */
const kindsOfReasons: Readonly<Record<string, ObservedFaultKind>> = {
  insufficient_funds: "token: drained",
  payer_blocked: "token: blacklisted",
  token_paused: "token: paused",
  invalid_signature: "token: wallet refuses",
  authorization_canceled: "token: canceled",
};

export function tokenFaults({ responses, stored, ledger, foreign }: Evidence): ObservedFaultCounts {
  const observedFaults = createObservedFaults();
  for (const { body } of responses) {
    const reason = body["errorReason"] ?? body["invalidReason"];
    const kind = typeof reason === "string" ? kindsOfReasons[reason] : undefined;
    if (kind) observedFaults.note(kind);
  }
  const byOthers = stored.settlements.filter(({ settledBy }) => settledBy === "other");
  observedFaults.note("token: front-run", byOthers.length);
  const strangers = ledger.relayed.filter(({ hash }) => foreign?.has(hash));
  observedFaults.note("stranger: nonce used", strangers.length);
  return observedFaults.counts();
}
