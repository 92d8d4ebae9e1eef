/** What a call over a channel came to, for the caller. */
import {
  defined,
  explorerLink,
  formatUsdc,
  shortUsdc,
  type SettleResponse,
} from "@farthing/protocol";
import type { OutcomeCode, PaymentProblem, RetryAction } from "../payment-error.ts";
import type { ChannelPayment } from "../payment-summary.ts";
import type { ChannelRecord } from "./channel-record.ts";
import type { CallPlan } from "./channel-rules.ts";
import type { ChannelOffer } from "./check-channel.ts";
import type { ChosenChannel } from "./choose-channel.ts";
import type { ChannelAnswer } from "./read-channel-answer.ts";

export function summarizeCharge(
  chosen: ChosenChannel,
  record: ChannelRecord,
  { deposit }: CallPlan,
  { chargedUnits, receipt, transaction }: ChannelAnswer & { readonly kind: "charged" },
): ChannelPayment {
  const { network } = chosen.offer.requirements;
  return {
    state: "charged",
    ...factsOf(chosen, record, chargedUnits),
    ...defined({
      deposit: deposit?.units.toString(),
      transaction,
      explorerUrl: transaction && explorerLink(network, transaction, record.host),
    }),
    receipt,
  };
}

/** A call whose charge no answer has confirmed: its amount is the most that it may cost. */
export function summarizeOpen(
  chosen: ChosenChannel,
  record: ChannelRecord,
  problem: PaymentProblem,
  receipt?: SettleResponse,
): ChannelPayment {
  const facts = factsOf(chosen, record, chosen.offer.requirements.amount);
  return { state: "unconfirmed", ...facts, ...defined({ receipt }), problem };
}

function factsOf({ offer, quote }: ChosenChannel, record: ChannelRecord, units: bigint) {
  const { channelId, config, chargedUnits, balanceUnits } = record;
  return {
    requestId: quote.requestId,
    channelId,
    amount: units.toString(),
    amountUsdc: formatUsdc(units),
    asset: config.token,
    payTo: config.receiver,
    payer: config.payer,
    network: offer.requirements.network.id,
    version: 2,
    chargedTotal: chargedUnits.toString(),
    balance: balanceUnits.toString(),
  } as const;
}

const sentences: Partial<Record<OutcomeCode, string>> = {
  no_answer: "No answer came to a call over a channel",
  settlement_pending: "The deposit is under way and not confirmed yet",
  payment_refused: "The seller refused the voucher",
  receipt_missing: "The seller answered without saying what it charged",
  seller_unavailable: "The seller could not answer",
  seller_error: "The seller refused the request, not the voucher",
  redirected: "The seller redirected the paid request; a voucher is not sent on",
  request_conflict: "The seller already has another request with this voucher",
};

/** The problem of a call that may have been charged: the next call on the channel settles which. */
export function openCall(
  code: OutcomeCode,
  { requirements }: Pick<ChannelOffer, "requirements">,
  reason?: string,
): PaymentProblem {
  const most = `it may have cost ${shortUsdc(requirements.amount)} USDC at most`;
  const what = sentences[code];
  const why = reason === undefined || reason === "" ? "" : ` (${reason})`;
  const message =
    what === undefined
      ? (reason ?? most)
      : `${what}${why}; ${most}. Calling again is another call, and its answer shows whether this one was charged.`;
  const retry_action = actionOf[code] ?? "human_required";
  const retryable = retry_action === "wait_and_retry";
  return { error: code, message, retryable, retry_action, payment_state: "in_flight" };
}

const actionOf: Partial<Record<OutcomeCode, RetryAction>> = {
  settlement_pending: "wait_and_retry",
  seller_unavailable: "wait_and_retry",
};
