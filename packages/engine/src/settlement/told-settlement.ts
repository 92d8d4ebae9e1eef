/** Settlements as callers are told of them. */
import type { ChainId } from "@farthing/protocol";
import type { Settlement } from "../model/settlement.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { EngineStore } from "../storage/engine-store.ts";

/**
 * Finds settlements; a pending one without the hash of a transaction that every node has refused, which
 * no explorer knows.
 */
export function createFindTold(deps: {
  readonly store: Pick<EngineStore, "findSettlement">;
  networkOf(chainId: ChainId): { readonly relayer: Pick<Relayer, "isUnknownToNodes"> } | undefined;
}) {
  return async (id: string): Promise<Settlement | undefined> => {
    const settlement = await deps.store.findSettlement(id);
    if (settlement?.state !== "submitted") return settlement;
    const isUnknown = deps.networkOf(settlement.chainId)?.relayer.isUnknownToNodes(id) === true;
    return isUnknown ? { ...settlement, transaction: null } : settlement;
  };
}
