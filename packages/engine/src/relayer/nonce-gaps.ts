/** Nonces that no pending transaction will use, and that hold up all later ones of the wallet. */
import type { Address } from "@farthing/protocol";
import { warning, type Log } from "../base/log.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { readNonceUse, readTransactionCount } from "../chain/reads/reads.ts";
import type { EngineStore } from "../storage/engine-store.ts";

/** More than a wallet may have pending, and few enough that a wrong count costs little gas. */
export const gapsMax = 16;

export interface GapDeps {
  readonly chain: Chain;
  readonly store: Pick<EngineStore, "countMinedNonces" | "reopenTransactions">;
  readonly log: Log;
  finalizedNumber(): number;
}

/**
 * The lowest nonce that may be unused. Those stored as used, but unused at a final block, are reopened:
 * their blocks were reorganised out unseen.
 */
export async function firstUnusedNonce(deps: GapDeps, wallet: Address): Promise<number> {
  const { chain, store } = deps;
  // The wallet's previous process may have asked a node that is ahead of this one.
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
    const use = await readNonceUse(chain, question);
    await store.reopenTransactions(chainId, { lane: wallet, fromNonce: use.count, upToBlock });
  } catch (error) {
    // Usually the node lags; the check is repeated while anything waits.
    const fields = { event: "nonce_gap_check_failed", chainId, relayer: wallet };
    warning(log, fields, "Nonce gap check failed; retrying later")(error);
  }
}
