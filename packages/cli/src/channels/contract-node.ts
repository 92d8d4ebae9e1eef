/** The chain whose contracts are asked for: the node's own, or a network by its public nodes. */
import { nodeCall, publicNodes, type NodeCall } from "@farthing/buyer";
import { findNetwork, xdc, type Network } from "@farthing/protocol";
import { UsageError } from "../command/command-errors.ts";
import { demandNode, type NodeFlags } from "../input/rpc-node.ts";

export interface ChainFlags extends NodeFlags {
  readonly network?: string;
}

export interface ContractNode {
  readonly network: Network;
  readonly url: string;
  readonly call: NodeCall;
}

/** Undefined where no node answers. Throws a UsageError where the node serves another chain. */
export async function chooseNode(flags: ChainFlags): Promise<ContractNode | undefined> {
  const rpcUrl = demandNode(flags);
  const named = flags.network === undefined ? undefined : findNetwork(flags.network);
  if (flags.network !== undefined && !named) {
    throw new UsageError("--network must be xdc, xdc-apothem, eip155:50 or eip155:51.");
  }
  for (const url of rpcUrl === undefined ? publicNodes[(named ?? xdc).chainId] : [rpcUrl]) {
    const call = nodeCall(fetch, url);
    const chainId = await call("eth_chainId", []).then(Number, () => undefined);
    if (chainId === undefined) continue;
    const network = findNetwork(chainId);
    if (network && network === (named ?? network)) return { network, url, call };
    const wanted = named?.id ?? "XDC (50) or Apothem (51)";
    throw new UsageError(`The node serves chain ${chainId}, not ${wanted}.`);
  }
  return undefined;
}
