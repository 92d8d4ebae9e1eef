/** Reads logs in ranges as large as the endpoint allows; a refusal halves the range for good. */
import { Fault } from "../../base/fault.ts";
import { headerCall, headerOf } from "../reads/block-headers.ts";
import { resultOf, type Chain } from "../endpoints/chain.ts";
import { classifyNodeError } from "../endpoints/node-errors.ts";
import { readHeadNumber } from "../reads/reads.ts";
import { hexOf } from "../endpoints/rpc-endpoint.ts";

/** Providers cap the blocks of one `eth_getLogs`, commonly at 1,000 to 10,000. */
export const logRangeBlocksMax = 980;

interface LogFilter {
  readonly topics: readonly unknown[];
}

type Order = "oldest_first" | "newest_first";

export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** True if the range extends to the node's newest block; `toBlock` is the newest one known. */
  readonly isOpen?: boolean;
  /** True if a node must have the last block of a part: a lagging one leaves logs out silently. */
  readonly isComplete?: boolean;
}

export function logRangeBlocks(chain: Chain): number {
  return Math.min(logRangeBlocksMax, chain.limitsInUse().logRangeBlocks ?? Infinity);
}

/** Reads a range in parts, from its oldest or newest end. Throws RPC faults. */
export async function* walkLogs(
  chain: Chain,
  filter: LogFilter,
  range: BlockRange,
  order: Order = "oldest_first",
) {
  let { fromBlock } = range;
  const isOpen = range.isOpen === true;
  // The range needs a known size, and the newest known block may be old.
  const newest = isOpen ? Math.max(range.toBlock, await readHeadNumber(chain)) : range.toBlock;
  let toBlock = newest;
  while (fromBlock <= toBlock) {
    const isOpenEnd = isOpen && toBlock === newest;
    const rest = { ...range, fromBlock, toBlock, isOpen: isOpenEnd };
    const part = await readPart(chain, filter, rest, order);
    yield part;
    if (order === "oldest_first") fromBlock = part.toBlock + 1;
    else toBlock = part.fromBlock - 1;
  }
}

/** Reads the largest part at one end of a range that the endpoint allows. */
async function readPart(chain: Chain, filter: LogFilter, range: BlockRange, order: Order) {
  const method = "eth_getLogs";
  for (let blocks = logRangeBlocks(chain); blocks >= 1; blocks = Math.floor(blocks / 2)) {
    const least = order === "oldest_first" ? range.fromBlock : range.toBlock - blocks + 1;
    const fromBlock = Math.max(range.fromBlock, least);
    const toBlock = Math.min(range.toBlock, fromBlock + blocks - 1);
    const isOpen = range.isOpen === true && toBlock === range.toBlock;
    const bounds = { fromBlock: hexOf(fromBlock), toBlock: isOpen ? "latest" : hexOf(toBlock) };
    const params = [{ address: chain.network.usdc, topics: filter.topics, ...bounds }];
    const last = range.isComplete === true ? [headerCall(toBlock)] : [];
    const [reply, header] = await chain.read([{ method, params }, ...last]);
    const problem = reply?.ok === false && classifyNodeError(reply.error);
    if (problem === "log_range_too_large" && blocks > 1) {
      blocks = Math.min(blocks, toBlock - fromBlock + 1);
      continue;
    }
    const logs = resultOf(reply, method);
    if (range.isComplete === true) headerOf(header);
    if (!Array.isArray(logs)) throw new Fault("rpc_refused", "The node sent no list of logs");
    return { fromBlock, toBlock, logs: logs as readonly unknown[] };
  }
  throw new Fault("rpc_refused", "The endpoint gives the logs of no range");
}
