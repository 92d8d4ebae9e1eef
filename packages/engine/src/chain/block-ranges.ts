/**
 * What happened to authorizations in many blocks at once, for catching up: one `eth_getLogs` over a
 * range instead of two calls per block. Only for blocks that are final and well below the head: a node
 * that lags answers for the part of a range that it has, and says nothing about the rest.
 */
import { Fault } from "../base/fault.ts";
import { readAuthorizationEvents, type AuthorizationEvent } from "./authorization-logs.ts";
import { findHeader, headerCall, headerOf, type BlockHead } from "./block-headers.ts";
import { resultOf, type Chain } from "./chain.ts";
import { logRangeBlocks } from "./log-ranges.ts";
import type { RpcCall } from "./rpc-endpoint.ts";
import { topics } from "./usdc.ts";

/** A block with what happened in it. */
export interface ReadBlock {
  readonly block: BlockHead;
  readonly events: readonly AuthorizationEvent[];
}

/**
 * Reads blocks from one on, up to another at most, which is final. Returns those that hold events,
 * and the last one that was read; nothing when the endpoint gives no range, or has to be asked for a
 * smaller one. Throws RPC faults.
 */
export async function readBlockRange(
  chain: Chain,
  fromBlock: number,
  finalBlock: number,
): Promise<ReadBlock[]> {
  const toBlock = Math.min(finalBlock, fromBlock + logRangeBlocks(chain) - 1);
  // In one request: the logs are the word of a node that has the last of the blocks.
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

/** The call for the logs of a range of blocks, both ends included. */
export function rangeCall(chain: Chain, fromBlock: number, toBlock: number): RpcCall {
  const place = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: `0x${toBlock.toString(16)}` };
  const filter = { address: chain.network.usdc, ...place, topics: [Object.values(topics)] };
  return { method: "eth_getLogs", params: [filter] };
}
