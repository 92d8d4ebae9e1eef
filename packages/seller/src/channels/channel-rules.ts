/** The seller's own rules of a call, as functions of the stored channel. */
import {
  acceptChannel,
  checkChannel,
  checkVoucher,
  refuseChannel,
  withdrawDelayMin,
  type BuyerChannelPayload,
  type ChannelOffer,
  type ChannelOutcome,
} from "@farthing/protocol";
import { countedTotal, type StoredChannel } from "../payment-records/channels/channel-store.ts";

/**
 * What a facilitator said of the chain counts for so long: a third of the shortest delay, so that a
 * withdrawal is noticed while there is time to claim.
 */
const mirrorMs = (withdrawDelayMin * 1000) / 3;

/** Everything that needs neither the chain nor what is stored. */
export function checkCall(
  { config, voucher }: BuyerChannelPayload,
  offer: ChannelOffer,
): ChannelOutcome<undefined> {
  const fits = checkChannel(config, { ...offer, asset: offer.network.usdc });
  if (!fits.ok) return fits;
  if (voucher.channelId !== fits.value) {
    const message = "voucher.channelId is not the id of channelConfig on this chain.";
    return refuseChannel("channel_id_mismatch", message);
  }
  return checkVoucher(offer.network, config, voucher);
}

/** Whether what is stored of the chain is recent enough to serve a call by it. */
export function isFresh({ readAtMs }: StoredChannel, nowMs: number): boolean {
  return nowMs - readAtMs < mirrorMs;
}

/**
 * Whether a voucher for another total can be refused by what is stored. Claims beyond what was charged
 * here are a facilitator's word, which is asked for anew before it keeps a buyer out.
 */
export function isCertain(channel: StoredChannel, nowMs: number): boolean {
  return countedTotal(channel) === channel.charged || isFresh(channel, nowMs);
}

/** The total that a voucher of the next call is for. */
export function expectedTotal(
  channel: Pick<StoredChannel, "charged" | "state">,
  { type }: Pick<BuyerChannelPayload, "type">,
  { amount }: Pick<ChannelOffer, "amount">,
): bigint {
  const counted = countedTotal(channel);
  return type === "refund" ? counted : counted + amount;
}

/**
 * The highest total that is provably claimable: what the payer withdraws or gets back is not, also once
 * the delay is over, since a withdrawal can be finished at any later time.
 */
export function claimableTotal({ state, openRefund }: StoredChannel, deposited = 0n): bigint {
  return state.balance + deposited - state.withdrawing - (openRefund?.amount ?? 0n);
}

/** Checks that the call of a voucher can be claimed. */
export function checkExposure(
  channel: StoredChannel,
  { type, voucher }: Pick<BuyerChannelPayload, "type" | "voucher">,
  deposited = 0n,
): ChannelOutcome<undefined> {
  const { maxClaimableAmount } = voucher;
  const claimable = claimableTotal(channel, deposited);
  // A refund costs nothing, and gives back no more than is there.
  if (type === "refund" || maxClaimableAmount <= claimable) return acceptChannel(undefined);
  return refuseChannel(
    "cumulative_exceeds_balance",
    `The voucher is for ${maxClaimableAmount} base units in all; beside what is being withdrawn or refunded the channel holds ${claimable}.`,
  );
}
