import { isObject, member } from "@farthing/protocol";
import { readJsonAtMost, type FetchFunction } from "../replayable-request.ts";

/** Longer than any healthy node takes; a payment does not wait for an unhealthy one. */
export const nodeAnswerMs = 5000;

/** Ten times the receipt of a batch of a hundred payments. */
const replyBytesMax = 2 * 1024 * 1024;

/** What a node says: a result, or why it has none. */
export type NodeReply =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: NodeProblem };

export interface NodeProblem {
  readonly message: string;
  /** What a call reverted with, where the node tells it. */
  readonly data: unknown;
}

export type NodeCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Returns the `result`. Errors never hold the node's address, which may contain a key. */
export function nodeCall(
  fetch: FetchFunction,
  rpcUrl: string,
  answerMs: number = nodeAnswerMs,
): NodeCall {
  return async (method, params) => {
    const { result } = await readReply(fetch, rpcUrl, { method, params }, answerMs);
    if (result === undefined) throw new Error(`The node gave no result for ${method}.`);
    return result;
  };
}

/** Returns what the node says, an error of its own included; throws where it says nothing. */
export async function readReply(
  fetch: FetchFunction,
  rpcUrl: string,
  request: { readonly method: string; readonly params: readonly unknown[] },
  answerMs: number = nodeAnswerMs,
): Promise<NodeReply> {
  const { method } = request;
  let reply: unknown;
  try {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...request }),
      signal: AbortSignal.timeout(answerMs),
    });
    reply = await readJsonAtMost(response.body, replyBytesMax);
  } catch {
    throw new Error(`The node did not answer ${method}.`);
  }
  const result = isObject(reply) ? member(reply, "result") : undefined;
  if (result !== undefined) return { result };
  const error = isObject(reply) ? member(reply, "error") : undefined;
  if (!isObject(error)) throw new Error(`The node gave no result for ${method}.`);
  return { error: { message: String(error["message"]), data: error["data"] } };
}
