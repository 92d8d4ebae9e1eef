/**
 * Settlements that the database had lost and the chain has shown. They belong to no one until a caller
 * repeats one: its account then gets the settlement as if it had claimed it, with its price, its books
 * and its events.
 */
import { toLowerHex } from "@farthing/protocol";
import { assert } from "../base/assert.ts";
import type { Claim, Settlement } from "../model/settlement.ts";
import { bindCall, isUnbound } from "./claiming-calls.ts";
import { findByKeys } from "./claims.ts";
import { inTransaction, type Database } from "./dialect.ts";
import type { BindResult, EngineStore } from "./engine-store.ts";
import {
  beginStep,
  denyClaims,
  showClaimed,
  showCommitted,
  showTransitions,
  transitionOf,
  type EngineTransaction,
  type SettlementParticipant,
  type Transition,
} from "./participant.ts";
import { toSettlement } from "./rows.ts";
import { settlementColumns, type SettlementRow } from "./schema.ts";

export function recoveredMethods(
  database: Database,
  participants: readonly SettlementParticipant[],
) {
  return {
    bindClaim: async (claim, now) => {
      const { result, transitions } = await inTransaction(database, (inside) =>
        bind(beginStep(inside, now), claim, participants),
      );
      showCommitted(participants, transitions);
      return result;
    },
  } satisfies Partial<EngineStore>;
}

interface Bound {
  readonly result: BindResult;
  readonly transitions: readonly Transition[];
}

const nothing: readonly Transition[] = [];

async function bind(
  tx: EngineTransaction,
  claim: Claim,
  participants: readonly SettlementParticipant[],
): Promise<Bound> {
  const { id, claimingCall, refund } = claim;
  await tx.engine.lockNames(
    tx.db,
    participants.flatMap((participant) => participant.locksOf?.([claim]) ?? []),
  );
  const mayBind = claimingCall !== null || refund !== undefined;
  if (!mayBind || !(await isUnbound(tx, id))) {
    return { result: { kind: "existing" }, transitions: nothing };
  }
  // Nothing is spent for a caller without an account, so no limit applies.
  const denials = claim.owner === null ? undefined : await denyClaims(tx, participants, [claim]);
  const denial = denials?.get(id);
  if (denial) return { result: { kind: "refused", reason: denial.code }, transitions: nothing };
  await bindCall(tx, id, claimingCall);
  const row = await assign(tx, claim);
  if (claim.owner === null) {
    return { result: { kind: "bound", settlement: toSettlement(row) }, transitions: nothing };
  }
  await showClaimed(tx, participants, [asClaimed(toSettlement(row))]);
  const [first, ...later] = stepsOf(row);
  const shown = first ? await showTransitions(tx, participants, [first]) : nothing;
  const after = await showTransitions(tx, participants, later);
  const known = await findByKeys(tx, [claim]);
  const [settlement] = [...known.values()];
  assert(settlement, "a settlement is there after its claim was bound");
  return { result: { kind: "bound", settlement }, transitions: [...shown, ...after] };
}

async function assign(
  { db }: EngineTransaction,
  { id, owner, keyId, credits, requestId }: Claim,
): Promise<SettlementRow> {
  const account = owner === null ? null : toLowerHex(owner);
  return db
    .updateTable("settlements")
    .set({ account, key_id: keyId, credits, request_id: requestId })
    .where("id", "=", id)
    .returning(settlementColumns)
    .executeTakeFirstOrThrow();
}

/** As it would have been at its claim. */
function asClaimed(settlement: Settlement): Settlement {
  return { ...settlement, state: "queued", confirmedAt: null, finalizedAt: null, failedAt: null };
}

/** The steps that its account has missed, in their order. */
function stepsOf(row: SettlementRow): Transition[] {
  if (row.state !== "confirmed") return [];
  const credits = Number(row.credits);
  const confirmed = { ...row, finalized_at: null };
  const steps = [transitionOf("confirmed", confirmed, { state: "queued", credits })];
  if (row.finalized_at === null) return steps;
  return [...steps, transitionOf("finalized", row, { state: "confirmed", credits })];
}
