/** Ends a nonce that is used up: what was mined at it, and what never will be. */
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { Slot } from "./pending-nonce.ts";

/** The transaction of a nonce that is in a block. */
export interface MinedAttempt {
  readonly transaction: RelayerTransaction;
  readonly blockNumber: number;
}

/** Stores the end of a slot; without `mined`, somebody else's transaction used the nonce. */
export async function closeSlot(
  store: Pick<EngineStore, "closeTransactions">,
  { attempts }: Pick<Slot, "attempts">,
  mined: MinedAttempt | undefined,
): Promise<void> {
  const minedId = mined?.transaction.id;
  const dropped = attempts.filter(({ id }) => id !== minedId).map(({ id }) => id);
  if (mined) await store.closeTransactions([mined.transaction.id], "mined", mined.blockNumber);
  await store.closeTransactions(dropped, "dropped");
}
