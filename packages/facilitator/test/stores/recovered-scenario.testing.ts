/** A payment that was lost is found again, and its seller repeats it. */
import { chainId, claimOf, lane, minedIn } from "./store-values.testing.ts";
import type { Claim } from "@farthing/engine";
import type { ServiceStore } from "../../src/features/open-store.ts";

/** Binds the first of the repeats; the others are not made. */
export async function recoverLost(
  store: ServiceStore,
  { repeats, block, now }: { repeats: readonly Claim[]; block: number; now: number },
): Promise<void> {
  await store.listNextNonces(chainId);
  await store.raiseNextNonces(chainId, [{ wallet: lane, nextNonce: 1 }]);
  const [repeat] = repeats;
  if (!repeat) throw new Error("no one repeats it");
  const lost = claimOf({ payer: repeat.payer, isRecovered: true });
  await store.claimSettlements([lost], now);
  const mined = minedIn(block);
  await store.reopenTransactions(chainId, { shown: [mined.transaction] });
  await store.dropClosed({ chainId, lane });
  await store.recordConfirmed([{ id: lost.id, mined }], now);
  await store.recordFinalized(chainId, block, now);
  await store.bindClaim({ ...repeat, id: lost.id, nonce: lost.nonce }, now);
}
