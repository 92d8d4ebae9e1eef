/**
 * Refunds of a channel: what it was charged is claimed, and the rest goes back to the payer. A refund
 * happens with one nonce or never, so that it may be sent again; it is remembered until the chain tells.
 */
import {
  channelRefundDigest,
  claimBatchDigest,
  defined,
  signDigest,
  toWireBuyerPayload,
  toWireClaim,
  type ChannelRefusal,
  type Hex,
  type Network,
  type VoucherClaim,
} from "@farthing/protocol";
import type { Clock } from "../clock.ts";
import { LeaseLostError } from "../exchange/lost-lease.ts";
import type { Facilitator } from "../facilitator.ts";
import { countedTotal, type StoredChannel } from "../payment-records/channels/channel-store.ts";
import type { HeldChannel } from "../payment-records/channels/channels.ts";
import { requestOfSeller, settleCall, type ChannelCallEnd } from "./ask-facilitator.ts";

export interface RefundCall {
  readonly client: Facilitator;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly network: Network;
  /** Absent where the facilitator signs. */
  readonly privateKey?: Hex | undefined;
  /** Base units; all that is left when absent. */
  readonly amount?: bigint | undefined;
}

export type RefundEnd =
  | (ChannelCallEnd & { readonly channel: StoredChannel })
  | { readonly kind: "empty"; readonly refusal: ChannelRefusal };

/** The signature of a batch of claims, where the seller signs for itself. */
export function signClaims(
  { chainId }: Network,
  privateKey: Hex | undefined,
  claims: readonly (VoucherClaim & { readonly channelId: Hex })[],
): Hex | undefined {
  return privateKey && signDigest(privateKey, claimBatchDigest(chainId, claims));
}

/** The row that claims all that a channel was charged, or another total. */
export function claimOf(
  { id, config, voucher, charged }: Pick<StoredChannel, "id" | "config" | "voucher" | "charged">,
  totalClaimed = charged,
) {
  return { ...voucher, channelId: id, config, totalClaimed };
}

/** Refunds a channel whose state was read just now. Throws where its lease is lost. */
export async function refundHeld(
  held: HeldChannel,
  channel: StoredChannel,
  { client, clock, deadlineMs, network, privateKey, amount: wished }: RefundCall,
): Promise<RefundEnd> {
  const { state, charged, openRefund } = channel;
  const nonce = state.refundNonce;
  const left = state.balance - countedTotal(channel);
  const isOpen = openRefund?.nonce === nonce;
  const amount = isOpen ? openRefund.amount : least(wished ?? left, left);
  if (amount <= 0n) {
    const message = "Nothing is left in the channel to be refunded.";
    return { kind: "empty", refusal: { code: "refund_no_balance", message } };
  }
  const claims = charged > state.totalClaimed ? [claimOf(channel)] : [];
  const signature =
    privateKey &&
    signDigest(
      privateKey,
      channelRefundDigest(network.chainId, { channelId: channel.id, nonce, amount }),
    );
  const { config, voucher } = channel;
  const payload = {
    ...toWireBuyerPayload({ type: "refund", config, voucher, amount }),
    refundNonce: `${nonce}`,
    claims: claims.map(toWireClaim),
    ...defined({
      refundAuthorizerSignature: signature,
      claimAuthorizerSignature:
        claims.length > 0 ? signClaims(network, privateKey, claims) : undefined,
    }),
  };
  if (!(await held.refunding({ nonce, amount }))) throw new LeaseLostError();
  const request = requestOfSeller(payload, network, config.receiver);
  const end = await settleCall({ client, clock, deadlineMs, channelId: channel.id }, request);
  const after = await noteEnd(held, channel, end);
  return { ...end, channel: after };
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** What is unknown stays open. A state that was not told is read with the next call. */
async function noteEnd(
  held: HeldChannel,
  channel: StoredChannel,
  end: ChannelCallEnd,
): Promise<StoredChannel> {
  const isOver = end.kind === "refused";
  const state = end.kind === "done" ? end.state : undefined;
  const noted = state
    ? await held.mirror(state)
    : isOver
      ? await held.refunding(undefined)
      : channel;
  if (!noted) throw new LeaseLostError();
  return noted;
}
