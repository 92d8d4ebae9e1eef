/**
 * The port through which features take part in the life of settlements. The engine does not depend
 * on keys, credits or webhooks: it calls its participants, in the order of their list, inside the
 * database transaction that records a step.
 */
import type {
  Claim,
  Settlement,
  SettlementAnnotations,
  settlementTransitions,
} from "../model/settlement.ts";
import type { Database } from "./dialect.ts";
import { toSettlement } from "./rows.ts";
import type { SettlementRow } from "./schema.ts";

/** The transaction of one step. A participant uses nothing else to reach the database. */
export interface EngineTransaction extends Pick<Database, "db" | "engine"> {
  /** The time of the step, in milliseconds since 1970. */
  readonly now: number;
  /** Stands for this one step; {@link createLocal} creates values that last as long. */
  readonly locals: object;
}

/**
 * The code of a participant's denial, `payment_identifier_conflict`, or `reverted_gas_exhausted`
 * when contract wallets have burned or reserved what they may burn.
 */
export type ClaimRefusal = string;

/** Codes are open: the feature that denies maps its codes to responses. */
export interface ClaimDenial {
  readonly code: string;
}

/** Changed annotations by the settlement's id; the engine writes them. */
export type AnnotationChanges = ReadonlyMap<string, Partial<SettlementAnnotations>>;

export interface Transition {
  /**
   * `requeued`: its transaction can never be mined. `reorganised`: its block was reorganised out.
   */
  readonly kind: Exclude<keyof typeof settlementTransitions, "signed">;
  /** The settlement after the step, with the changes of earlier participants. */
  readonly settlement: Settlement;
  readonly before: Pick<Settlement, "state" | "credits">;
  /** The relayer transaction that carries or carried it; null when there was none. */
  readonly carrierId: number | null;
}

/** The transaction that removes settlements; it records no step, and so has no time. */
export type PruneTransaction = Omit<EngineTransaction, "now">;

/** A participant's review of settlements that are about to be removed. */
export interface PruneReview {
  /** Settlements that have to stay. */
  readonly kept?: ReadonlySet<string>;
  /** Values that are exported beside a settlement, by its id. */
  readonly exported?: ReadonlyMap<string, object>;
}

/** Takes part in the life of settlements. Each hook is called once for a whole batch. */
export interface SettlementParticipant {
  /** Recorded in the database, which then does not open without this participant. */
  readonly name: string;
  /**
   * Names that a batch of claims locks until its transaction ends. All participants' names are
   * locked together and in one order, before anything is read.
   */
  locksOf?(claims: readonly Claim[]): readonly string[];
  /** Denies claims, by id; receives only those that no earlier participant denied. */
  beforeClaim?(
    tx: EngineTransaction,
    claims: readonly Claim[],
  ): Promise<ReadonlyMap<string, ClaimDenial>>;
  onClaimed?(tx: EngineTransaction, settlements: readonly Settlement[]): Promise<AnnotationChanges>;
  /** Receives the steps of a batch, with the changes of earlier participants. */
  onTransitions?(
    tx: EngineTransaction,
    transitions: readonly Transition[],
  ): Promise<AnnotationChanges>;
  /** Reviews settlements in the transaction that removes them. */
  beforePrune?(tx: PruneTransaction, ids: readonly string[]): Promise<PruneReview>;
  /** Removes rows that belong to removed settlements, in the same transaction. */
  onPruned?(tx: PruneTransaction, ids: readonly string[]): Promise<void>;
  /** Called after the commit, for metrics, logs and wake-ups: transactions may be repeated. */
  onCommitted?(transitions: readonly Transition[]): void;
}

/** The result of a hook that changes no annotation. */
export const unchanged: AnnotationChanges = new Map();

export function beginStep({ db, engine }: Database, now: number): EngineTransaction {
  return { db, engine, now, locals: {} };
}

/** Creates a value for each step, at its first use. */
export function createLocal<T>(create: () => T): (tx: Pick<EngineTransaction, "locals">) => T {
  const values = new WeakMap<object, { readonly value: T }>();
  return ({ locals }) => {
    const entry = values.get(locals) ?? { value: create() };
    values.set(locals, entry);
    return entry.value;
  };
}

/** Asks the participants in their order; returns the denials, by the claim's id. */
export async function denyClaims(
  tx: EngineTransaction,
  participants: readonly SettlementParticipant[],
  claims: readonly Claim[],
): Promise<Map<string, ClaimDenial>> {
  const denials = new Map<string, ClaimDenial>();
  for (const participant of participants) {
    const left = claims.filter(({ id }) => !denials.has(id));
    if (left.length === 0) break;
    const denied = await participant.beforeClaim?.(tx, left);
    for (const [id, denial] of denied ?? []) denials.set(id, denial);
  }
  return denials;
}

/** Calls the participants with new settlements; returns these with their changes, in order. */
export async function showClaimed(
  tx: EngineTransaction,
  participants: readonly SettlementParticipant[],
  created: readonly Settlement[],
): Promise<readonly Settlement[]> {
  let settlements = created;
  for (const participant of participants) {
    if (settlements.length === 0) break;
    const changes = await participant.onClaimed?.(tx, settlements);
    if (!changes?.size) continue;
    settlements = settlements.map((settlement) => ({
      ...settlement,
      ...changes.get(settlement.id),
    }));
    await writeAnnotations(
      tx,
      settlements.filter(({ id }) => changes.has(id)),
    );
  }
  return settlements;
}

/** Calls the participants with a batch of steps; returns these with their changes, in order. */
export async function showTransitions(
  tx: EngineTransaction,
  participants: readonly SettlementParticipant[],
  recorded: readonly Transition[],
): Promise<readonly Transition[]> {
  let transitions = recorded;
  for (const participant of participants) {
    if (transitions.length === 0) break;
    const changes = await participant.onTransitions?.(tx, transitions);
    if (!changes?.size) continue;
    transitions = transitions.map((transition) => {
      const { settlement } = transition;
      return { ...transition, settlement: { ...settlement, ...changes.get(settlement.id) } };
    });
    const settlements = transitions.map(({ settlement }) => settlement);
    await writeAnnotations(
      tx,
      settlements.filter(({ id }) => changes.has(id)),
    );
  }
  return transitions;
}

export function showCommitted(
  participants: readonly SettlementParticipant[],
  transitions: readonly Transition[],
): void {
  if (transitions.length === 0) return;
  for (const participant of participants) participant.onCommitted?.(transitions);
}

/** Every participant reviews all settlements that are about to be removed. */
export async function reviewPrune(
  tx: PruneTransaction,
  participants: readonly SettlementParticipant[],
  ids: readonly string[],
): Promise<readonly PruneReview[]> {
  const reviews: PruneReview[] = [];
  for (const participant of participants) {
    const review = await participant.beforePrune?.(tx, ids);
    if (review) reviews.push(review);
  }
  return reviews;
}

/** The step of a settlement whose row has just been changed. */
export function transitionOf(
  kind: Transition["kind"],
  row: SettlementRow,
  before: Transition["before"],
): Transition {
  const carrierId = row.transaction_id === null ? null : Number(row.transaction_id);
  return { kind, settlement: toSettlement(row), before, carrierId };
}

async function writeAnnotations(
  { db, engine }: EngineTransaction,
  settlements: readonly Settlement[],
): Promise<void> {
  const list = engine.list(
    settlements.map(({ id, keyId, credits }) => ({ of: id, of_key: keyId, of_credits: credits })),
    { of: "text", of_key: "text", of_credits: "bigint" },
  );
  await db
    .updateTable("settlements")
    .from(list)
    .set(({ ref }) => ({ key_id: ref("given.of_key"), credits: ref("given.of_credits") }))
    .whereRef("settlements.id", "=", "given.of")
    .execute();
}
