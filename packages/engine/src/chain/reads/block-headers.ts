/** Reads block headers. All functions throw RPC faults. */
import { isObject, type Hex } from "@farthing/protocol";
import { Fault } from "../../base/fault.ts";
import { bytesOf, quantity, resultOf, type Chain } from "../endpoints/chain.ts";
import { blockParameter, type RpcCall, type RpcReply } from "../endpoints/rpc-endpoint.ts";

export interface BlockHead {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly time: bigint;
  /** The least that a unit of gas costs in the block, in wei; older nodes omit it. */
  readonly baseFee?: bigint | undefined;
  /** The gas of all its transactions at most, which changes from block to block; some nodes omit it. */
  readonly gasLimit?: bigint | undefined;
  /** 2,048 bits that show what the block's logs may contain; some nodes omit it. */
  readonly logsBloom?: Hex | undefined;
}

export function headerCall(block: number | "latest" | "finalized"): RpcCall {
  return { method: "eth_getBlockByNumber", params: [blockParameter(block), false] };
}

/** Throws a fault when the node does not have the block. */
export function headerOf(reply: RpcReply | undefined): BlockHead {
  const head = findHeader(resultOf(reply, "eth_getBlockByNumber"));
  if (!head) throw new Fault("rpc_unavailable", "The node does not have the block");
  return head;
}

/** Undefined for the null of a node that does not have the block yet. */
export function findHeader(value: unknown): BlockHead | undefined {
  if (!isObject(value)) return undefined;
  const bloom = value["logsBloom"];
  const baseFee = value["baseFeePerGas"];
  const gasLimit = value["gasLimit"];
  return {
    number: Number(quantity(value["number"], "a block number")),
    hash: bytesOf(value["hash"], "a block hash"),
    parentHash: bytesOf(value["parentHash"], "a parent hash"),
    time: quantity(value["timestamp"], "a block time"),
    baseFee: baseFee == null ? undefined : quantity(baseFee, "a base fee"),
    gasLimit: gasLimit == null ? undefined : quantity(gasLimit, "a block's gas limit"),
    logsBloom: bloom == null ? undefined : bytesOf(bloom, "a block's bloom filter"),
  };
}

export async function readLatestHeader(chain: Chain): Promise<BlockHead> {
  const [reply] = await chain.read([headerCall("latest")]);
  return headerOf(reply);
}

export async function readHeader(chain: Chain, number: number): Promise<BlockHead> {
  const [reply] = await chain.read([headerCall(number)]);
  const head = headerOf(reply);
  if (head.number === number) return head;
  throw new Fault("rpc_unavailable", "The node sent another block than the one asked for");
}

/** Returns consecutive headers; ends before one that is missing or belongs to another fork. */
export async function readHeaders(chain: Chain, numbers: readonly number[]): Promise<BlockHead[]> {
  const replies = await chain.read(numbers.map(headerCall));
  const heads: BlockHead[] = [];
  for (const reply of replies) {
    const head = findHeader(resultOf(reply, "eth_getBlockByNumber"));
    const before = heads.at(-1);
    if (!head || (before && head.parentHash !== before.hash)) break;
    heads.push(head);
  }
  return heads;
}
