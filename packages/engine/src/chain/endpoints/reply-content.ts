/** What a reply shows about the node itself: its head, its limits, its health. */
import { isObject } from "@farthing/protocol";
import { classifyNodeError, isAboutCall } from "./node-errors.ts";
import type { RpcReply, RpcCall } from "./rpc-endpoint.ts";

/** The head in a reply to `eth_blockNumber` or for the latest block. */
export function headOf(call: RpcCall | undefined, result: unknown): number | undefined {
  const isLatest = call?.method === "eth_getBlockByNumber" && call.params[0] === "latest";
  const number =
    call?.method === "eth_blockNumber"
      ? result
      : isLatest && isObject(result)
        ? result["number"]
        : undefined;
  return typeof number === "string" && /^0x[0-9a-fA-F]{1,13}$/.test(number)
    ? Number(number)
    : undefined;
}

/** Blocks of an `eth_getLogs`, where `headNumber` is the node's newest. */
export function blocksOf(call: RpcCall | undefined, headNumber: number): number | undefined {
  const [filter] = call?.method === "eth_getLogs" ? call.params : [];
  if (!isObject(filter) || typeof filter["fromBlock"] !== "string") return undefined;
  const last = filter["toBlock"] === "latest" ? headNumber : Number(filter["toBlock"]);
  const blocks = last - Number(filter["fromBlock"]) + 1;
  return Number.isSafeInteger(blocks) && blocks > 1 ? blocks : undefined;
}

/** An error that is neither about the call nor about the node's newest block, such as a bad key. */
export function isUnexplained(reply: RpcReply): boolean {
  if (reply.ok || isAboutCall(reply.error)) return false;
  return classifyNodeError(reply.error) === "inconclusive";
}

/** Contracts that are called here return at least a word; a shorter result shows a faulty node. */
export function isEmptyWord({ method }: RpcCall, reply: RpcReply | undefined): boolean {
  if (method !== "eth_call" || !reply?.ok) return false;
  return typeof reply.result !== "string" || !/^0x[0-9a-fA-F]{64}/.test(reply.result);
}

/** Counts errors that another endpoint may not have. */
export function countEndpointErrors(replies: readonly RpcReply[]): number {
  return replies.filter((reply) => !reply.ok && !isAboutCall(reply.error)).length;
}
