/** Counts the faults at the token, at payments and at contract payers that the facilitator met. */
import { pairOf, type Evidence } from "@farthing/lab/audit";
import {
  createObservedFaults,
  type ObservedFaultCounts,
  type ObservedFaultKind,
} from "./observed-faults.ts";
import type { ContractPayerKind, Plan } from "./plan.ts";

/** The reason that a caller is told, and the fault it is counted as. */
const kindsOfReasons: Readonly<Record<string, ObservedFaultKind>> = {
  insufficient_funds: "token: drained",
  payer_blocked: "token: blacklisted",
  token_paused: "token: paused",
  invalid_signature: "token: wallet refuses",
  authorization_canceled: "token: canceled",
};

/** The code of a 503, and the fault it is counted as. */
const kindsOfErrors: Readonly<Record<string, ObservedFaultKind>> = {
  gas_price_too_high: "gas: told",
};

export function tokenFaults({ responses, stored, ledger, foreign }: Evidence): ObservedFaultCounts {
  const observedFaults = createObservedFaults();
  for (const { body } of responses) {
    const reason = body["errorReason"] ?? body["invalidReason"];
    const kind = typeof reason === "string" ? kindsOfReasons[reason] : undefined;
    if (kind) observedFaults.note(kind);
    const { error } = body;
    const told = typeof error === "string" ? kindsOfErrors[error] : undefined;
    if (told) observedFaults.note(told);
  }
  const byOthers = stored.settlements.filter(({ settledBy }) => settledBy === "other");
  observedFaults.note("token: front-run", byOthers.length);
  const strangers = ledger.relayed.filter(({ hash }) => foreign?.has(hash));
  observedFaults.note("stranger: nonce used", strangers.length);
  return observedFaults.counts();
}

/** What a payer does when its payment is refused or fails, and when it is paid. */
const harmOf: Readonly<Partial<Record<ContractPayerKind, ObservedFaultKind>>> = {
  burner: "contracts: burner",
  reverter: "contracts: reverter",
  "gets-code": "contracts: gets-code",
};

/** Counts what contract payers did, by the outcomes of their payments. */
export function contractFaults(plan: Plan, evidence: Evidence): ObservedFaultCounts {
  const { payments, responses, ledger } = evidence;
  const observedFaults = createObservedFaults();
  const contractOf = new Map(plan.payments.map(({ index, contract }) => [index, contract]));
  for (const { payment, body } of responses) {
    const contract = contractOf.get(payment);
    const harm = contract && harmOf[contract];
    if (harm && (body["errorReason"] ?? body["invalidReason"])) observedFaults.note(harm);
  }
  const paidIn = new Map(
    ledger.entries.flatMap((entry) =>
      entry.transfer ? [[pairOf(entry), entry.transaction] as const] : [],
    ),
  );
  const uses = Map.groupBy(paidIn.values(), (transaction) => transaction);
  for (const [index, { authorization }] of payments) {
    const contract = contractOf.get(index);
    const { from: payer, nonce } = authorization;
    const transaction = paidIn.get(pairOf({ payer, nonce }));
    if (contract === undefined || transaction === undefined) continue;
    if (contract === "undeployed") observedFaults.note("contracts: undeployed");
    if ((uses.get(transaction)?.length ?? 0) > 1) {
      observedFaults.note("contracts: shared transaction");
    }
  }
  return observedFaults.counts();
}
