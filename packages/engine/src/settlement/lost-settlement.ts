/**
 * Payments that a relayer wallet has sent and the database has lost, as after a failover to a standby
 * that lagged behind. The chain shows them, and their first repeat claims them again.
 */
import { isSameAddress, type Address, type ChainId, type PaymentRequest } from "@farthing/protocol";
import { hasCode, readSender } from "../chain/reads.ts";
import type { VerifiedPayment } from "../verification/verify.ts";
import type { EarlierUse } from "../verification/earlier-use.ts";
import type { ChainOfRefund, MayBeRefund } from "./lost-refunds.ts";

/** Returns the payment as it was verified when it was claimed; undefined where a stranger sent it, and for refunds. */
export type FindLost = (
  request: PaymentRequest,
  paidBy: NonNullable<EarlierUse["paidBy"]>,
) => Promise<VerifiedPayment | undefined>;

export function createFindLost(deps: {
  networkOf(
    chainId: ChainId,
  ): (ChainOfRefund & { readonly relayer: { readonly addresses: readonly Address[] } }) | undefined;
  /** Wallets that were taken out of the configuration. */
  readonly formerWallets: readonly Address[];
  readonly mayBeRefund: MayBeRefund;
}): FindLost {
  return async (request, { transaction, blockNumber }) => {
    const { network, authorization, signature } = request.payment;
    const at = deps.networkOf(network.chainId);
    const sender = at && (await readSender(at.chain, transaction));
    if (!at || sender === undefined) return undefined;
    const ours = [...at.relayer.addresses, ...deps.formerWallets];
    if (!ours.some((wallet) => isSameAddress(wallet, sender))) return undefined;
    if (await deps.mayBeRefund(at, authorization, blockNumber)) return undefined;
    const payerHasCode = await hasCode(at.chain, authorization.from);
    // The search for its outcome begins before the block that has it.
    return { ...request, signature, payerHasCode, seenUnusedAt: blockNumber - 1 };
  };
}
