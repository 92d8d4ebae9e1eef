/**
 * Catches up on many blocks with one `eth_getLogs` over a range instead of two calls per block.
 * Only for final blocks well below the head: a lagging node silently returns the part of a range
 * that it has.
 */
import { Fault } from "../../base/fault.ts";
import { readAuthorizationEvents } from "../contracts/authorization-events.ts";
import { findHeader, headerCall, headerOf } from "../reads/block-headers.ts";
import { resultOf, type Chain } from "../endpoints/chain.ts";
import { logRangeBlocks } from "./log-ranges.ts";
import { hexOf, type RpcCall } from "../endpoints/rpc-endpoint.ts";
import { topics } from "../contracts/usdc.ts";

/**
 * Returns the blocks with events up to `finalBlock` at most, and the last one read; nothing when the
 * endpoint refuses the range. Throws RPC faults.
 */
export async function readBlockRange(chain: Chain, fromBlock: number, finalBlock: number) {
  const toBlock = Math.min(finalBlock, fromBlock + logRangeBlocks(chain) - 1);
  // One request: the logs come from a node that has the last of the blocks.
  const [logs, header] = await chain.read([
    rangeCall(chain, fromBlock, toBlock),
    headerCall(toBlock),
  ]);
  if (!logs?.ok) return [];
  const last = findHeader(resultOf(header, "eth_getBlockByNumber"));
  if (!last) return [];
  const events = readAuthorizationEvents(logs.result);
  const byNumber = Map.groupBy(events, ({ blockNumber }) => blockNumber);
  const numbers = [...byNumber.keys()]
    .filter((number) => number !== toBlock)
    .toSorted((a, b) => a - b);
  const heads = (await chain.read(numbers.map(headerCall))).map(headerOf);
  return [...heads, last].map((block) => {
    const inBlock = byNumber.get(block.number) ?? [];
    if (inBlock.some(({ blockHash }) => blockHash !== block.hash)) {
      throw new Fault("rpc_unavailable", "The endpoint's logs and blocks are not of one chain");
    }
    return { block, events: inBlock };
  });
}

export function rangeCall(chain: Chain, fromBlock: number, toBlock: number): RpcCall {
  const range = { fromBlock: hexOf(fromBlock), toBlock: hexOf(toBlock) };
  const filter = { address: chain.network.usdc, ...range, topics: [Object.values(topics)] };
  return { method: "eth_getLogs", params: [filter] };
}
