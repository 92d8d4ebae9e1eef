/**
 * Recovery. Takes over settlements and transactions that no live process owns: at start, and when
 * this process acquires a wallet whose previous owner may have died before its work was recorded.
 */
import type { ChainId } from "@farthing/protocol";
import { warning, type Log } from "../base/log.ts";
import type { Settlement } from "../model/settlement.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { OutcomeTracker } from "./outcome-tracker.ts";

export interface RecoveryDeps {
  readonly chainId: ChainId;
  readonly store: Pick<
    EngineStore,
    "listOpenSettlements" | "reopenTransactions" | "findRevertedTwice"
  >;
  readonly log: Log;
  readonly outcomes: Pick<OutcomeTracker, "catchUp" | "recheck" | "unproven" | "requeue">;
  readonly relayer: Pick<Relayer, "enqueue" | "onReorganised">;
}

/** The recovery of one network. What fails here becomes due and is repeated with the next block. */
export type Recovery = ReturnType<typeof createRecovery>;

export function createRecovery(deps: RecoveryDeps) {
  const { chainId, store, log, outcomes, relayer } = deps;
  let isDue = false;
  let isRunning = false;

  async function requeue(settlementIds: readonly string[]): Promise<void> {
    const settlements = await outcomes.requeue(settlementIds);
    // The settlements of the same batch could make one revert forever.
    const alone = await store.findRevertedTwice(settlements.map(({ id }) => id));
    for (const settlement of settlements) {
      relayer.enqueue({ settlement, simulatedAt: 0, goesAlone: alone.has(settlement.id) });
    }
  }

  /** Nonces first: a transaction that was mined and is missing may be mined again. */
  async function carryAgain(settlementIds: readonly string[]): Promise<void> {
    await store.reopenTransactions(chainId, { settlementIds: outcomes.unproven(settlementIds) });
    await relayer.onReorganised();
    await requeue(settlementIds);
  }

  async function revertReorganised(check: () => Promise<readonly string[] | undefined>) {
    const settlementIds = await check();
    if (!settlementIds) return;
    await relayer.onReorganised();
    await requeue(settlementIds);
  }

  async function run(recheck: () => Promise<void>): Promise<readonly Settlement[]> {
    await outcomes.catchUp();
    await recheck();
    const stored = await store.listOpenSettlements(chainId);
    const submitted = stored.filter(({ state }) => state === "submitted").map(({ id }) => id);
    // A process may have died between closing a transaction and requeueing its settlements.
    await carryAgain(submitted);
    return stored;
  }

  const recheck = () => revertReorganised(() => outcomes.recheck());

  /** Makes a failed step due: it may be half stored, and repeating it alone would miss that half. */
  async function orDue(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      isDue = true;
      throw error;
    }
  }

  function defer(error: unknown): void {
    isDue = true;
    const fields = { event: "recovery_failed", chainId };
    warning(log, fields, "Recovery failed; retrying with the next block")(error);
  }

  async function runWhileDue(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      while (isDue) {
        isDue = false;
        await run(recheck);
      }
    } catch (error) {
      defer(error);
    } finally {
      isRunning = false;
    }
  }

  return {
    /**
     * Returns the settlements that are still open. Throws when the store or the node cannot be read. A
     * refused check for reorganised-out blocks is repeated: no confirmation becomes final before it.
     */
    run: () => run(() => recheck().catch(defer)),
    /** Runs again: after a wallet was acquired, or the database may have been replaced. */
    repeat() {
      isDue = true;
      void runWhileDue();
    },
    isDue: () => isDue,
    /** Repeats what is due. */
    onBlock: () => void runWhileDue(),
    /**
     * Settles again what waits and no open transaction carries. Its nonce may be stored as used by a block
     * that is gone, where a failover has lost the payment's outcome and not the nonce's end.
     */
    requeueWaiting: (settlementIds: readonly string[]) => orDue(() => carryAgain(settlementIds)),
    /** Settles again what no transaction carries any more. */
    requeue: (settlementIds: readonly string[]) => orDue(() => requeue(settlementIds)),
    /** Reopens the transactions of blocks that `check` finds reorganised out; requeues the rest. */
    revertReorganised: (check: () => Promise<readonly string[] | undefined>) =>
      orDue(() => revertReorganised(check)),
  };
}
