/** Bodies about stored settlements. */
import type { RefundFacts, SettlementResponse } from "@farthing/protocol";
import { creditsOf, type Settlement, type StoredRefund } from "@farthing/engine";
import { timeText } from "@farthing/engine/base";
import { settleResponse } from "@farthing/engine/x402";

/** The members of a settlement that tell of refunds. */
export function refundMembersOf(
  { refundOf }: Settlement,
  refunds: readonly StoredRefund[],
  { unitsMin }: { readonly unitsMin: bigint },
) {
  const alive = refunds.filter(({ settlement }) => settlement.state !== "failed");
  const refunded = alive.reduce((sum, { settlement }) => sum + settlement.amount, 0n);
  const amounts = { refundedAmount: refunded.toString(), minRefundAmount: unitsMin.toString() };
  return { refundOf, refunds: refunds.map(refundFacts), ...amounts };
}

function refundFacts({ ordinal, settlement }: StoredRefund): RefundFacts {
  const { id, state, amount, transaction, finalizedAt } = settlement;
  const finalized = finalizedAt !== null;
  return { id, ordinal, state, amount: amount.toString(), transaction, finalized };
}

/** Creates the response of `GET /settlements/{id}`. */
export function settlementResponse(
  settlement: Settlement,
  { headNumber, unitsMin }: { readonly headNumber: number; readonly unitsMin: bigint },
  refunds: readonly StoredRefund[],
): SettlementResponse {
  const { blockNumber, logIndex, finalizedAt } = settlement;
  return {
    ...settleResponse(settlement, settlement.networkName),
    state: settlement.state,
    asset: settlement.asset,
    payTo: settlement.payTo,
    amount: settlement.amount.toString(),
    blockNumber,
    logIndex,
    confirmations: blockNumber === null ? 0 : Math.max(0, headNumber - blockNumber + 1),
    finalized: finalizedAt !== null,
    settledBy: settlement.settledBy,
    ...refundMembersOf(settlement, refunds, { unitsMin }),
    credits: creditsOf(settlement),
    createdAt: timeText(settlement.createdAt) ?? "",
    submittedAt: timeText(settlement.submittedAt),
    confirmedAt: timeText(settlement.confirmedAt),
    finalizedAt: timeText(finalizedAt),
    failedAt: timeText(settlement.failedAt),
    recoveredAt: timeText(settlement.recoveredAt),
  };
}
