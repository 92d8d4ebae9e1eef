/**
 * Sending signed bytes and reading what the node said. Only a clear answer counts: a time-out, a
 * cut connection or an unknown error leaves open whether the bytes are on their way.
 */
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { resultOf, type Chain } from "../chain/chain.ts";
import { classifyNodeError, type NodeProblem } from "../chain/node-errors.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";

/** How a send ended. `accepted`: the node has our bytes. `unknown`: they may be anywhere. */
export type SendOutcome = "accepted" | "unknown" | NodeProblem;

/** Sends transactions of one lane, in nonce order, to one endpoint; one outcome each. */
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
            chainId: chain.network.chainId,
            transaction: transaction.hash,
            endpoint: endpointIndex,
          },
          "RPC endpoint answered another transaction hash than ours",
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
      { chainId: chain.network.chainId, endpoint: endpointIndex, problem: messageOf(error) },
      "Sending is in doubt",
    );
    return transactions.map(() => "unknown");
  }
}
