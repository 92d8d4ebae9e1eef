/**
 * The endpoint that a wallet is pinned to. XDC nodes refuse a nonce far above those they have seen, so
 * all pending transactions of a wallet go to one node, and move to another one together.
 */
import type { Address, ChainId } from "@farthing/protocol";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/endpoints/chain.ts";

/** From this distance on, one send at a time is under way: payments come faster. */
const distantMs = 250;

export type WalletEndpoint = ReturnType<typeof createWalletEndpoint>;

export function createWalletEndpoint(deps: {
  readonly chain: Pick<Chain, "endpoints" | "betterThan" | "presentMs">;
  readonly log: Log;
  readonly facts: { readonly chainId: ChainId; readonly relayer: Address };
}) {
  const { chain, log, facts } = deps;
  let endpoint = 0;
  return {
    index: () => endpoint,
    /**
     * Whether a send takes long, by the newest replies: taken for distant for a moment, a near node costs
     * nothing, and one that has just become slow would carry the first payments one by one.
     */
    isDistant: () => chain.presentMs(endpoint) >= distantMs,
    others: () => chain.endpoints.map((_, at) => at).filter((at) => at !== endpoint),
    /**
     * Moves if the endpoint is unhealthy, or `isStuck`: transactions are not mined. After true the
     * caller sends all of them again, because the new node may have none.
     */
    moveOn(isStuck: boolean) {
      const next = (endpoint + 1) % chain.endpoints.length;
      const to = chain.betterThan(endpoint) ?? (isStuck ? next : endpoint);
      if (to === endpoint) return false;
      endpoint = to;
      log.warn(
        { event: "wallet_endpoint_changed", ...facts, endpoint },
        "Relayer wallet moved to another RPC endpoint",
      );
      return true;
    },
  };
}
