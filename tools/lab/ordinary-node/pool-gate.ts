/** Keeps transactions that XDPoSChain's pool would refuse from a node that would take them. */
import { isHexBytes, type Address } from "@farthing/protocol";
import type { PoolRules } from "./conditions.ts";
import {
  refuse,
  type NodeCall,
  type NodeReply,
  type NodeUpstream,
} from "@farthing/devnet/rpc-proxy";
import { maxPoolTransactionsDefault, refuseTransaction, type PoolState } from "./pool-rules.ts";
import { readTransaction, type PoolTransaction } from "./transaction.ts";

/** Longest signed bytes that are looked at: above the pool's own limit. */
const maxRawChars = 1 << 20;

/** An upstream with the pool's rules in front of it, while there are any. */
export function withPoolRules(
  upstream: NodeUpstream,
  rules: () => PoolRules | undefined,
): NodeUpstream {
  const taken = new Map<string, PoolTransaction>();

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const [reply] = await upstream.answer([{ id: 0, method, params }], 0);
    return reply && "result" in reply ? reply.result : undefined;
  }

  async function stateOf(tx: PoolTransaction, { maxTransactions }: PoolRules): Promise<PoolState> {
    const [count, pending, balance] = await Promise.all([
      ask("eth_getTransactionCount", [tx.from, "latest"]),
      ask("eth_getTransactionCount", [tx.from, "pending"]),
      ask("eth_getBalance", [tx.from, "latest"]),
    ]);
    const transactionCount = Number(count);
    forgetMined(tx.from, transactionCount);
    return {
      transactionCount,
      poolNonce: Number(pending),
      balanceWei: BigInt(String(balance)),
      sameNonce: taken.get(keyOf(tx)),
      isFull: taken.size >= (maxTransactions ?? maxPoolTransactionsDefault),
    };
  }

  function forgetMined(from: Address, transactionCount: number): void {
    for (const [key, tx] of taken) {
      if (tx.from === from && tx.nonce < transactionCount) taken.delete(key);
    }
  }

  async function send(call: NodeCall, poolRules: PoolRules): Promise<NodeReply> {
    const [raw] = call.params;
    const tx = isHexBytes(raw, maxRawChars) ? readTransaction(raw) : undefined;
    if (!tx) return refuse(-32_000, "rlp: value size exceeds available input length");
    const refusal = refuseTransaction(tx, await stateOf(tx, poolRules), poolRules);
    if (refusal !== undefined) return refuse(-32_000, refusal);
    const [reply = refuse(-32_000, "no backend")] = await upstream.answer([call], 0);
    if ("result" in reply) taken.set(keyOf(tx), tx);
    return reply;
  }

  return {
    async answer(calls, lagBlocks) {
      const poolRules = rules();
      if (!poolRules || !calls.some(isSend)) return upstream.answer(calls, lagBlocks);
      const replies: NodeReply[] = [];
      // One after the other, as a node takes the calls of a batch.
      for (const call of calls) {
        const [reply] = isSend(call)
          ? [await send(call, poolRules)]
          : await upstream.answer([call], lagBlocks);
        replies.push(reply ?? refuse(-32_000, "no backend"));
      }
      return replies;
    },
  };
}

const isSend = ({ method }: NodeCall) => method === "eth_sendRawTransaction";
const keyOf = ({ from, nonce }: PoolTransaction) => `${from}:${nonce}`;
