/** Calls a node by JSON-RPC. No error contains its address, which may have a key in it. */
import { isObject, member, parseJson } from "@farthing/protocol";
import { readBytes } from "./body.ts";

/** Longer than a node that works takes for one call. */
const answerMs = 5_000;

/** JSON-RPC's code of a call that has reverted. */
const revertedCode = 3;

/** Returns the result of a call; undefined when it has reverted. Rejects when the node fails. */
export type CallNode = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Returns the calls of a node. Rejects when it serves another network than the CAIP-2 name says. */
export async function callNode(
  rpcUrl: string,
  network: string,
  maxReplyBytes: number,
): Promise<CallNode> {
  const call: CallNode = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "Content-Type": "application/json" };
    const signal = AbortSignal.timeout(answerMs);
    const bytes = await fetch(rpcUrl, { method: "POST", headers, body, signal })
      .then((response) => readBytes(response.body, maxReplyBytes))
      .catch(() => undefined);
    const reply = parseJson(new TextDecoder().decode(bytes))?.value;
    const result = isObject(reply) ? member(reply, "result") : undefined;
    if (result !== undefined) return result;
    const error = isObject(reply) ? member(reply, "error") : undefined;
    if (isObject(error) && member(error, "code") === revertedCode) return undefined;
    throw new Error(`The node did not answer ${method}.`);
  };
  const chainId = await call("eth_chainId", []);
  if (`eip155:${Number(chainId)}` !== network) throw new Error("The node has another network.");
  return call;
}
