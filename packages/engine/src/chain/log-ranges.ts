/** Reads logs in ranges as large as the endpoint allows; a refusal halves the range for good. */
import { Fault } from "../base/fault.ts";
import { resultOf, type Chain } from "./chain.ts";
import { classifyNodeError } from "./node-errors.ts";
import { readHeadNumber } from "./reads.ts";

/** Providers cap the blocks of one `eth_getLogs`, commonly at 1,000 to 10,000. */
export const logRangeBlocksMax = 980;

export interface LogFilter {
  readonly topics: readonly unknown[];
}

export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** True if the range extends to the node's newest block; `toBlock` is the newest one known. */
  readonly isOpen?: boolean;
}

/** The unparsed logs of a part of a range. */
export interface RangeLogs {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly logs: readonly unknown[];
}

export function logRangeBlocks(chain: Chain): number {
  return Math.min(logRangeBlocksMax, chain.limitsInUse().logRangeBlocks ?? Infinity);
}

/** Reads a range in parts, from its oldest or newest end. Throws RPC faults. */
export async function* walkLogs(
  chain: Chain,
  filter: LogFilter,
  range: BlockRange,
  order: "oldest_first" | "newest_first" = "oldest_first",
): AsyncGenerator<RangeLogs> {
  let { fromBlock } = range;
  const isOpen = range.isOpen === true;
  // The range needs a known size, and the newest known block may be old.
  const newest = isOpen ? Math.max(range.toBlock, await readHeadNumber(chain)) : range.toBlock;
  let toBlock = newest;
  while (fromBlock <= toBlock) {
    const isOpenEnd = isOpen && toBlock === newest;
    const part = await readPart(chain, filter, { fromBlock, toBlock, isOpen: isOpenEnd }, order);
    yield part;
    if (order === "oldest_first") fromBlock = part.toBlock + 1;
    else toBlock = part.fromBlock - 1;
  }
}

/** Reads the largest part at one end of a range that the endpoint allows. */
async function readPart(
  chain: Chain,
  filter: LogFilter,
  range: BlockRange,
  order: "oldest_first" | "newest_first",
): Promise<RangeLogs> {
  const method = "eth_getLogs";
  for (let blocks = logRangeBlocks(chain); blocks >= 1; blocks = Math.floor(blocks / 2)) {
    const fromBlock =
      order === "oldest_first"
        ? range.fromBlock
        : Math.max(range.fromBlock, range.toBlock - blocks + 1);
    const toBlock = Math.min(range.toBlock, fromBlock + blocks - 1);
    const isOpen = range.isOpen === true && toBlock === range.toBlock;
    const bounds = { fromBlock: hexOf(fromBlock), toBlock: isOpen ? "latest" : hexOf(toBlock) };
    const params = [{ address: chain.network.usdc, topics: filter.topics, ...bounds }];
    const [reply] = await chain.read([{ method, params }]);
    if (reply?.ok === false && isTooLarge(reply.error) && blocks > 1) {
      blocks = Math.min(blocks, toBlock - fromBlock + 1);
      continue;
    }
    const logs = resultOf(reply, method);
    if (!Array.isArray(logs)) throw new Fault("rpc_refused", "The node sent no list of logs");
    return { fromBlock, toBlock, logs };
  }
  throw new Fault("rpc_refused", "The endpoint gives the logs of no range");
}

function isTooLarge(error: Parameters<typeof classifyNodeError>[0]): boolean {
  return classifyNodeError(error) === "log_range_too_large";
}

function hexOf(block: number): string {
  return `0x${block.toString(16)}`;
}
