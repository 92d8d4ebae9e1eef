/** A node behind a proxy, reached over HTTP. */
import { isObject, type JsonObject } from "@farthing/protocol";
import type { NodeCall, NodeReply, NodeUpstream } from "./messages.ts";

/**
 * Sends calls as one batch. Returns the node's answer to each, in order; undefined where it gave
 * none.
 */
export async function postCalls(
  url: string,
  calls: readonly NodeCall[],
): Promise<(JsonObject | undefined)[]> {
  if (calls.length === 0) return [];
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(calls.map((call, id) => ({ ...call, jsonrpc: "2.0", id }))),
  });
  const answers: unknown = await response.json();
  const byId = new Map(
    (Array.isArray(answers) ? answers : []).filter(isObject).map((one) => [one["id"], one]),
  );
  return calls.map((_, id) => byId.get(id));
}

/** A real node as an upstream. */
export function httpUpstream(url: string): NodeUpstream {
  return { answer: async (calls) => (await postCalls(url, calls)).map(readReply) };
}

function readReply(answer: JsonObject | undefined): NodeReply {
  const error = answer?.["error"];
  if (!isObject(error)) return { result: answer?.["result"] ?? null };
  const { code, message, data } = error;
  return {
    error: {
      code: Number(code),
      message: String(message),
      ...(data === undefined ? {} : { data }),
    },
  };
}
