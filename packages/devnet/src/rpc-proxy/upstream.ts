/** A node behind a proxy, reached over HTTP. */
import { isObject, type JsonObject } from "@farthing/protocol";
import { postJson } from "../post-json.ts";
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
  const body = JSON.stringify(calls.map((call, id) => ({ ...call, jsonrpc: "2.0", id })));
  const answers: unknown = JSON.parse(await postJson(url, body));
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
