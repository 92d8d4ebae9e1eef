/** Chains that the service serves. */
import type { ChainId } from "@farthing/protocol";
import { HttpProblem } from "../answer.ts";
import type { AccountContext } from "./context.ts";

/** Gives the chain back when it is served; throws 400 otherwise. */
export function servedChain({ networks }: AccountContext, chainId: ChainId): ChainId {
  if (networks.some((network) => network.chainId === chainId)) return chainId;
  const served = networks.map((network) => network.chainId).join(" or ");
  throw new HttpProblem("invalid_request", `This service serves the chain ${served}; name that.`);
}
