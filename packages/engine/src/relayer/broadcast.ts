/**
 * Sends signed bytes and classifies the node's reply. After a time-out, a cut connection or an unknown
 * error the node may or may not have the bytes.
 */
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { resultOf, type Chain } from "../chain/chain.ts";
import { classifyNodeError, type NodeProblem } from "../chain/node-errors.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";

/** `accepted`: the node has our bytes. `unknown`: it may have them. */
export type SendOutcome = "accepted" | "unknown" | NodeProblem;

/** Sends one wallet's transactions in nonce order to one endpoint; returns one outcome each. */
export async function broadcast(
  chain: Chain,
  endpointIndex: number,
  transactions: readonly RelayerTransaction[],
  log: Log,
): Promise<SendOutcome[]> {
  const raws = transactions.flatMap(({ raw }) => (raw === null ? [] : [raw]));
  if (raws.length !== transactions.length) throw new Error("Only signed transactions are sent");
  try {
    const answers = await chain.send(endpointIndex, raws);
    return transactions.map((transaction, index) => {
      const answer = answers[index];
      if (answer?.ok) {
        if (String(resultOf(answer, "send")).toLowerCase() === transaction.hash) return "accepted";
        log.error(
          {
            event: "rpc_hash_mismatch",
            chainId: chain.network.chainId,
            transaction: transaction.hash,
            endpoint: endpointIndex,
          },
          "RPC endpoint returned a different transaction hash",
        );
        chain.distrust(endpointIndex);
        return "unknown";
      }
      const problem = answer ? classifyNodeError(answer.error) : "inconclusive";
      if (problem === "already_known") return "accepted";
      if (problem === "inconclusive" || problem === "rate_limited" || problem === "node_behind") {
        return "unknown";
      }
      return problem;
    });
  } catch (error) {
    log.warn(
      {
        event: "rpc_send_unknown",
        chainId: chain.network.chainId,
        endpoint: endpointIndex,
        problem: messageOf(error),
      },
      "Transaction sent without a clear reply",
    );
    return transactions.map(() => "unknown");
  }
}
