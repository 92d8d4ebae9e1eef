/** What an ordinary node says to single calls: refused without a look, or answered wrongly. */
import { isObject } from "@farthing/protocol";
import type { AbsurdHeads, LogConditions, NodeConditions, rangeRefusals } from "./conditions.ts";
import { refuse, type NodeCall, type NodeReply } from "./json-rpc.ts";

/** The refusal that a call meets before the node looks at it. `head` is the node's block number. */
export function refuseCall(
  { internalErrors, logs }: NodeConditions,
  call: NodeCall,
  head: number,
): NodeReply | undefined {
  if (internalErrors?.includes(call.method)) return refuse(-32_603, "internal error");
  if (call.method !== "eth_getLogs" || !logs) return undefined;
  const [filter] = call.params;
  return isObject(filter) ? refuseLogs(logs, filter, head) : undefined;
}

function refuseLogs(
  { maxRangeBlocks, rangeStyle = "limited_to", refusesBlockHash }: LogConditions,
  filter: Readonly<Record<string, unknown>>,
  head: number,
): NodeReply | undefined {
  if (filter["blockHash"] !== undefined) {
    if (!refusesBlockHash) return undefined;
    return refuse(-32_602, "invalid argument 0: filter by blockHash is not supported");
  }
  const [from, to] = [filter["fromBlock"], filter["toBlock"]].map((tag) => numberOf(tag, head));
  const blocks = (to ?? head) - (from ?? head) + 1;
  if (maxRangeBlocks === undefined || blocks <= maxRangeBlocks) return undefined;
  return rangeErrors[rangeStyle](maxRangeBlocks);
}

const rangeErrors: Readonly<Record<(typeof rangeRefusals)[number], (max: number) => NodeReply>> = {
  limited_to: (max) => refuse(-32_602, `eth_getLogs is limited to a ${max} blocks range`),
  exceeds: (max) => refuse(-32_000, `exceed maximum block range: ${max}`),
  // The code of a rate limit, for what is none.
  too_many_results: () => refuse(-32_005, "query returned more than 10000 results"),
};

/** The number that a tag means; undefined for what is neither tag nor number. */
export function numberOf(tag: unknown, head: number): number | undefined {
  if (tag === undefined || tag === "latest" || tag === "pending") return head;
  if (tag === "earliest") return 0;
  return typeof tag === "string" && /^0x[0-9a-f]+$/i.test(tag) ? Number(tag) : undefined;
}

/** A reply as it is given away. */
export function distort(conditions: NodeConditions, call: NodeCall, reply: NodeReply): NodeReply {
  const { logs, revertsAsResults } = conditions;
  const { method } = call;
  if (method === "eth_getLogs" && logs?.areAlwaysEmpty && "result" in reply) return { result: [] };
  if (method === "eth_call" && revertsAsResults && "error" in reply) return revertAsResult(reply);
  return reply;
}

function revertAsResult(reply: Extract<NodeReply, { error: unknown }>): NodeReply {
  const { code, message, data } = reply.error;
  const isRevert = code === 3 || /revert/i.test(message);
  return isRevert ? { result: typeof data === "string" ? data : "0x" } : reply;
}

/** A head or final block with an absurd number; undefined where a call does not ask for one. */
export function makeAbsurd(
  { latest, finalized }: AbsurdHeads,
  { method, params }: NodeCall,
  reply: NodeReply,
): NodeReply | undefined {
  if (!("result" in reply)) return undefined;
  if (method === "eth_blockNumber" && latest !== undefined) return { result: hexOf(latest) };
  if (method !== "eth_getBlockByNumber" || !isObject(reply.result)) return undefined;
  const number = params[0] === "latest" ? latest : isFinal(params[0]) ? finalized : undefined;
  return number === undefined ? undefined : { result: { ...reply.result, number: hexOf(number) } };
}

const isFinal = (tag: unknown) => tag === "finalized" || tag === "committed";

/** A number as JSON-RPC writes it. */
export function hexOf(number: number): string {
  return `0x${number.toString(16)}`;
}
