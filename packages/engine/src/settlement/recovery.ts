/**
 * Taking stock: what is stored and perhaps in nobody's hands any more comes into ours. At the
 * start, and whenever a wallet comes from another process: that one may have died with more in hand
 * than the wallet's open nonces.
 */
import type { ChainId } from "@farthing/protocol";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Settlement } from "../model/settlement.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { OutcomeBook, Vanished } from "./outcome-book.ts";

/** A network's stock. */
export interface Stock {
  /**
   * Takes it; returns the settlements without an outcome. Throws when it cannot all be looked at,
   * except for the blocks that may have vanished: where that fails, stock is due.
   */
  take(): Promise<readonly Settlement[]>;
  /** A wallet came from another process. */
  onTaken(): void;
  /** Whether there is something to look at still. */
  isDue(): boolean;
  /** Tries again what could not be looked at; called with each block. */
  onBlock(): void;
  /** Settles again what nothing open carries. Where this fails, stock is due. */
  requeue(settlementIds: readonly string[]): Promise<void>;
  /**
   * Looks which blocks vanished; what they had confirmed is on its way again, or settled again.
   * Where this fails, stock is due.
   */
  putBack(look: () => Promise<Vanished | undefined>): Promise<void>;
}

/** Creates it. */
export function createStock(deps: {
  readonly chainId: ChainId;
  readonly store: Pick<
    EngineStore,
    "listOpenSettlements" | "reopenTransactions" | "findRevertedTwice"
  >;
  readonly log: Log;
  readonly book: Pick<OutcomeBook, "catchUp" | "recheck" | "missing" | "requeue">;
  readonly relayer: Pick<Relayer, "enqueue" | "onReorganised">;
}): Stock {
  const { chainId, store, log, book, relayer } = deps;
  let isDue = false;
  let isTaking = false;

  async function requeue(settlementIds: readonly string[]): Promise<void> {
    const settlements = await book.requeue(settlementIds);
    // The same company could make it revert for ever.
    const alone = await store.findRevertedTwice(settlements.map(({ id }) => id));
    for (const settlement of settlements) {
      relayer.enqueue({ settlement, simulatedAt: 0, goesAlone: alone.has(settlement.id) });
    }
  }

  async function putBack(look: () => Promise<Vanished | undefined>): Promise<void> {
    const vanished = await look();
    if (!vanished) return;
    // Whatever of ours was in those blocks is on its way again; what nothing carries is queued.
    await relayer.onReorganised();
    await requeue(vanished.settlementIds);
  }

  async function take(recheck: () => Promise<void>): Promise<readonly Settlement[]> {
    await book.catchUp();
    await recheck();
    const stored = await store.listOpenSettlements(chainId);
    const submitted = stored.filter(({ state }) => state === "submitted").map(({ id }) => id);
    // First the nonces: what was mined and is not found may come back, so it keeps its carrier.
    await store.reopenTransactions(chainId, { settlementIds: book.missing(submitted) });
    await relayer.onReorganised();
    // Only those that nothing open carries: a process died between closing and giving back.
    await requeue(submitted);
    return stored;
  }

  /** Half of a step may be stored: asked again, it would not find what it left. */
  async function orDue(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      isDue = true;
      throw error;
    }
  }

  function putOff(error: unknown): void {
    isDue = true;
    log.warn({ chainId, problem: messageOf(error) }, "Could not take over what is stored");
  }

  async function takeWhileDue(): Promise<void> {
    if (isTaking) return;
    isTaking = true;
    try {
      while (isDue) {
        isDue = false;
        await take(() => putBack(() => book.recheck()));
      }
    } catch (error) {
      putOff(error);
    } finally {
      isTaking = false;
    }
  }

  return {
    // A node that refuses this question, by a rate limit for one, must not keep the service from
    // starting: no confirmation becomes final before it is answered.
    take: () => take(() => putBack(() => book.recheck()).catch(putOff)),
    onTaken() {
      isDue = true;
      void takeWhileDue();
    },
    isDue: () => isDue,
    onBlock: () => void takeWhileDue(),
    requeue: (settlementIds) => orDue(() => requeue(settlementIds)),
    putBack: (look) => orDue(() => putBack(look)),
  };
}
