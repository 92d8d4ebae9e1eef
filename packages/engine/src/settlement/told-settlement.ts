/** Settlements as callers are told of them. */
import type { ChainId } from "@farthing/protocol";
import type { Settlement } from "../model/settlement.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { LostTransfers } from "./lost-transfers.ts";
import type { EngineStore } from "../storage/engine-store.ts";

interface LossDeps {
  /** An id does not name its network. */
  networks(): Iterable<{ readonly lost: Pick<LostTransfers, "refuseWhileBehind"> }>;
}

/**
 * Throws `storage_behind` while the database may lack payments of some network. What is not found then
 * may be there.
 */
export function createRefuseWhileBehind({ networks }: LossDeps) {
  return async (): Promise<void> => {
    for (const { lost } of networks()) await lost.refuseWhileBehind();
  };
}

/**
 * Finds settlements; a pending one without the hash of a transaction that every node has refused, which
 * no explorer knows. It throws `storage_behind` instead of finding none while the database may lack payments.
 */
export function createFindTold(deps: {
  readonly store: Pick<EngineStore, "findSettlement" | "isTransactionSent">;
  networkOf(chainId: ChainId): { readonly relayer: Pick<Relayer, "isUnknownToNodes"> } | undefined;
  refuseWhileBehind(): Promise<void>;
}) {
  return async (id: string): Promise<Settlement | undefined> => {
    const settlement = await deps.store.findSettlement(id);
    if (!settlement) await deps.refuseWhileBehind();
    if (settlement?.state !== "submitted" || settlement.transaction === null) return settlement;
    const { chainId, transaction } = settlement;
    // Only the process that holds the wallet knows the refusals; the others find what was accepted.
    const isUnknown =
      deps.networkOf(chainId)?.relayer.isUnknownToNodes(id) ??
      !(await deps.store.isTransactionSent(id, transaction));
    return isUnknown ? { ...settlement, transaction: null } : settlement;
  };
}
