/** The nodes of a network, asked for public facts only: the buyer's own, public ones, or none. */
import type { ChainId, Network } from "@farthing/protocol";

/** The setting of a buyer who wants no node to be asked. */
export const noNode = "none";

/** They return `0x` addresses. Two bound the wait when a network has none. */
export const publicNodes: Readonly<Record<ChainId, readonly string[]>> = {
  50: ["https://erpc.xinfin.network", "https://erpc.xdcrpc.com"],
  51: ["https://erpc.apothem.network", "https://apothem.xdcrpc.com"],
};

/** The addresses of a network's nodes, the first one asked first. */
export type NodesOf = (network: Network) => readonly string[];

/** An address of the owner's is the only one asked, on every network. */
export function nodesOf(rpcUrl: string | undefined): NodesOf {
  if (rpcUrl === undefined) return ({ chainId }) => publicNodes[chainId];
  const own = rpcUrl === noNode ? [] : [rpcUrl];
  return () => own;
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
