/** What an ordinary node says to single calls: refused without a look, or answered wrongly. */
import { isObject } from "@farthing/protocol";
import type { AbsurdHeads, LogConditions, NodeConditions, rangeRefusals } from "./conditions.ts";
import { refuse, type NodeCall, type NodeReply } from "@farthing/devnet/rpc-proxy";

/** What can be wrong with the reply to one call. */
export const callOddities = [
  "internal_error",
  "log_range",
  "logs_by_hash",
  "empty_logs",
  "absurd_head",
  "revert_as_result",
] as const;

/** A reply that an ordinary node gives instead of the true one. */
export interface OddReply {
  readonly kind: (typeof callOddities)[number];
  readonly reply: NodeReply;
}

/** The refusal that a call meets before the node looks at it. `head` is the node's block number. */
export function refuseCall(
  { internalErrors, logs }: NodeConditions,
  call: NodeCall,
  head: number,
): OddReply | undefined {
  if (internalErrors?.includes(call.method)) {
    return { kind: "internal_error", reply: refuse(-32_603, "internal error") };
  }
  if (call.method !== "eth_getLogs" || !logs) return undefined;
  const [filter] = call.params;
  return isObject(filter) ? refuseLogs(logs, filter, head) : undefined;
}

function refuseLogs(
  { maxRangeBlocks, rangeStyle = "limited_to", refusesBlockHash }: LogConditions,
  filter: Readonly<Record<string, unknown>>,
  head: number,
): OddReply | undefined {
  if (filter["blockHash"] !== undefined) {
    if (!refusesBlockHash) return undefined;
    const reply = refuse(-32_602, "invalid argument 0: filter by blockHash is not supported");
    return { kind: "logs_by_hash", reply };
  }
  const [from, to] = [filter["fromBlock"], filter["toBlock"]].map((tag) => numberOf(tag, head));
  const blocks = (to ?? head) - (from ?? head) + 1;
  if (maxRangeBlocks === undefined || blocks <= maxRangeBlocks) return undefined;
  return { kind: "log_range", reply: rangeErrors[rangeStyle](maxRangeBlocks) };
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

/** What is given instead of the node's reply; undefined where that is passed on. */
export function distort(
  { logs, revertsAsResults }: NodeConditions,
  { method }: NodeCall,
  reply: NodeReply,
): OddReply | undefined {
  if ("result" in reply) {
    const isHidden = logs?.areAlwaysEmpty === true && !isEmpty(reply.result);
    if (method !== "eth_getLogs" || !isHidden) return undefined;
    return { kind: "empty_logs", reply: { result: [] } };
  }
  const { code, message, data } = reply.error;
  const isRevert = code === 3 || /revert/i.test(message);
  if (method !== "eth_call" || !revertsAsResults || !isRevert) return undefined;
  const result = typeof data === "string" ? data : "0x";
  return { kind: "revert_as_result", reply: { result } };
}

const isEmpty = (result: unknown) => Array.isArray(result) && result.length === 0;

/** A head or final block with an absurd number; undefined where a call does not ask for one. */
export function makeAbsurd(
  { latest, finalized }: AbsurdHeads,
  { method, params }: NodeCall,
  reply: NodeReply,
): OddReply | undefined {
  if (!("result" in reply)) return undefined;
  if (method === "eth_blockNumber" && latest !== undefined) {
    return { kind: "absurd_head", reply: { result: hexOf(latest) } };
  }
  if (method !== "eth_getBlockByNumber" || !isObject(reply.result)) return undefined;
  const number = params[0] === "latest" ? latest : isFinal(params[0]) ? finalized : undefined;
  if (number === undefined) return undefined;
  return { kind: "absurd_head", reply: { result: { ...reply.result, number: hexOf(number) } } };
}

const isFinal = (tag: unknown) => tag === "finalized" || tag === "committed";

/** A number as JSON-RPC writes it. */
export function hexOf(number: number): string {
  return `0x${number.toString(16)}`;
}
