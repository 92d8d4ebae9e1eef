/**
 * Transitions of settlements after the claim. Each is a guarded update of a whole batch, in one
 * transaction with the work of the engine and its participants.
 */
import type { ExpressionBuilder } from "kysely";
import { assert } from "../base/assert.ts";
import { firstByKey } from "../base/first-by-key.ts";
import { openTransactionStates } from "../model/relayer-transaction.ts";
import {
  settlementTransitions,
  type Settlement,
  type TransitionCondition,
} from "../model/settlement.ts";
import { inTransaction, type Database } from "./dialect.ts";
import { watchFailures } from "./failure-watches.ts";
import {
  beginStep,
  showCommitted,
  showTransitions,
  transitionOf,
  type EngineTransaction,
  type SettlementParticipant,
  type Transition,
} from "./participant.ts";
import { pausePayers } from "./payer-pauses.ts";
import { countForPayers } from "./proven-payers.ts";
import { closeRevertedGas } from "./reverted-gas.ts";
import { settlementColumns, type SettlementRow, type Tables } from "./schema.ts";
import { isOneOf, lockSettlements } from "./settlements.ts";
import type { EngineStore, Failure } from "./engine-store.ts";

/** Updates rows, and returns the transitions. */
type Update = (tx: EngineTransaction) => Promise<Transition[]>;

/** Records transitions with their effects, one update after the other; returns the settlements after them. */
type Record = (now: number, ...updates: readonly Update[]) => Promise<Settlement[]>;

type Step<Name extends keyof EngineStore> = (
  record: Record,
  ...parameters: Parameters<EngineStore[Name]>
) => ReturnType<EngineStore[Name]>;

export function transitionMethods(
  database: Database,
  participants: readonly SettlementParticipant[],
) {
  const record: Record = async (now, ...updates) => {
    const transitions = await inTransaction(database, async (inside) => {
      const tx = beginStep(inside, now);
      const shown: Transition[] = [];
      for (const update of updates) {
        shown.push(...(await showTransitions(tx, participants, await update(tx))));
      }
      const ids = shown.map(({ settlement }) => settlement.id);
      await tx.engine.changes.announce(tx.db, { kind: "changed", ids });
      return shown;
    });
    showCommitted(participants, transitions);
    // Of several steps of a settlement, the last one.
    return [...new Map(transitions.map(({ settlement }) => [settlement.id, settlement])).values()];
  };
  return {
    recordConfirmed: confirm.bind(undefined, record),
    recordFailed: fail.bind(undefined, record),
    requeueSettlements: requeue.bind(undefined, record),
    recordReorganised: reorganise.bind(undefined, record),
    recordFinalized: finalize.bind(undefined, record),
  } satisfies Partial<EngineStore>;
}

type Where = ExpressionBuilder<Tables, "settlements">;

const conditions = {
  uncarried: ({ not, exists, selectFrom }: Where, finalized: number) =>
    not(
      exists(
        selectFrom("transaction_settlements as link")
          .innerJoin("relayer_transactions as carrier", "carrier.id", "link.transaction_id")
          .select("carrier.id")
          .whereRef("link.settlement_id", "=", "settlements.id")
          .where(({ or, and, eb }) =>
            or([
              eb("carrier.state", "in", openTransactionStates),
              and([eb("carrier.state", "=", "mined"), eb("carrier.block_number", ">", finalized)]),
            ]),
          ),
      ),
    ),
  unfinalized: (where: Where) => where("finalized_at", "is", null),
} satisfies { readonly [Name in TransitionCondition]: unknown };

/**
 * The condition that the table allows a transition of a settlement. `finalized` is the newest final block,
 * by which it is carried no more.
 */
function isAllowed(kind: Transition["kind"], finalized = 0) {
  const transition = settlementTransitions[kind];
  const { from } = transition;
  const [first] = from;
  const isIn = (where: Where) =>
    from.length === 1 ? where("state", "=", first) : where("state", "in", from);
  if (!("only" in transition)) return isIn;
  return (where: Where) => where.and([isIn(where), conditions[transition.only](where, finalized)]);
}

/** The first of each settlement: one statement changes a row once. */
function firstOfEachId<T extends { readonly id: string }>(items: readonly T[]) {
  return [...firstByKey(items, ({ id }) => id).values()];
}

const confirm: Step<"recordConfirmed"> = async (record, confirmations, now) => {
  const changes = firstOfEachId(confirmations).map(({ id, mined }) => ({
    of: id,
    hash: mined.transaction,
    block: mined.blockNumber,
    block_hash: mined.blockHash,
    log_index: mined.logIndex,
    settled_by: mined.settledBy,
  }));
  return recordNamed(record, "confirmed", {
    now,
    ids: changes.map(({ of }) => of),
    update: ({ db, engine }) => {
      const list = engine.list(changes, {
        of: "text",
        hash: "text",
        block: "bigint",
        block_hash: "text",
        log_index: "bigint",
        settled_by: "text",
      });
      return db
        .updateTable("settlements")
        .from(list)
        .set(({ ref }) => ({
          state: settlementTransitions.confirmed.to,
          transaction_hash: ref("given.hash"),
          block_number: ref("given.block"),
          block_hash: ref("given.block_hash"),
          log_index: ref("given.log_index"),
          settled_by: ref("given.settled_by"),
          confirmed_at: now,
          earlier_failure: ref("settlements.failure"),
          earlier_failure_message: ref("settlements.failure_message"),
          failure: null,
          failure_message: null,
          failed_at: null,
        }))
        .whereRef("settlements.id", "=", "given.of")
        .where(isAllowed("confirmed"))
        .returning(settlementColumns)
        .execute();
    },
    follow: closeRevertedGas,
  });
};

const fail: Step<"recordFailed"> = async (record, failures, now) => {
  const changes = firstOfEachId(failures).map(({ id, code, message, transaction, ...failure }) => ({
    of: id,
    code,
    message,
    hash: transaction,
    only_unassigned: failure.onlyUnassigned === true ? 1 : 0,
    only_amount: failure.authorization?.amount.toString() ?? null,
    only_before: failure.authorization?.validBefore.toString() ?? null,
  }));
  return recordNamed(record, "failed", {
    now,
    ids: changes.map(({ of }) => of),
    update: ({ db, engine }) => {
      const list = engine.list(changes, {
        of: "text",
        code: "text",
        message: "text",
        hash: "text",
        only_unassigned: "bigint",
        only_amount: "text",
        only_before: "text",
      });
      return db
        .updateTable("settlements")
        .from(list)
        .set(({ ref }) => ({
          state: settlementTransitions.failed.to,
          failure: ref("given.code"),
          failure_message: ref("given.message"),
          transaction_hash: ref("given.hash"),
          failed_at: now,
        }))
        .whereRef("settlements.id", "=", "given.of")
        .where(isAllowed("failed"))
        .where((where) =>
          where.or([where("given.only_unassigned", "=", 0), where("transaction_id", "is", null)]),
        )
        .where(({ eb, or, ref }) =>
          or([
            eb("given.only_amount", "is", null),
            eb("amount", "=", ref("given.only_amount")).and(
              eb("valid_before", "=", ref("given.only_before")),
            ),
          ]),
        )
        .returning(settlementColumns)
        .execute();
    },
    follow: async (tx, rows) => {
      await closeRevertedGas(tx, rows);
      await pausePayers(tx, blamed(rows, failures), now);
      await watchFailures(tx, rows, now);
    },
  });
};

/** The failed settlements that pause their payers. */
function blamed(
  rows: readonly SettlementRow[],
  failures: readonly Failure[],
): readonly SettlementRow[] {
  const ids = new Set(failures.flatMap(({ id, pausesPayer }) => (pausesPayer ? [id] : [])));
  return rows.filter(({ id }) => ids.has(id));
}

/** Records transitions of named settlements; returns the changed ones in the order of the names. */
async function recordNamed(
  record: Record,
  kind: "confirmed" | "failed",
  named: {
    readonly now: number;
    readonly ids: readonly string[];
    update(tx: EngineTransaction): Promise<SettlementRow[]>;
    /** Updates the engine's other tables. */
    follow(tx: EngineTransaction, rows: readonly SettlementRow[]): Promise<void>;
  },
): Promise<Settlement[]> {
  const { now, ids } = named;
  if (ids.length === 0) return [];
  return record(now, async (tx) => {
    const before = await lockStates(tx, isOneOf(tx.engine, ids));
    const moved = new Map((await named.update(tx)).map((row) => [row.id, row]));
    const rows = ids.flatMap((id) => moved.get(id) ?? []);
    await named.follow(tx, rows);
    return rows.map((row) => {
      const known = before.get(row.id);
      assert(known, "a settlement that moved was locked before");
      return transitionOf(kind, row, known);
    });
  });
}

/** Locks settlements like {@link lockSettlements}; returns their states before the transition. */
async function lockStates({ db, engine }: Database, which: ReturnType<typeof isOneOf>) {
  let query = db
    .selectFrom("settlements")
    .select(["id", "state", "credits"])
    .where(which)
    .orderBy("id");
  if (engine.hasRowLocks) query = query.forUpdate();
  const rows = await query.execute();
  return new Map(rows.map(({ id, state, credits }) => [id, { state, credits: Number(credits) }]));
}

/** A step from a single state that leaves the price unchanged. */
function unpricedStep(kind: "requeued" | "reorganised" | "finalized", row: SettlementRow) {
  const [state] = settlementTransitions[kind].from;
  return transitionOf(kind, row, { state, credits: Number(row.credits) });
}

const requeue: Step<"requeueSettlements"> = async (record, ids, now, finalized) => {
  if (ids.length === 0) return [];
  return record(now, async (tx) => {
    const which = isOneOf(tx.engine, ids);
    await lockSettlements(tx, which);
    const rows = await tx.db
      .updateTable("settlements")
      .set({
        state: settlementTransitions.requeued.to,
        transaction_id: null,
        transaction_hash: null,
        submitted_at: null,
      })
      .where(which)
      .where(isAllowed("requeued", finalized))
      .returning(settlementColumns)
      .execute();
    return rows.map((row) => unpricedStep("requeued", row));
  });
};

const reorganise: Step<"recordReorganised"> = async (record, chainId, fromBlock, now, hashes) => {
  if (hashes?.length === 0) return [];
  const which = (where: ExpressionBuilder<Tables, "settlements">) =>
    where.and([
      where("chain_id", "=", chainId),
      isAllowed("reorganised")(where),
      where("block_number", ">=", fromBlock),
      ...(hashes ? [where("block_hash", "in", hashes)] : []),
    ]);
  let reverted: readonly string[] = [];
  const revert: Update = async (tx) => {
    await lockSettlements(tx, which);
    const rows = await tx.db
      .updateTable("settlements")
      .set(({ selectFrom }) => ({
        state: settlementTransitions.reorganised.to,
        // The relayer's transaction again, where a third party's had settled it.
        transaction_hash: selectFrom("relayer_transactions as carrier")
          .select("carrier.hash")
          .whereRef("carrier.id", "=", "settlements.transaction_id"),
        block_number: null,
        block_hash: null,
        log_index: null,
        settled_by: null,
        confirmed_at: null,
      }))
      .where(which)
      .returning(settlementColumns)
      .execute();
    reverted = rows.map(({ id }) => id);
    return rows.map((row) => unpricedStep("reorganised", row));
  };
  return record(now, revert, (tx) => failAgain(tx, reverted));
};

/**
 * What had failed before a third party made its payment fails again, and no transaction of ours moves
 * its money: its caller was told so.
 */
async function failAgain(tx: EngineTransaction, ids: readonly string[]): Promise<Transition[]> {
  if (ids.length === 0) return [];
  const rows = await tx.db
    .updateTable("settlements")
    .set(({ ref }) => ({
      state: settlementTransitions.failed.to,
      failure: ref("earlier_failure"),
      failure_message: ref("earlier_failure_message"),
      failed_at: tx.now,
    }))
    .where(isOneOf(tx.engine, ids))
    .where(isAllowed("failed"))
    .where("earlier_failure", "is not", null)
    .returning(settlementColumns)
    .execute();
  await watchFailures(tx, rows, tx.now);
  const { to: state } = settlementTransitions.reorganised;
  return rows.map((row) => transitionOf("failed", row, { state, credits: Number(row.credits) }));
}

const finalize: Step<"recordFinalized"> = (record, chainId, upToBlock, now) => {
  const which = (where: ExpressionBuilder<Tables, "settlements">) =>
    where.and([
      where("chain_id", "=", chainId),
      isAllowed("finalized")(where),
      where("block_number", "<=", upToBlock),
    ]);
  return record(now, async (tx) => {
    await lockSettlements(tx, which);
    const rows = await tx.db
      .updateTable("settlements")
      // Nothing signs or sends it again, so the signature is removed.
      .set({ finalized_at: now, signature: "0x" })
      .where(which)
      .returning(settlementColumns)
      .execute();
    await countForPayers(tx, rows, now);
    return rows.map((row) => unpricedStep("finalized", row));
  });
};
