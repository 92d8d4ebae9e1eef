/** The served chains. */
import type { ChainId, Network } from "@farthing/protocol";
import { HttpProblem } from "./responses.ts";

export interface ServedNetworks {
  readonly networks: readonly Network[];
}

/** Returns the chain when it is served; throws 400 otherwise. */
export function servedChain({ networks }: ServedNetworks, chainId: ChainId): ChainId {
  if (networks.some((network) => network.chainId === chainId)) return chainId;
  const served = networks.map((network) => network.chainId).join(" or ");
  throw new HttpProblem("invalid_request", `This service serves the chain ${served}; name that.`);
}

const mainnet: ChainId = 50;

/** The networks on which credits are sold: mainnet alone where it is served. */
export function sellingNetworks({ networks }: ServedNetworks): readonly Network[] {
  const mainnets = networks.filter((network) => network.chainId === mainnet);
  return mainnets.length > 0 ? mainnets : networks;
}

/**
 * Returns the chain when credits are sold on it; throws 400 otherwise. An account has one
 * balance, so where mainnet is served, a test network's USDC buys nothing.
 */
export function sellingChain(context: ServedNetworks, chainId: ChainId): ChainId {
  const served = servedChain(context, chainId);
  if (sellingNetworks(context).some((network) => network.chainId === served)) return served;
  throw new HttpProblem("invalid_request", `Credits are bought on chain ${mainnet}; name that.`);
}
