/** Reads the headers of blocks. All throw RPC faults. */
import { isObject, type Hex } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import { bytesOf, quantity, resultOf, type Chain } from "./chain.ts";
import type { RpcAnswer, RpcCall } from "./rpc-endpoint.ts";

/** A block's header, as far as it matters here. */
export interface BlockHead {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly time: bigint;
  /** 2,048 bits, by which a block shows what its logs may hold; some nodes leave it out. */
  readonly logsBloom?: Hex | undefined;
}

/** The call for a block's header, by number or tag. */
export function headerCall(place: number | "latest" | "finalized"): RpcCall {
  const named = typeof place === "number" ? `0x${place.toString(16)}` : place;
  return { method: "eth_getBlockByNumber", params: [named, false] };
}

/** Reads the header in the reply of a {@link headerCall}; a node without the block is a fault. */
export function headerOf(answer: RpcAnswer | undefined): BlockHead {
  const head = findHeader(resultOf(answer, "eth_getBlockByNumber"));
  if (!head) throw new Fault("rpc_unavailable", "The node does not have the block");
  return head;
}

/** Reads a header; undefined for the null of a node that does not have the block yet. */
export function findHeader(value: unknown): BlockHead | undefined {
  if (!isObject(value)) return undefined;
  const bloom = value["logsBloom"];
  return {
    number: Number(quantity(value["number"], "a block number")),
    hash: bytesOf(value["hash"], "a block hash"),
    parentHash: bytesOf(value["parentHash"], "a parent hash"),
    time: quantity(value["timestamp"], "a block time"),
    logsBloom: bloom == null ? undefined : bytesOf(bloom, "a block's bloom filter"),
  };
}

/** Reads one block's header. */
export async function readHeader(chain: Chain, number: number): Promise<BlockHead> {
  const [answer] = await chain.read([headerCall(number)]);
  const head = headerOf(answer);
  if (head.number === number) return head;
  throw new Fault("rpc_unavailable", "The node sent another block than the one asked for");
}

/**
 * Reads the headers of blocks that follow on each other, in order. Ends before the first that the
 * node does not have, or that does not stand on the one before it: the backends of an endpoint may
 * be on two forks, and the next look finds where they part.
 */
export async function readHeaders(chain: Chain, numbers: readonly number[]): Promise<BlockHead[]> {
  const answers = await chain.read(numbers.map(headerCall));
  const heads: BlockHead[] = [];
  for (const answer of answers) {
    const head = findHeader(resultOf(answer, "eth_getBlockByNumber"));
    const before = heads.at(-1);
    if (!head || (before && head.parentHash !== before.hash)) break;
    heads.push(head);
  }
  return heads;
}
