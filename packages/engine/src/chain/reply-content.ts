/** What a reply of a node shows about the node itself: its head, its limits, whether it is well. */
import { isObject } from "@farthing/protocol";
import { classifyNodeError, isAboutCall } from "./node-errors.ts";
import type { RpcAnswer, RpcCall } from "./rpc-endpoint.ts";

/** The head an answer shows: of `eth_blockNumber`, or of the latest block. */
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

/** Blocks that an `eth_getLogs` was about, where `headNumber` is the node's newest. */
export function blocksOf(call: RpcCall | undefined, headNumber: number): number | undefined {
  const [filter] = call?.method === "eth_getLogs" ? call.params : [];
  if (!isObject(filter) || typeof filter["fromBlock"] !== "string") return undefined;
  const last = filter["toBlock"] === "latest" ? headNumber : Number(filter["toBlock"]);
  const blocks = last - Number(filter["fromBlock"]) + 1;
  return Number.isSafeInteger(blocks) && blocks > 1 ? blocks : undefined;
}

/** An error that is neither about the call nor about the node's newest block: a key, a fault. */
export function isUnexplained(answer: RpcAnswer): boolean {
  if (answer.ok || isAboutCall(answer.error)) return false;
  return classifyNodeError(answer.error) === "inconclusive";
}

/** Contracts that are asked here return a word at least: a node that says less knows nothing. */
export function isEmptyWord({ method }: RpcCall, answer: RpcAnswer | undefined): boolean {
  if (method !== "eth_call" || !answer?.ok) return false;
  return typeof answer.result !== "string" || !/^0x[0-9a-fA-F]{64}/.test(answer.result);
}

/** Errors that another endpoint may well not have. */
export function countIll(answers: readonly RpcAnswer[]): number {
  return answers.filter((answer) => !answer.ok && !isAboutCall(answer.error)).length;
}
