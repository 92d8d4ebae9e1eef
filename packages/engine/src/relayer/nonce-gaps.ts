/**
 * Nonces of a wallet that hold up all that come after them, because nothing that is on its way will
 * use them.
 */
import type { Address } from "@farthing/protocol";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import { readNonceUse, readTransactionCount } from "../chain/reads.ts";
import type { EngineStore } from "../storage/engine-store.ts";

/**
 * Nonces that are looked at in one go: more than a wallet may have on its way, so that none is left
 * out, and few enough that a count which was wrong costs little gas.
 */
export const gapsMax = 16;

/** What looking for them needs. */
export interface GapDeps {
  readonly chain: Chain;
  readonly store: Pick<EngineStore, "countMinedNonces" | "reopenTransactions">;
  readonly log: Log;
  finalizedNumber(): number;
}

/**
 * The lowest nonce of a wallet that may be unused. Those below that are stored as used up to a final
 * block, and are not used there, are open again: their blocks went while nobody looked. Where their
 * signed bytes are gone by then, they are unused.
 */
export async function firstUnusedNonce(deps: GapDeps, wallet: Address): Promise<number> {
  const { chain, store } = deps;
  // Whoever worked the wallet before may have asked a node that is ahead of ours.
  const countStored = () => store.countMinedNonces(chain.network.chainId, wallet);
  const [seen, stored] = await Promise.all([readTransactionCount(chain, wallet), countStored()]);
  if (seen >= stored) return seen;
  await reopenUnused(deps, wallet);
  return Math.max(seen, await countStored());
}

async function reopenUnused(deps: GapDeps, wallet: Address): Promise<void> {
  const { chain, store, log } = deps;
  const { chainId } = chain.network;
  const upToBlock = deps.finalizedNumber();
  try {
    const question = { wallet, hashes: [], blockNumber: upToBlock };
    const use = await readNonceUse(chain, question, "here");
    if (!use) return;
    await store.reopenTransactions(chainId, { lane: wallet, fromNonce: use.count, upToBlock });
  } catch (error) {
    // Mostly it is the node that lags; looked at again while anything waits.
    const fields = { chainId, relayer: wallet, problem: messageOf(error) };
    log.warn(fields, "Could not look for nonces whose blocks have gone");
  }
}
