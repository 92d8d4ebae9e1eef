/** Whether an endpoint gives the token's logs, by which payments are told: of a block, and of a range. */
import { isObject, type Hex } from "@farthing/protocol";
import * as Bloom from "ox/Bloom";
import { fail, ok, warn, type CheckLine } from "../base/check-line.ts";
import { blockLogsCall, readAuthorizationEvents } from "./authorization-logs.ts";
import { bytesOf, type Chain } from "./chain.ts";
import { said, type Facts } from "./endpoint-facts.ts";
import { logRangeBlocks, logRangeBlocksMax, walkLogs } from "./log-ranges.ts";
import { topics } from "./usdc.ts";

/** Headers that are looked through for blocks in which the token has logs, and those of one look. */
const headersMax = 50;
const headersPerLook = 10;

/**
 * Blocks whose headers say that the token has logs and of which the node gives none. A header's
 * filter can be wrong about one block; about three, once in a thousand times.
 */
const silentBlocksMax = 3;

/** Asks for the logs of the newest block, and of some that are known to have logs. */
export async function checkBlockLogs(chain: Chain, facts: Facts): Promise<CheckLine> {
  const [answer] = await chain.read([blockLogsCall(chain, facts.hash)]);
  const events = readAuthorizationEvents(said(answer, "eth_getLogs"));
  const told = await listBlocksWithLogs(chain, facts.head);
  let silent = 0;
  for (const hash of told.slice(0, silentBlocksMax)) {
    const [logs] = await chain.read([blockLogsCall(chain, hash)]);
    const found = said(logs, "eth_getLogs");
    if (Array.isArray(found) && found.length > 0) break;
    silent++;
  }
  if (silent === silentBlocksMax) {
    return fail(
      "logs by block",
      `none of ${silent} blocks in which the token has logs, as their headers say`,
      "use another endpoint; with this one no payment would ever be confirmed",
    );
  }
  return ok("logs by block", `${events.length} authorizations used in block ${facts.head}`);
}

/** Hashes of recent blocks whose headers say that the token moved, newest first. */
async function listBlocksWithLogs(chain: Chain, head: number): Promise<Hex[]> {
  const found: Hex[] = [];
  const last = Math.max(0, head - headersMax);
  for (let first = head; first > last && found.length < silentBlocksMax; first -= headersPerLook) {
    const count = Math.min(headersPerLook, first - last);
    const headers = await chain.read(
      Array.from({ length: count }, (_, back) => ({
        method: "eth_getBlockByNumber",
        params: [`0x${(first - back).toString(16)}`, false],
      })),
    );
    for (const answer of headers) {
      const block = answer.ok && isObject(answer.result) ? answer.result : {};
      if (hasTransfer(chain, block["logsBloom"]))
        found.push(bytesOf(block["hash"], "a block hash"));
    }
  }
  return found;
}

function hasTransfer({ network }: Chain, logsBloom: unknown): boolean {
  if (typeof logsBloom !== "string" || !/^0x[0-9a-fA-F]{512}$/.test(logsBloom)) return false;
  const bloom: Hex = `0x${logsBloom.slice(2)}`;
  return Bloom.contains(bloom, network.usdc) && Bloom.contains(bloom, topics.transfer);
}

/** Asks for the token's logs over as many blocks as the facilitator asks for at once. */
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
