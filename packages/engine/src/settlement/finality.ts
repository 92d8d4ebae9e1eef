/**
 * Finality: records that confirmed settlements can no longer be reorganised away. Nothing waits for
 * it but what asks for it by name, so a failure here is logged and tried again with the next block;
 * it never keeps the relayer from its block or the service from starting.
 */
import type { Hex } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { BlockName } from "../chain/block-events.ts";
import type { ChainView } from "../chain/block-follower.ts";
import type { Chain } from "../chain/chain.ts";
import { readBlockHash } from "../chain/reads.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { Waiters } from "./waiters.ts";

/** Blocks that are remembered: finality comes within a handful on XDC. */
const rememberedBlocks = 128;

/** The finality of one network's confirmed settlements. */
export interface Finality {
  /** The chain holds this block. */
  noteBlock(block: BlockName): void;
  /** A settlement is confirmed in this block. */
  noteConfirmed(blockNumber: number): void;
  /** Whether a confirmed settlement is not final yet, as far as is known. */
  isAwaited(): boolean;
  /** Reads which stored confirmations are not final yet. Where that fails, the next head tries again. */
  readPast(): Promise<void>;
  /** Records what became final. Never rejects. */
  onHead(view: ChainView): Promise<void>;
  /**
   * Returns a block with stored confirmations that the chain does not hold any more. A node that
   * does not have the block proves nothing; it is asked again.
   */
  findVanished(): Promise<BlockName | undefined>;
}

/** What finality needs. */
export interface FinalityDeps {
  readonly chain: Chain;
  readonly store: Pick<EngineStore, "listUnfinalizedBlocks" | "recordFinalized">;
  readonly clock: Clock;
  readonly log: Log;
  readonly waiters: Waiters;
}

/** Creates the finality of a network. */
export function createFinality({ chain, store, clock, log, waiters }: FinalityDeps): Finality {
  const { chainId } = chain.network;
  /** Blocks of stored confirmations, until the chain has been seen to hold them. */
  const unchecked = new Map<number, Hex>();
  /** Blocks that the chain has been seen to hold, by number. */
  const seen = new Map<number, Hex>();
  let unfinalizedUpTo = 0;
  /** Whether stored confirmations could not be read yet. */
  let mustReadPast = false;

  function noteConfirmed(blockNumber: number): void {
    unfinalizedUpTo = Math.max(unfinalizedUpTo, blockNumber);
  }

  async function tryReadPast(): Promise<void> {
    for (const { number, hash } of await store.listUnfinalizedBlocks(chainId)) {
      unchecked.set(number, hash);
      noteConfirmed(number);
    }
    mustReadPast = false;
  }

  async function finalize(view: ChainView): Promise<void> {
    if (mustReadPast) await tryReadPast();
    // What is not known to be in the chain any more must not become final.
    if (unfinalizedUpTo === 0 || unchecked.size > 0) return;
    // Nor what another process has seen in a block that is not the one seen here.
    for (const { number, hash } of await store.listUnfinalizedBlocks(chainId)) {
      if (number > view.finalized.number) break;
      if (seen.get(number) !== hash) unchecked.set(number, hash);
    }
    if (unchecked.size > 0) return;
    const final = await store.recordFinalized(chainId, view.finalized.number, clock.nowMs());
    waiters.notify(final);
    if (view.finalized.number >= unfinalizedUpTo) unfinalizedUpTo = 0;
  }

  /** Tries a step whose failure costs nothing but time. */
  async function orLater(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      log.warn(
        { event: "finality_not_recorded", chainId, problem: messageOf(error) },
        "Could not record finality; retrying with the next block",
      );
    }
  }

  return {
    noteBlock({ number, hash }) {
      seen.set(number, hash);
      // The oldest, and not by its number: where blocks are passed over, numbers are left out.
      const [oldest] = seen.keys();
      if (seen.size > rememberedBlocks && oldest !== undefined) seen.delete(oldest);
    },
    noteConfirmed,
    isAwaited: () => mustReadPast || unfinalizedUpTo > 0,
    readPast() {
      mustReadPast = true;
      return orLater(tryReadPast);
    },
    onHead: (view) => orLater(() => finalize(view)),
    async findVanished() {
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
