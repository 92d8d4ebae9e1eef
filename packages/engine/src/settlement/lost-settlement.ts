/**
 * Payments that a relayer wallet has sent and the database has lost, as after a failover to a standby
 * that lagged behind. The chain shows them, and their first repeat claims them again.
 */
import { isSameAddress, type Address, type ChainId, type PaymentRequest } from "@farthing/protocol";
import { hasCode, readSender } from "../chain/reads/reads.ts";
import type { VerifiedPayment } from "../verification/verify.ts";
import type { EarlierUse } from "../verification/earlier-use.ts";
import type { ChainOfRefund, ReadRefund } from "./lost-refunds.ts";

/**
 * Returns the payment as it was verified when it was claimed; undefined where a stranger sent it, and for
 * refunds that are presented as payments.
 */
export type FindLost = (
  request: PaymentRequest,
  paidBy: NonNullable<EarlierUse["paidBy"]>,
  presentedAs: "payment" | "refund",
) => Promise<VerifiedPayment | undefined>;

export function createFindLost(deps: {
  networkOf(chainId: ChainId):
    | (ChainOfRefund & {
        /** The wallets of the configuration, and those that were taken out of it. */
        readonly wallets: readonly Address[];
        readonly readRefund: ReadRefund;
      })
    | undefined;
}): FindLost {
  return async (request, { transaction, blockNumber }, presentedAs) => {
    const { network, authorization, signature } = request.payment;
    const at = deps.networkOf(network.chainId);
    const sender = at && (await readSender(at.chain, transaction));
    if (!at || sender === undefined) return undefined;
    if (!at.wallets.some((wallet) => isSameAddress(wallet, sender))) return undefined;
    if (presentedAs === "payment") {
      const { kind } = await at.readRefund(at, authorization, blockNumber);
      if (kind !== "payment") return undefined;
    }
    const payerHasCode = await hasCode(at.chain, authorization.from);
    // The search for its outcome begins before the block that has it.
    return { ...request, signature, payerHasCode, seenUnusedAt: blockNumber - 1 };
  };
}
