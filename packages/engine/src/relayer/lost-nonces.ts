/**
 * Nonces of a wallet that the database has lost while their transactions may be on their way. The next
 * nonce stays where the database has it until what used them is found, since a process that ends before
 * that leaves the next one nothing else to notice the loss by.
 */
import type { Address } from "@farthing/protocol";
import type { Chain } from "../chain/endpoints/chain.ts";
import type { Log } from "../base/log.ts";
import { readTransactionCount } from "../chain/reads/reads.ts";
import { isBehindChain } from "../model/lost-commits.ts";
import type { LeaseHandle } from "./lease-handle.ts";
import type { LossSearch } from "./loss-search.ts";

interface LostNoncesDeps {
  readonly chain: Chain;
  readonly log: Log;
  readonly relayer: Address;
  readonly lease: Pick<LeaseHandle, "take">;
  readonly lost: Pick<LossSearch, "mayRaise" | "search">;
}

export type LostNonces = ReturnType<typeof createLostNonces>;

export function createLostNonces({ chain, log, relayer, lease, lost }: LostNoncesDeps) {
  /** The first of them; undefined while there is none. */
  let from: number | undefined;

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
      lost.search();
    },
    /** Raises the next nonce past them; false while transactions that used them are searched. */
    async keepAway(nextNonce: number): Promise<boolean> {
      if (from === undefined) return true;
      const count = await readTransactionCount(chain, relayer);
      return (await lost.mayRaise(relayer, count)) && (await lease.take(nextNonce)) !== undefined;
    },
    /** Gaps are filled from this nonce on. What is below may have been mined after the search. */
    end(firstUnused: number): void {
      if (from !== undefined && isBehindChain(from, firstUnused)) lost.search();
      from = undefined;
    },
  };
}
