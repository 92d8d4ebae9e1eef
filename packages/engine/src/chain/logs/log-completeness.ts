/**
 * Whether a block's logs are all of its logs: what its header's bloom filter shows is among them, or
 * its receipts do not hold it either.
 */
import { isObject, type Hex } from "@farthing/protocol";
import type { AuthorizationEvent } from "../contracts/authorization-events.ts";
import { topics } from "../contracts/usdc.ts";
import type { Chain } from "../endpoints/chain.ts";
import type { RpcReply } from "../endpoints/rpc-endpoint.ts";
import type { BlockHead } from "../reads/block-headers.ts";
import { bloomBitsOf, hasBloomBits } from "./logs-bloom.ts";

/** Enough for a backend that is a moment behind; one of 100 busy blocks matches by chance. */
const retriesMax = 3;

/** More blocks than are awaited at once. */
const lackingMax = 128;

/** A block whose logs lack what its bloom filter shows: read so often, and whether receipts prove it. */
interface LackingLogs {
  readonly reads: number;
  readonly isProven: boolean;
}

export function createLogCompleteness(chain: Chain) {
  const { usdc } = chain.network;
  const promises = [topics.used, topics.canceled].map((topic) => ({
    topic,
    bits: [...bloomBitsOf(usdc), ...bloomBitsOf(topic)],
  }));
  const lacking = new Map<Hex, LackingLogs>();
  /** Set once a header's bloom filter indicated events and the block had them: filters are written. */
  let hasTrueBlooms = false;

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
    areWhole,
    fromRange,
    /** How often the logs of a block lacked something. */
    readsOf: (hash: Hex) => lacking.get(hash)?.reads ?? 0,
    /** True if the header's bloom filter indicates events. */
    hasPromise: (block: BlockHead) => promisesOf(block).length > 0,
  };
}

/** A filter that shows nothing: of an empty block, or of a node that leaves it out. */
function isBlank(bloom: Hex | undefined): boolean {
  return bloom === undefined || /^0x0*$/.test(bloom);
}
