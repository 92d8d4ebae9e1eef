/**
 * Which nodes are asked about a network: the buyer's own, or public read endpoints, or none. Only
 * what anybody may know is asked of them: a balance, an authorization's state, a receipt.
 */
import type { ChainId, Network } from "@farthing/protocol";

/** Written in place of a node's address by a buyer who wants none to be asked. */
export const noNode = "none";

/**
 * Public endpoints that answer with `0x` addresses, the next one asked when one fails. Two are
 * enough for a question that another run asks again, and bound the wait when a network has none.
 */
export const publicNodes: Readonly<Record<ChainId, readonly string[]>> = {
  50: ["https://erpc.xinfin.network", "https://erpc.xdcrpc.com"],
  51: ["https://erpc.apothem.network", "https://apothem.xdcrpc.com"],
};

/** The addresses of the nodes of a network, the first one asked first. */
export type NodesOf = (network: Network) => readonly string[];

/**
 * Reads the setting: a node's address, {@link noNode}, or undefined for the public endpoints.
 * An address of its owner's is the only one asked, whichever network it serves.
 */
export function nodesOf(rpcUrl: string | undefined): NodesOf {
  if (rpcUrl === undefined) return ({ chainId }) => publicNodes[chainId];
  const own = rpcUrl === noNode ? [] : [rpcUrl];
  return () => own;
}

/** Asks one node after the other until one has an answer; undefined when there is no node. */
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
