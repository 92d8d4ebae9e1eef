import { isObject, member } from "@farthing/protocol";
import { readJsonAtMost, type FetchFunction } from "../replayable-request.ts";

/** Longer than any healthy node takes; a payment does not wait for an unhealthy one. */
export const nodeAnswerMs = 5000;

/** Ten times the receipt of a batch of a hundred payments. */
const replyBytesMax = 2 * 1024 * 1024;

export type NodeCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Returns the `result`. Errors never hold the node's address, which may contain a key. */
export function nodeCall(
  fetch: FetchFunction,
  rpcUrl: string,
  answerMs: number = nodeAnswerMs,
): NodeCall {
  return async (method, params) => {
    let reply: unknown;
    try {
      const response = await fetch(rpcUrl, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal: AbortSignal.timeout(answerMs),
      });
      reply = await readJsonAtMost(response.body, replyBytesMax);
    } catch {
      throw new Error(`The node did not answer ${method}.`);
    }
    const result = isObject(reply) ? member(reply, "result") : undefined;
    if (result === undefined) throw new Error(`The node gave no result for ${method}.`);
    return result;
  };
}
