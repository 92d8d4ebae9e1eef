/**
 * Reads authorization events of single blocks. Logs are requested by hash, so that a node without
 * the block fails; a node that refuses this is asked by number, with the header. Logs that lack
 * what the header's bloom filter shows are compared with the block's receipts.
 */
import { isObject, type Hex } from "@farthing/protocol";
import type { Log } from "../../base/log.ts";
import { blockLogsCall, logsSinceCall } from "./authorization-logs.ts";
import type { AuthorizationEvent } from "../contracts/authorization-events.ts";
import { readEventsByHash, readEventsByNumber } from "./block-events.ts";
import type { BlockHead } from "../reads/block-headers.ts";
import { resultOf, type Chain } from "../endpoints/chain.ts";
import { promptly } from "../endpoints/repeats.ts";
import { bloomBitsOf, hasBloomBits } from "./logs-bloom.ts";
import { classifyNodeError, isEndpointProblem } from "../endpoints/node-errors.ts";
import type { RpcReply } from "../endpoints/rpc-endpoint.ts";
import { topics } from "../contracts/usdc.ts";

export interface BlockEvents {
  readonly events: readonly AuthorizationEvent[];
  /** False where the block's receipts hold events that the logs lack; they may come later. */
  readonly isWhole: boolean;
}

export type BlockLogs = ReturnType<typeof createBlockLogs>;

/** Enough for a backend that is a moment behind; one of 100 busy blocks matches by chance. */
const retriesMax = 3;

/**
 * Reads after which logs that lack what receipts hold are no longer late but missing: the first, the
 * one right after it, and one with the next look.
 */
const lateReadsMax = 3;

/** More blocks than are awaited at once. */
const lackingMax = 128;

/** A block whose logs lack what its bloom filter shows: read so often, and whether receipts prove it. */
interface LackingLogs {
  readonly reads: number;
  readonly isProven: boolean;
}

export function createBlockLogs(chain: Chain, log: Log) {
  const { chainId, usdc } = chain.network;
  const promises = [topics.used, topics.canceled].map((topic) => ({
    topic,
    bits: [...bloomBitsOf(usdc), ...bloomBitsOf(topic)],
  }));
  const lacking = new Map<Hex, LackingLogs>();
  /** Set for good once a node refused logs by hash and returned them by number. */
  let isByNumber = false;
  /** Set once a header's bloom filter indicated events and the block had them: filters are written. */
  let hasTrueBlooms = false;

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
      const isWhole = events && (await areWhole(block, events));
      if (isWhole === undefined || !events) break;
      const isMissing = !isWhole && (lacking.get(block.hash)?.reads ?? 0) >= lateReadsMax;
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

  function promisesOf({ logsBloom }: BlockHead) {
    return promises.filter(({ bits }) => logsBloom !== undefined && hasBloomBits(logsBloom, bits));
  }

  /** Undefined while it is open whether the logs are complete: they are requested again. */
  async function areWhole(block: BlockHead, events: readonly AuthorizationEvent[]) {
    const { hash } = block;
    const missing = promisesOf(block).filter(
      ({ topic }) => !events.some(({ kind }) => topics[kind] === topic),
    );
    if (missing.length === 0) {
      hasTrueBlooms ||= promisesOf(block).length > 0;
      return true;
    }
    const before = lacking.get(hash);
    const isKnown = before?.isProven === true;
    const holds = isKnown || (await doReceiptsHold(hash, new Set(missing.map((one) => one.topic))));
    if (holds === false) return true;
    const reads = (before?.reads ?? 0) + 1;
    // Set anew, so that the oldest stand first.
    lacking.delete(hash);
    lacking.set(hash, { reads, isProven: holds === true });
    const [oldest] = lacking.keys();
    if (lacking.size > lackingMax && oldest !== undefined) lacking.delete(oldest);
    if (holds) return false;
    return reads > retriesMax ? true : undefined;
  }

  /** Undefined where the node returns no receipts. */
  async function doReceiptsHold(blockHash: Hex, wanted: ReadonlySet<string>) {
    const [reply] = await chain.read([{ method: "eth_getBlockReceipts", params: [blockHash] }]);
    if (!reply?.ok || !Array.isArray(reply.result)) return undefined;
    return reply.result
      .flatMap((receipt: unknown) => (isObject(receipt) ? receipt["logs"] : []))
      .some((entry) => {
        if (!isObject(entry) || !isToken(entry["address"])) return false;
        const { topics: list } = entry;
        return Array.isArray(list) && wanted.has(String(list[0]));
      });
  }

  /**
   * The logs of a block among those of a range, in place of a reply by its hash; undefined where they
   * do not prove by themselves that they are all. A node that lags returns part of a range.
   */
  function fromRange(block: BlockHead, logs: readonly unknown[]): RpcReply | undefined {
    const own = logs.filter(isObject).filter(({ blockHash }) => blockHash === block.hash);
    const isThere = ({ topic }: { readonly topic: string }) =>
      own.some(({ topics: list }) => Array.isArray(list) && list[0] === topic);
    const promised = promisesOf(block);
    const isNone = promised.length === 0 && (hasTrueBlooms || !isBlank(block.logsBloom));
    const isProven = promised.length === 0 ? isNone : promised.every(isThere);
    return isProven ? { ok: true, result: own } : undefined;
  }

  /** Compares the last 20 bytes, since some nodes write `xdc` for `0x`. */
  function isToken(address: unknown): boolean {
    return String(address).toLowerCase().endsWith(usdc.slice(2).toLowerCase());
  }

  return {
    /** In order, up to the first whose logs are missing; `early`: replies to {@link callFor}. */
    read,
    fromRange,
    callFor: (blockHash: Hex) => blockLogsCall(chain, blockHash),
    /** All logs from a block on; read them by {@link fromRange}. */
    callSince: (number: number) => logsSinceCall(chain, number),
    /** True if the header's bloom filter indicates events. */
    hasPromise: (block: BlockHead) => promisesOf(block).length > 0,
  };
}

/** A filter that shows nothing: of an empty block, or of a node that leaves it out. */
function isBlank(bloom: Hex | undefined): boolean {
  return bloom === undefined || /^0x0*$/.test(bloom);
}
