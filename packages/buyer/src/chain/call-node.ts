/** One JSON-RPC call to a node of the buyer's. */
import { isObject, member, type Address, type Hex } from "@farthing/protocol";
import { readJsonAtMost, type FetchFunction } from "../replayable-request.ts";

/** Longer than any healthy node takes; a payment does not wait for a sick one. */
export const nodeAnswerMs = 5000;

/** A receipt of a batch of a hundred payments is a tenth of it. */
const answerBytesMax = 2 * 1024 * 1024;

/** Calls a method of a node. */
export type NodeCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

/**
 * Makes calls to the node at `rpcUrl`. A call gives the `result`, null included, and rejects when
 * there is none; the error never holds the node's address, which may hold a key.
 */
export function nodeCall(
  fetch: FetchFunction,
  rpcUrl: string,
  answerMs: number = nodeAnswerMs,
): NodeCall {
  return async (method, params) => {
    const answer = await ask(fetch, rpcUrl, { method, params, answerMs });
    const result = isObject(answer) ? member(answer, "result") : undefined;
    if (result === undefined) throw new Error(`The node gave no result for ${method}.`);
    return result;
  };
}

/** An address as a word of 32 bytes: how calls and topics hold it. */
export function addressWord(address: Address): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
}

interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly answerMs: number;
}

async function ask(
  fetch: FetchFunction,
  rpcUrl: string,
  { method, params, answerMs }: Question,
): Promise<unknown> {
  try {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(answerMs),
    });
    return await readJsonAtMost(response.body, answerBytesMax);
  } catch {
    throw new Error(`The node did not answer ${method}.`);
  }
}
