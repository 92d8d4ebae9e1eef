/** Checks that an endpoint returns the token's logs, which prove payments. */
import { isObject, type Hex } from "@farthing/protocol";
import * as Bloom from "ox/Bloom";
import { fail, ok, warn, type CheckLine } from "../../base/check-line.ts";
import { blockLogsCall } from "../logs/authorization-logs.ts";
import { readAuthorizationEvents } from "../contracts/authorization-events.ts";
import { isRefusalOfLogs, type BlockName } from "../logs/block-events.ts";
import { headerCall } from "../reads/block-headers.ts";
import { rangeCall } from "../logs/block-ranges.ts";
import { bytesOf, type Chain } from "../endpoints/chain.ts";
import { explainedResult, type Facts } from "./endpoint-facts.ts";
import { logRangeBlocks, logRangeBlocksMax, walkLogs } from "../logs/log-ranges.ts";
import { topics } from "../contracts/usdc.ts";

/** Headers searched for blocks with logs of the token, in total and per request. */
const headersMax = 50;
const headersPerLook = 10;

/**
 * Blocks whose headers indicate logs that the node lacks. A bloom filter can be wrong about one
 * block, but about three only once in a thousand times.
 */
const silentBlocksMax = 3;

/** Reads the logs of the newest block, and of some blocks that are known to have logs. */
export async function checkBlockLogs(chain: Chain, { head, hash }: Facts): Promise<CheckLine> {
  const { logs, refusal } = await readLogs(chain, { number: head, hash });
  const events = readAuthorizationEvents(logs);
  const listed = await listBlocksWithLogs(chain, head);
  let silent = 0;
  for (const block of listed.slice(0, silentBlocksMax)) {
    const found = await readLogs(chain, block);
    if (Array.isArray(found.logs) && found.logs.length > 0) break;
    silent++;
  }
  if (silent === silentBlocksMax) {
    return fail(
      "logs by block",
      `none of ${silent} blocks in which the token has logs, as their headers say`,
      "use another endpoint; with this one no payment would ever be confirmed",
    );
  }
  if (refusal === undefined) {
    return ok("logs by block", `${events.length} authorizations used in block ${head}`);
  }
  return warn(
    "logs by block",
    `given by block number, and refused by block hash: ${refusal}`,
    "expect more calls, or use an endpoint that gives the logs of a block by its hash",
  );
}

/** Reads a block's logs by hash; where that is refused, by number, with the node's own words. */
async function readLogs(chain: Chain, { number, hash }: BlockName) {
  const calls = [blockLogsCall(chain, hash), rangeCall(chain, number, number)];
  const [byHash, byNumber] = await chain.read(calls);
  const isRefused = byHash?.ok === false && isRefusalOfLogs(byHash.error);
  return isRefused
    ? { logs: explainedResult(byNumber, "eth_getLogs"), refusal: byHash.error.message }
    : { logs: explainedResult(byHash, "eth_getLogs"), refusal: undefined };
}

/** Recent blocks whose headers indicate transfers of the token, newest first. */
async function listBlocksWithLogs(chain: Chain, head: number): Promise<BlockName[]> {
  const found: BlockName[] = [];
  const last = Math.max(0, head - headersMax);
  for (let first = head; first > last && found.length < silentBlocksMax; first -= headersPerLook) {
    const count = Math.min(headersPerLook, first - last);
    const headers = await chain.read(
      Array.from({ length: count }, (_, back) => headerCall(first - back)),
    );
    for (const [back, reply] of headers.entries()) {
      const block = reply.ok && isObject(reply.result) ? reply.result : {};
      if (hasTransfer(chain, block["logsBloom"]))
        found.push({ number: first - back, hash: bytesOf(block["hash"], "a block hash") });
    }
  }
  return found;
}

function hasTransfer({ network }: Chain, logsBloom: unknown): boolean {
  if (typeof logsBloom !== "string" || !/^0x[0-9a-fA-F]{512}$/.test(logsBloom)) return false;
  const bloom: Hex = `0x${logsBloom.slice(2)}`;
  return Bloom.contains(bloom, network.usdc) && Bloom.contains(bloom, topics.transfer);
}

/** Reads the token's logs over as many blocks as the facilitator requests at once. */
export async function checkLogRange(chain: Chain, { head }: Facts): Promise<CheckLine> {
  const filter = { topics: [[topics.used, topics.canceled]] };
  const fromBlock = Math.max(0, head - logRangeBlocksMax + 1);
  for await (const { logs } of walkLogs(chain, filter, { fromBlock, toBlock: head })) {
    readAuthorizationEvents(logs);
    break;
  }
  const blocks = logRangeBlocks(chain);
  return blocks === logRangeBlocksMax
    ? ok("logs by range", `${blocks} blocks at once`)
    : warn(
        "logs by range",
        `${blocks} blocks at once, not ${logRangeBlocksMax}`,
        "catching up and searching take more requests; use an endpoint with a longer range",
      );
}
