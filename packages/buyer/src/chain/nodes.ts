/** The nodes of a network, asked for public facts only: the buyer's own, public ones, or none. */
import { isLoopback, type ChainId, type Network } from "@farthing/protocol";

/** The setting of a buyer who wants no node to be asked. */
export const noNode = "none";

/** Why a fact of the chain is unknown, and what its reader can do. */
export const noNodeReason =
  "only the chain can say, and no node is set (rpcUrl; for commands --rpc-url or FARTHING_RPC_URL)";

/** They return `0x` addresses. Two bound the wait when a network has none. */
export const publicNodes: Readonly<Record<ChainId, readonly string[]>> = {
  50: ["https://erpc.xinfin.network", "https://erpc.xdcrpc.com"],
  51: ["https://erpc.apothem.network", "https://apothem.xdcrpc.com"],
};

/**
 * The addresses of a network's nodes, the first one asked first. `host` is that of the seller, with its
 * port where it has one.
 */
export type NodesOf = (network: Network, host?: string) => readonly string[];

/**
 * An address of the owner's is the only one asked, on every network. Without one, a seller on this
 * machine is taken to sell on a local chain, which has the number of Apothem: what the public nodes know
 * of that number is about another chain.
 */
export function nodesOf(rpcUrl: string | undefined): NodesOf {
  if (rpcUrl === undefined) {
    return ({ chainId }, host) =>
      chainId === 51 && host !== undefined && isLoopback(new URL(`http://${host}`).hostname)
        ? []
        : publicNodes[chainId];
  }
  const own = rpcUrl === noNode ? [] : [rpcUrl];
  return () => own;
}

/** The nodes that are asked about one seller. */
export function nodesFor(nodes: NodesOf, host: string): NodesOf {
  return (network) => nodes(network, host);
}

/** Asks one node after the other for an answer; undefined when there is no node. */
export async function askNodes<T>(
  urls: readonly string[],
  ask: (url: string) => Promise<T>,
  isAnswered: (answer: T) => boolean,
): Promise<T | undefined> {
  let answer: T | undefined;
  for (const url of urls) {
    answer = await ask(url);
    if (isAnswered(answer)) break;
  }
  return answer;
}
