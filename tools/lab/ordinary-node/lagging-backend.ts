/** A backend that is some blocks behind, made of a node that is not: what it has not seen does not exist. */
import { isObject } from "@farthing/protocol";
import { hexOf, numberOf } from "./call-answers.ts";
import {
  refuse,
  type NodeCall,
  type NodeReply,
  type NodeUpstream,
} from "@farthing/devnet/rpc-proxy";

/** Where the block stands among a method's parameters. */
const blockPlaces: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_call: 1,
  eth_estimateGas: 1,
};

/** Blocks between the head and the last final one: XDC's rule, near enough to the devnet's. */
const finalDepth = 3;

/** An upstream whose backends lag by as much as they are asked to. */
export function withLag(upstream: NodeUpstream): NodeUpstream {
  async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const [reply] = await upstream.answer([{ id: 0, method, params }], 0);
    return reply && "result" in reply ? reply.result : undefined;
  }

  async function answerOne(call: NodeCall, head: number): Promise<NodeReply> {
    const asked = asSeenAt(head, call);
    if ("reply" in asked) return asked.reply;
    if (await isOfUnseenBlock(asked.call, head)) return refuse(-32_000, "unknown block");
    const [reply = refuse(-32_000, "no backend")] = await upstream.answer([asked.call], 0);
    return hideUnseen(head, call, reply);
  }

  async function isOfUnseenBlock({ method, params }: NodeCall, head: number): Promise<boolean> {
    const hash =
      method === "eth_getLogs" && isObject(params[0]) ? params[0]["blockHash"] : undefined;
    if (hash === undefined) return false;
    const block = await ask("eth_getBlockByHash", hash, false);
    return isObject(block) && Number(block["number"]) > head;
  }

  return {
    async answer(calls, lagBlocks) {
      if (lagBlocks === 0) return upstream.answer(calls, 0);
      const head = Math.max(0, (numberOf(await ask("eth_blockNumber"), 0) ?? 0) - lagBlocks);
      return Promise.all(calls.map((call) => answerOne(call, head)));
    },
  };
}

/** A call as a node with an older head understands it, or its reply where that is clear already. */
function asSeenAt(head: number, call: NodeCall): { call: NodeCall } | { reply: NodeReply } {
  const { method, params } = call;
  if (method === "eth_blockNumber") return { reply: { result: hexOf(head) } };
  if (method === "eth_getLogs") return rangeSeenAt(head, call);
  const place = blockPlaces[method];
  const isPoolNonce = method === "eth_getTransactionCount" && params[1] === "pending";
  if (place === undefined || isPoolNonce) return { call };
  const number = blockOf(params[place] ?? "latest", head);
  if (number === undefined) return { call };
  if (number > head) {
    const isBlock = method === "eth_getBlockByNumber";
    return { reply: isBlock ? { result: null } : refuse(-32_000, "header not found") };
  }
  return { call: { ...call, params: params.with(place, hexOf(number)) } };
}

function rangeSeenAt(head: number, call: NodeCall): { call: NodeCall } | { reply: NodeReply } {
  const [filter] = call.params;
  if (!isObject(filter) || filter["blockHash"] !== undefined) return { call };
  const from = blockOf(filter["fromBlock"] ?? "latest", head) ?? head;
  if (from > head) return { reply: { result: [] } };
  const to = Math.min(head, blockOf(filter["toBlock"] ?? "latest", head) ?? head);
  const seen = { ...filter, fromBlock: hexOf(from), toBlock: hexOf(to) };
  return { call: { ...call, params: [seen] } };
}

function blockOf(tag: unknown, head: number): number | undefined {
  const isFinal = tag === "finalized" || tag === "committed";
  return isFinal ? Math.max(0, head - finalDepth) : numberOf(tag, head);
}

/** Receipts and transactions of blocks that this backend does not have yet. */
function hideUnseen(head: number, { method }: NodeCall, reply: NodeReply): NodeReply {
  if (!/^eth_getTransaction(Receipt|ByHash)$/.test(method) || !("result" in reply)) return reply;
  const isUnseen = isObject(reply.result) && Number(reply.result["blockNumber"] ?? 0) > head;
  return isUnseen ? { result: null } : reply;
}
