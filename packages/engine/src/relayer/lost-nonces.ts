/**
 * Nonces of a wallet that the database has lost while their transactions may be on their way. The next
 * nonce stays where the database has it until what used them is found, since a process that ends before
 * that leaves the next one nothing else to notice the loss by.
 */
import type { Address } from "@farthing/protocol";
import type { Chain } from "../chain/endpoints/chain.ts";
import { steadyClockOf } from "../base/clock.ts";
import type { Runtime } from "../base/log.ts";
import { readCountAt, readTransactionCount } from "../chain/reads/reads.ts";
import { isBehindChain, mayBeMined } from "../model/lost-commits.ts";
import type { LeaseHandle } from "./lease-handle.ts";
import type { LossSearch } from "./loss-search.ts";

/**
 * A wallet without gas uses no nonce, neither for what was lost nor for what takes its place. As long as a
 * search waits for a node, refusals wait for the wallet; then callers get them again.
 */
const openMaxMs = 10 * 60_000;

interface LostNoncesDeps extends Runtime {
  readonly chain: Chain;
  readonly relayer: Address;
  readonly lease: Pick<LeaseHandle, "take">;
  readonly lost: Pick<LossSearch, "mayRaise" | "search">;
  finalizedNumber(): number;
}

export type LostNonces = ReturnType<typeof createLostNonces>;

export function createLostNonces(deps: LostNoncesDeps) {
  const { chain, log, relayer, lease, lost } = deps;
  const steady = steadyClockOf(deps.clock);
  /** The first of them; undefined while there is none. */
  let from: number | undefined;
  /** One past the last of all that were lost. */
  let lostTo = 0;
  /** Since when refusals wait for them; undefined once a final block has used them, or for too long. */
  let openSinceMs: number | undefined;

  function open(nextNonce: number): void {
    lostTo = Math.max(lostTo, nextNonce);
    openSinceMs = steady.nowMs();
  }

  return {
    isKnown: () => from !== undefined,
    /** The database gives a nonce again; `nextNonce` is what this process remembers. */
    note(nonce: number, nextNonce: number): void {
      const fields = {
        event: "store_went_back",
        chainId: chain.network.chainId,
        relayer,
        nextNonce,
      };
      log.error(fields, "Database lost transactions of a relayer wallet; loading what it has");
      from = Math.min(from ?? nonce, nonce);
      open(nextNonce);
      lost.search();
    },
    /** Raises the next nonce past them; false while transactions that used them are searched. */
    async keepAway(nextNonce: number): Promise<boolean> {
      if (from === undefined) return true;
      const count = await readTransactionCount(chain, relayer);
      return (await lost.mayRaise(relayer, count)) && (await lease.take(nextNonce)) !== undefined;
    },
    /**
     * The database would give nonces again that this process knows, also of a wallet that another one
     * holds now. The same ones are waited for once.
     */
    noteKnown(nextNonce: number): void {
      if (nextNonce > lostTo) open(nextNonce);
    },
    /** Whether a block may still contain a transaction that was lost. Throws RPC faults. */
    async mayBeMined(): Promise<boolean> {
      const sinceMs = openSinceMs;
      if (sinceMs === undefined) return false;
      const finalCount = await readCountAt(chain, relayer, deps.finalizedNumber());
      if (mayBeMined(finalCount, lostTo) && steady.nowMs() - sinceMs < openMaxMs) return true;
      if (openSinceMs === sinceMs) openSinceMs = undefined;
      return openSinceMs !== undefined;
    },
    /** Gaps are filled from this nonce on. What is below may have been mined after the search. */
    end(firstUnused: number): void {
      if (from !== undefined && isBehindChain(from, firstUnused)) lost.search();
      from = undefined;
    },
  };
}
