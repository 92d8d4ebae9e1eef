/**
 * Sends signed bytes and classifies the node's reply. After a time-out, a cut connection or an unknown
 * error the node may or may not have the bytes.
 */
import { warning, type Log } from "../base/log.ts";
import { resultOf, type Chain } from "../chain/endpoints/chain.ts";
import { classifyNodeError, type NodeProblem } from "../chain/endpoints/node-errors.ts";
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
  const facts = { chainId: chain.network.chainId, endpoint: endpointIndex };
  const raws = transactions.flatMap(({ raw }) => (raw === null ? [] : [raw]));
  if (raws.length !== transactions.length) throw new Error("Only signed transactions are sent");
  try {
    const answers = await chain.send(endpointIndex, raws);
    return transactions.map((transaction, index) => {
      const answer = answers[index];
      if (answer?.ok) {
        if (String(resultOf(answer, "send")).toLowerCase() === transaction.hash) return "accepted";
        const fields = { event: "rpc_hash_mismatch", ...facts, transaction: transaction.hash };
        log.error(fields, "RPC endpoint returned a different transaction hash");
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
    const fields = { event: "rpc_send_unknown", ...facts };
    warning(log, fields, "Transaction sent without a clear reply")(error);
    return transactions.map(() => "unknown");
  }
}
