/**
 * Reads authorization events of single blocks. Logs are requested by hash, so that a node without
 * the block fails; a node that refuses this is asked by number, with the header. Logs that lack
 * what the header's bloom filter shows are compared with the block's receipts.
 */
import type { Hex } from "@farthing/protocol";
import type { Log } from "../../base/log.ts";
import { blockLogsCall, logsSinceCall } from "./authorization-logs.ts";
import type { AuthorizationEvent } from "../contracts/authorization-events.ts";
import { readEventsByHash, readEventsByNumber } from "./block-events.ts";
import type { BlockHead } from "../reads/block-headers.ts";
import { resultOf, type Chain } from "../endpoints/chain.ts";
import { promptly } from "../endpoints/repeats.ts";
import { createLogCompleteness } from "./log-completeness.ts";
import { classifyNodeError, isEndpointProblem } from "../endpoints/node-errors.ts";
import type { RpcReply } from "../endpoints/rpc-endpoint.ts";

export interface BlockEvents {
  readonly events: readonly AuthorizationEvent[];
  /** False where the block's receipts hold events that the logs lack; they may come later. */
  readonly isWhole: boolean;
}

export type BlockLogs = ReturnType<typeof createBlockLogs>;

/**
 * Reads after which logs that lack what receipts hold are no longer late but missing: the first, the
 * one right after it, and one with the next look.
 */
const lateReadsMax = 3;

export function createBlockLogs(chain: Chain, log: Log) {
  const { chainId } = chain.network;
  const completeness = createLogCompleteness(chain);
  /** Set for good once a node refused logs by hash and returned them by number. */
  let isByNumber = false;

  async function read(
    blocks: readonly BlockHead[],
    early: ReadonlyMap<Hex, RpcReply | undefined> = new Map(),
  ): Promise<BlockEvents[]> {
    const asked = isByNumber ? [] : blocks.filter(({ hash }) => !early.get(hash)?.ok);
    const calls = asked.map(({ hash }) => blockLogsCall(chain, hash));
    const replies = calls.length === 0 ? [] : await chain.read(calls, promptly(chain));
    const byHash = new Map([
      ...early,
      ...asked.map(({ hash }, at) => [hash, replies[at]] as const),
    ]);
    const found: BlockEvents[] = [];
    for (const block of blocks) {
      const reply = byHash.get(block.hash);
      const events =
        isByNumber && reply?.ok !== true
          ? await readEventsByNumber(chain, block)
          : await readByHash(block, reply);
      const isWhole = events && (await completeness.areWhole(block, events));
      if (isWhole === undefined || !events) break;
      const isMissing = !isWhole && completeness.readsOf(block.hash) >= lateReadsMax;
      if (isMissing) chain.distrustGiver(replies);
      found.push({ events, isWhole });
    }
    return found;
  }

  async function readByHash(block: BlockHead, reply: RpcReply | undefined) {
    if (!reply || reply.ok) return readEventsByHash(block, reply);
    const problem = classifyNodeError(reply.error);
    if (problem === "node_behind") return undefined;
    if (isEndpointProblem(problem)) resultOf(reply, "eth_getLogs");
    const events = await readEventsByNumber(chain, block);
    if (events && !isByNumber) {
      isByNumber = true;
      log.warn(
        { event: "logs_by_number", chainId, problem },
        "RPC endpoint refuses logs by block hash; asking for them by block number",
      );
    }
    return events;
  }

  return {
    /** In order, up to the first whose logs are missing; `early`: replies to {@link callFor}. */
    read,
    fromRange: completeness.fromRange,
    callFor: (blockHash: Hex) => blockLogsCall(chain, blockHash),
    /** All logs from a block on; read them by {@link fromRange}. */
    callSince: (number: number) => logsSinceCall(chain, number),
    /** True if the header's bloom filter indicates events. */
    hasPromise: completeness.hasPromise,
  };
}
