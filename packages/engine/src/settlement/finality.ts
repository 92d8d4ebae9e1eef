/**
 * Records that confirmed settlements can no longer be reorganised out. A failure is logged and
 * repeated with the next block; it delays neither the relayer nor the start of the service.
 */
import type { Hex } from "@farthing/protocol";
import { warning, type Runtime } from "../base/log.ts";
import type { BlockName } from "../chain/logs/block-events.ts";
import type { ChainFacts } from "../chain/follower/chain-view.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { readBlockHash } from "../chain/reads/reads.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { Waiters } from "./waiters.ts";

/** Remembered blocks: on XDC a block is final after a handful more. */
const rememberedBlocks = 128;

export type Finality = ReturnType<typeof createFinality>;

type FinalView = { readonly finalized: Pick<ChainFacts["finalized"], "number"> };

interface FinalityDeps extends Runtime {
  readonly chain: Chain;
  readonly store: Pick<EngineStore, "listUnfinalizedBlocks" | "recordFinalized">;
  readonly waiters: Waiters;
}

export function createFinality(deps: FinalityDeps) {
  const { chain, store, clock, log, waiters } = deps;
  const { chainId } = chain.network;
  /** Blocks of stored confirmations, until they have been seen in the chain. */
  const unchecked = new Map<number, Hex>();
  /** Hashes of blocks that have been seen in the chain, by number. */
  const seen = new Map<number, Hex>();
  let unfinalizedUpTo = 0;
  /** Counts confirmations, so that one which comes while the database is asked is not forgotten. */
  let notes = 0;
  let mustReadPast = false;

  function noteConfirmed(blockNumber: number): void {
    unfinalizedUpTo = Math.max(unfinalizedUpTo, blockNumber);
    notes++;
  }

  async function tryReadPast(): Promise<void> {
    for (const { number, hash } of await store.listUnfinalizedBlocks(chainId)) {
      unchecked.set(number, hash);
      noteConfirmed(number);
    }
    mustReadPast = false;
  }

  async function finalize(view: FinalView): Promise<void> {
    if (mustReadPast) await tryReadPast();
    // A block must be known to be in the chain before it becomes final.
    if (unfinalizedUpTo === 0 || unchecked.size > 0) return;
    // Another process may have confirmed settlements in a block other than the one seen here.
    for (const { number, hash } of await store.listUnfinalizedBlocks(chainId)) {
      if (number > view.finalized.number) break;
      if (seen.get(number) !== hash) unchecked.set(number, hash);
    }
    if (unchecked.size > 0) return;
    const notesBefore = notes;
    const final = await store.recordFinalized(chainId, view.finalized.number, clock.nowMs());
    waiters.notify(final);
    // What was confirmed meanwhile may be in a final block already, and the statement missed it.
    if (view.finalized.number >= unfinalizedUpTo && notes === notesBefore) unfinalizedUpTo = 0;
  }

  const repeatLater = warning(
    log,
    { event: "finality_not_recorded", chainId },
    "Finality not recorded; retrying with the next block",
  );

  return {
    /** Remembers that the chain contains this block. */
    noteBlock({ number, hash }: BlockName) {
      seen.set(number, hash);
      // By age rather than by number, since some numbers are skipped.
      const [oldest] = seen.keys();
      if (seen.size > rememberedBlocks && oldest !== undefined) seen.delete(oldest);
    },
    noteConfirmed,
    /** Whether some confirmed settlement is not final yet. */
    isAwaited: () => mustReadPast || unfinalizedUpTo > 0,
    /** Reads which stored confirmations are not final yet; the next head repeats a failed read. */
    readPast() {
      mustReadPast = true;
      return tryReadPast().catch(repeatLater);
    },
    /** Records settlements that became final. Never rejects. */
    onHead: (view: FinalView) => finalize(view).catch(repeatLater),
    /** A block with stored confirmations that left the chain; a node without it proves nothing. */
    async findReorganisedOut() {
      for (const [number, hash] of unchecked) {
        const found = await readBlockHash(chain, number);
        if (found === undefined) continue;
        unchecked.delete(number);
        if (found !== hash) return { number, hash };
        seen.set(number, hash);
      }
      return undefined;
    },
  };
}
