/** Reads whether a block is final now, for a question that depends on it while nothing else does. */
import type { Hex } from "@farthing/protocol";
import type { Chain } from "../endpoints/chain.ts";
import { promptly } from "../endpoints/repeats.ts";
import { headerCall, headerOf } from "../reads/block-headers.ts";
import { conditionCalls, readConditions, readDeepBlock } from "./chain-conditions.ts";

interface NamedBlock {
  readonly blockNumber: number;
  readonly blockHash: Hex;
}

/** In one request, and one more where the node names no final block. Throws RPC faults. */
export async function readFinality(
  chain: Chain,
  { blockNumber, blockHash }: NamedBlock,
): Promise<"final" | "open" | "replaced"> {
  const wanted = { finality: true, gasPrice: false, wallets: [] };
  const asked = [headerCall("latest"), headerCall(blockNumber), ...conditionCalls(wanted)];
  const [latest, there, ...replies] = await chain.read(asked, promptly(chain));
  const head = headerOf(latest);
  // Another block at its place may be final as well.
  if (headerOf(there).hash !== blockHash) return "replaced";
  const { finalized, lacksFinality } = readConditions(wanted, replies, head);
  const final = lacksFinality ? await readDeepBlock(chain, head) : finalized;
  return final && final.number >= blockNumber ? "final" : "open";
}
