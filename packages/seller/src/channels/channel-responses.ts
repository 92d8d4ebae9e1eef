/** What a buyer is told of a channel's call: a receipt, or why there is none. */
import {
  toChannelEntry,
  toWireChannelState,
  wireChannelCode,
  type ChannelRefusal,
  type SettleResponse,
} from "@farthing/protocol";
import { errorResponse, type ChallengeTerms } from "../responses.ts";
import type { ExchangeResult } from "../exchange/paid-request.ts";
import { ask, laterUntaken, undecided } from "../exchange/open-responses.ts";
import { countedTotal, type StoredChannel } from "../payment-records/channels/channel-store.ts";
import type { OfferedChannel } from "./channel-offers.ts";

/** Long enough for the call that is under way, in most cases. */
const busyRetrySeconds = 1;

const mismatch = wireChannelCode("cumulative_amount_mismatch");

function chargedState(channel: StoredChannel) {
  return {
    ...toWireChannelState(channel.id, channel.state),
    chargedCumulativeAmount: `${countedTotal(channel)}`,
  };
}

/** The receipt of a call that was charged; `deposit` is what the facilitator said of its deposit. */
export function chargedReceipt(
  channel: StoredChannel,
  cost: bigint,
  deposit?: SettleResponse,
): SettleResponse {
  return {
    success: true,
    transaction: deposit?.transaction ?? "",
    network: channel.network,
    payer: channel.config.payer,
    amount: deposit?.amount ?? "",
    extra: { chargedAmount: `${cost}`, channelState: chargedState(channel) },
  };
}

/** The receipt of a refund, which charges nothing. */
export function refundReceipt(channel: StoredChannel, refund: SettleResponse): SettleResponse {
  const { transaction, amount = "" } = refund;
  const { network, config } = channel;
  const facts = { success: true, transaction, network, payer: config.payer, amount };
  return { ...facts, extra: { channelState: chargedState(channel) } };
}

export function refuseCall(
  terms: ChallengeTerms,
  { code, message }: ChannelRefusal,
): ExchangeResult {
  return ask(terms, { error: wireChannelCode(code), message });
}

/**
 * Tells a buyer what the channel was charged, with the voucher that proves it, so that one that has lost
 * count goes on. It has no receipt: stock buyers read none of this beside one. A channel that is not
 * `isKnown` here was charged what the chain says, which buyers read there.
 */
export function correctTotal(
  terms: ChallengeTerms,
  offer: OfferedChannel,
  channel: StoredChannel,
  isKnown = true,
): ExchangeResult {
  const { maxClaimableAmount, signature } = channel.voucher;
  const counted = countedTotal(channel);
  const isProof = isKnown && maxClaimableAmount >= counted;
  const more = {
    channelState: chargedState(channel),
    ...(isProof
      ? { voucherState: { signedMaxClaimable: `${maxClaimableAmount}`, signature } }
      : {}),
  };
  const corrected = toChannelEntry(offer, more);
  const { channels } = terms;
  const entries = channels?.entries.map((entry) =>
    entry["network"] === corrected.network ? corrected : entry,
  );
  const told = { ...terms, channels: { isOnly: false, ...channels, entries: entries ?? [] } };
  const message = `The voucher must be for ${counted + offer.amount} base units: ${counted} were charged, and this call costs at most ${offer.amount}.`;
  return ask(told, { error: mismatch, message });
}

/** Another request of the channel works, and as many wait as may. */
export function channelBusy(): ExchangeResult {
  const error = "invalid_batch_settlement_evm_channel_busy";
  const message =
    "Too many requests of this channel are under way. Yours was not charged. Repeat it with the " +
    "same voucher once they are done.";
  const more = { retryAfterSeconds: busyRetrySeconds };
  return undecided(errorResponse(409, { error, message, retryable: true }, more));
}

/** The lease of the channel was lost before anything was charged. */
export function channelLost(error: Error): ExchangeResult {
  const response = laterUntaken(
    "busy",
    "Another process works on this channel. Nothing was charged.",
  );
  return { response, outcome: { type: "broken", error } };
}

export function channelsFull(): ExchangeResult {
  const response = laterUntaken("busy", "Too many channels are open here. Nothing was taken.");
  return { response, outcome: { type: "full" } };
}
