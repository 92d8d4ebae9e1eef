/**
 * The endpoint that a wallet is pinned to: XDC nodes refuse a nonce far above what they have seen,
 * so all that a wallet has on its way goes to one node, and to another one all together.
 */
import type { Address, ChainId } from "@farthing/protocol";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";

/** A wallet's place among the endpoints. */
export interface LaneEndpoint {
  /** The one it sends to. */
  index(): number;
  /** All the others. */
  others(): number[];
  /**
   * Moves to another one where its own is ill, or `isStuck`: what is on its way does not get on.
   * After true, whoever calls sends all of that again: the new node may have none of it.
   */
  moveOn(isStuck: boolean): boolean;
}

/** Pins a wallet to the first endpoint. */
export function createLaneEndpoint(deps: {
  readonly chain: Pick<Chain, "endpoints" | "betterThan">;
  readonly log: Log;
  readonly facts: { readonly chainId: ChainId; readonly relayer: Address };
}): LaneEndpoint {
  const { chain, log, facts } = deps;
  let endpoint = 0;
  return {
    index: () => endpoint,
    others: () => chain.endpoints.map((_, at) => at).filter((at) => at !== endpoint),
    moveOn(isStuck) {
      const next = (endpoint + 1) % chain.endpoints.length;
      const to = chain.betterThan(endpoint) ?? (isStuck ? next : endpoint);
      if (to === endpoint) return false;
      endpoint = to;
      log.warn({ ...facts, endpoint }, "Relayer wallet moves to another RPC endpoint");
      return true;
    },
  };
}
