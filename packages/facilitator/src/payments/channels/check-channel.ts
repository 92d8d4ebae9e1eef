/** The evaluation that /verify and /settle of a channel's message share. */
import {
  acceptChannel,
  checkChannel,
  checkTotal,
  checkVoucher,
  refuseChannel,
  type ChannelOutcome,
  type ChannelPayload,
  type ChannelRequirements,
  type Refusal,
} from "@farthing/protocol";
import { depositRequest } from "@farthing/engine";
import type { VerifiedPayment, VerifyOptions } from "@farthing/engine";
import type { PaymentContext } from "../context.ts";
import type { ReadChannel } from "./channel-responses.ts";

/** What a buyer sends. */
export type BuyerPayload = Extract<ChannelPayload, { config: unknown }>;

export type CheckedChannel =
  | {
      readonly ok: true;
      readonly channel: ReadChannel;
      /** The deposit, where there is one that can be made. */
      readonly deposit: VerifiedPayment | undefined;
    }
  | {
      readonly ok: false;
      readonly refusal: Extract<ChannelOutcome<never>, { ok: false }>["refusal"];
      readonly channel?: ReadChannel;
    };

/** Everything that needs no node. */
export function checkMessage(
  payload: BuyerPayload,
  requirements: ChannelRequirements,
): ChannelOutcome<undefined> {
  const { config, voucher } = payload;
  const fits = checkChannel(config, requirements);
  if (!fits.ok) return fits;
  if (voucher.channelId !== fits.value) {
    return refuseChannel(
      "channel_id_mismatch",
      "voucher.channelId is not the id of channelConfig on this chain.",
    );
  }
  const { domain } = requirements.network;
  const { domainName, domainVersion } = requirements;
  if (
    payload.type === "deposit" &&
    (domainName !== domain.name || domainVersion !== domain.version)
  ) {
    return refuseChannel(
      "missing_eip712_domain",
      `extra must name the token "${domain.name}" version "${domain.version}".`,
    );
  }
  return checkVoucher(requirements.network, config, voucher);
}

/** Checks a buyer's message and reads its channel. Throws faults where that is not possible now. */
export async function checkBuyer(
  context: PaymentContext,
  payload: BuyerPayload,
  requirements: ChannelRequirements,
  options: VerifyOptions,
): Promise<CheckedChannel> {
  const message = checkMessage(payload, requirements);
  if (!message.ok) return message;
  const { network } = requirements;
  const { channelId, maxClaimableAmount } = payload.voucher;
  const [state] = await context.channels.chain.read(network.chainId, [channelId]);
  if (!state) return missing();
  const channel = { channelId, state };
  const deposit =
    payload.type === "deposit"
      ? await checkDeposit(context, payload, requirements, options)
      : acceptChannel(undefined);
  if (!deposit.ok) return { ...deposit, channel };
  const deposited = deposit.value?.payment.authorization.value ?? 0n;
  const isRefund = payload.type === "refund";
  const total = checkTotal(maxClaimableAmount, state, { deposited, isRefund });
  return total.ok ? { ok: true, channel, deposit: deposit.value } : { ...total, channel };
}

function missing() {
  return refuseChannel("verification_state_unavailable", "The channel's state could not be read.");
}

/** `undefined`: the chain has it already, so that the channel's balance contains it. */
async function checkDeposit(
  context: PaymentContext,
  payload: Extract<BuyerPayload, { type: "deposit" }>,
  { network }: ChannelRequirements,
  options: VerifyOptions,
): Promise<ChannelOutcome<VerifiedPayment | undefined>> {
  const request = depositRequest(network, payload.config, payload.deposit);
  const verified = await context.verifier.verify(request, options);
  if (verified.ok) return acceptChannel(verified.value);
  if (verified.refusal.code === "nonce_already_used") return acceptChannel(undefined);
  return refuseDeposit(verified.refusal);
}

/** The published names of what the token would refuse. */
export function refuseDeposit({ code, message }: Refusal) {
  switch (code) {
    case "invalid_signature":
      return refuseChannel(
        "receive_authorization_signature",
        "The deposit is not signed by the payer: sign ReceiveWithAuthorization to the collector, in the token's domain.",
      );
    case "authorization_expired":
    case "authorization_expires_too_soon":
      return refuseChannel("payload_authorization_valid_before", message);
    case "authorization_not_yet_valid":
      return refuseChannel("payload_authorization_valid_after", message);
    case "insufficient_funds":
      return refuseChannel("insufficient_balance", message);
    default:
      return refuseChannel("deposit_simulation_failed", message);
  }
}
