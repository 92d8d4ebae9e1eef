/**
 * The recovery paths of the engine: every way on that a payment without faults never takes. What a run
 * wrote into its database and its log says which it took. The lists are closed: those of transitions and
 * actions by their types, that of log events by hand.
 */
import type { settlementTransitions } from "@farthing/engine";
import type { RecoveryAction, transactionTransitions } from "@farthing/engine/testing/rules";
import { isObject, parseJson } from "@farthing/protocol";
import type { Submission } from "@farthing/lab/audit";
import type { Findings } from "../model/traces/findings.ts";

/** What a path looks like from outside. */
type Sign =
  /** A step of the store, by the name that its checker counts it under. */
  | { readonly step: string }
  /** A line of the log, with the action where the event has one. */
  | { readonly event: string; readonly action?: string }
  /** The nodes have seen the same bytes again. */
  | { readonly resent: "later" | "everywhere" };

type Path = Sign & { readonly words: string };

type Paths<Name extends string> = Readonly<Record<Name, Path>>;

type Usual = "signed" | "sent" | "mined" | "confirmed" | "failed" | "finalized";

const ofSettlements: Paths<Exclude<keyof typeof settlementTransitions, Usual>> = {
  requeued: {
    words: "a payment without an open transaction waits for a wallet again",
    step: "settlement requeued",
  },
  reorganised: {
    words: "a confirmed payment is open again after a reorganisation",
    step: "settlement reorganised",
  },
  renewed: { words: "a failed refund is signed again with its nonce", step: "settlement renewed" },
};

const ofTransactions: Paths<Exclude<keyof typeof transactionTransitions, Usual>> = {
  released: { words: "a nonce that was never signed is given back", step: "transaction released" },
  dropped: {
    words: "a transaction is dropped, because another one has used its nonce",
    step: "transaction dropped",
  },
  reopened: { words: "a used nonce is open again", step: "transaction reopened" },
  lost: {
    words: "a used nonce turns out to be unused, and its bytes are gone",
    step: "transaction lost",
  },
};

const ofActions: Paths<Exclude<RecoveryAction, "wait">> = {
  send: { words: "the same bytes are sent again", resent: "later" },
  fan_out: { words: "the same bytes are sent to every endpoint", resent: "everywhere" },
  move: { words: "a wallet moves to another endpoint", event: "wallet_endpoint_changed" },
  reprice: {
    words: "a transaction is replaced at a higher price",
    event: "transaction_replaced",
    action: "reprice",
  },
  cancel: {
    words: "a transaction is replaced by a cancellation",
    event: "transaction_replaced",
    action: "cancel",
  },
  release: {
    words: "a batch that no node takes is canceled, and its payments go other ways",
    event: "transaction_replaced",
    action: "release",
  },
};

const besides: readonly Path[] = [
  {
    words: "a third party's transaction confirms a payment",
    step: "settlement confirmed by another's transaction",
  },
  {
    words: "a failed payment that a third party has paid is confirmed",
    step: "settlement confirmed after it had failed",
  },
  { words: "a payment that the database had lost is found", step: "settlement recovered" },
  { words: "blocks that the database lacks are searched", event: "store_behind_chain" },
  { words: "a wallet loads what an older database has", event: "store_went_back" },
  { words: "a gap between nonces is filled", event: "nonce_gap_filled" },
  { words: "a transaction that repeats stored bytes is dropped", event: "repeated_bytes_dropped" },
  { words: "a nonce that another program has used is given up", event: "nonce_used_externally" },
  { words: "a reverted batch is evaluated payment by payment", event: "batch_reverted" },
  { words: "a batch is made smaller for a node", event: "batch_size_reduced" },
  { words: "a send without a clear reply is treated as sent", event: "rpc_send_unknown" },
  { words: "a wallet without money pauses", event: "wallet_paused" },
  { words: "a wallet is given to a process that has fewer", event: "wallet_handed_over" },
  { words: "a wallet whose lease was lost is left to its new holder", event: "wallet_lease_lost" },
  { words: "the end of the chain is forgotten that no node shows", event: "head_forgotten" },
  { words: "recovery that failed runs again with the next block", event: "recovery_failed" },
  { words: "an outcome that was not recorded is recorded later", event: "outcome_not_recorded" },
  { words: "a preparation that failed is repeated", event: "batch_deferred" },
  { words: "sending waits while the token is paused", event: "token_paused" },
  {
    words: "an endpoint whose logs lack a payment is asked last",
    event: "rpc_endpoint_distrusted",
  },
];

/** In the order of the page. */
const paths: readonly Path[] = [
  ...Object.values<Path>({ ...ofSettlements, ...ofTransactions, ...ofActions }),
  ...besides,
];

export const recoveryPaths: readonly string[] = paths.map((path) => path.words);

/** The events of the log that stand for a path. */
export const recoveryEvents: readonly string[] = [
  ...new Set(paths.flatMap((path) => ("event" in path ? path.event : []))),
];

/** The paths that nobody but the nodes sees: a soak does not count them. */
export const pathsAtNodes: ReadonlySet<string> = new Set(
  paths.filter((path) => "resent" in path).map((path) => path.words),
);

/** Whether a line of a log may show a path. */
export function isOfPath(line: string): boolean {
  return recoveryEvents.some((event) => line.includes(`"event":"${event}"`));
}

/** What a run leaves behind that shows its paths. */
export interface PathEvidence {
  readonly steps: readonly Findings[];
  /** Lines of logs, whatever stands before them. */
  readonly lines: Iterable<string>;
  /** What reached the nodes, where that is known. */
  readonly submissions?: readonly Submission[];
}

/** The paths that a run has taken. */
export function pathsTaken({ steps, lines, submissions = [] }: PathEvidence): ReadonlySet<string> {
  const signs = new Set(
    steps.flatMap(({ taken }) => [...taken.keys()].map((step) => keyOf({ step }))),
  );
  for (const line of lines) for (const key of keysIn(line)) signs.add(key);
  for (const key of resentIn(submissions)) signs.add(key);
  return new Set(paths.filter((path) => signs.has(keyOf(path))).map((path) => path.words));
}

function keyOf(sign: Sign): string {
  if ("step" in sign) return `step ${sign.step}`;
  if ("resent" in sign) return `resent ${sign.resent}`;
  return `event ${sign.event} ${sign.action ?? ""}`;
}

/** The signs of a line of the log, with the action and without it. */
function keysIn(line: string): string[] {
  const at = line.indexOf("{");
  const read = line.includes('"event":') ? parseJson(line.slice(at))?.value : undefined;
  if (!isObject(read)) return [];
  const { event, action } = read;
  const named = { event: String(event) };
  return [keyOf(named), ...(typeof action === "string" ? [keyOf({ ...named, action })] : [])];
}

/** Whether bytes came again after the block of the first time, and to more than one node by then. */
function* resentIn(submissions: readonly Submission[]): Generator<string> {
  for (const sends of Map.groupBy(submissions, ({ hash }) => hash).values()) {
    const first = sends[0]?.atBlock ?? 0;
    const later = Map.groupBy(
      sends.filter(({ atBlock }) => atBlock > first),
      ({ atBlock }) => atBlock,
    );
    if (later.size > 0) yield keyOf({ resent: "later" });
    if ([...later.values()].some(({ length }) => length > 1)) yield keyOf({ resent: "everywhere" });
  }
}

/** In how many runs each path was taken, by its words; all paths are there. */
export function countPaths(runs: readonly ReadonlySet<string>[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    recoveryPaths.map((path) => [path, runs.filter((taken) => taken.has(path)).length]),
  );
}
