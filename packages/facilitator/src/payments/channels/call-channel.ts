/**
 * Claims, sweeps and refunds. Each is decided by what the chain shows: what it shows already is not done
 * again, and a call whose response was lost can be repeated.
 */
import {
  checkChannel,
  checkVoucher,
  channelIdOf,
  refuseChannel,
  type ChannelPayload,
  type ChannelRequirements,
  type ChannelState,
  type ClaimEntry,
  type Hex,
  type SettleResponse,
  type VoucherClaim,
} from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import type { RequestKey } from "../../http/access/request-key.ts";
import type { PaymentContext } from "../context.ts";
import { pendingChannel, refusedChannel, settledChannel } from "./channel-responses.ts";

/** Callers wait as long as for a payment's outcome; many proxies give up after 30 s. */
const callWaitMs = 25_000;

/** What the calls need of the context. */
type Calling = Pick<PaymentContext, "channels">;

type Payload<Type> = Extract<ChannelPayload, { type: Type }>;

const entryOf = (requirements: ChannelRequirements, claim: VoucherClaim): ClaimEntry => ({
  channelId: channelIdOf(requirements.network, claim.config),
  maxClaimableAmount: claim.maxClaimableAmount,
  totalClaimed: claim.totalClaimed,
});

export async function claimChannels(
  context: Calling,
  { claims, claimAuthorizerSignature }: Payload<"claim">,
  requirements: ChannelRequirements,
  key: RequestKey | null,
): Promise<SettleResponse> {
  const { network } = requirements;
  const signing = { given: claimAuthorizerSignature, key };
  const prepared = await prepareClaims(context, claims, requirements, signing);
  if (!prepared.ok) return refusedChannel(prepared.refusal, network.id);
  const done = { network: network.id, amount: "" };
  const entries = claims.map((claim) => entryOf(requirements, claim));
  const before = await statesOf(context, entries, requirements);
  if (areClaimed(entries, before)) return settledChannel({ ...done, transaction: "" });
  const called = await context.channels.chain.call(network.chainId, prepared.value, callWaitMs);
  if (called.kind === "pending") return pendingChannel(network.id, called.transaction);
  if (called.kind === "reverts") {
    // Another claim of the same rows may have come first.
    const now = await statesOf(context, entries, requirements);
    if (areClaimed(entries, now)) return settledChannel({ ...done, transaction: "" });
    const message =
      "The contract refuses the claim: a row is above its channel's balance, or signed by another.";
    return refusedChannel(refuseChannel("claim_simulation_failed", message).refusal, network.id);
  }
  const after = await statesOf(context, entries, requirements, called.blockNumber);
  const { transaction } = called;
  if (areClaimed(entries, after)) return settledChannel({ ...done, transaction });
  const why = refuseChannel(
    "claim_transaction_failed",
    "The claim was sent and has not claimed these rows.",
  );
  return refusedChannel(why.refusal, network.id, { transaction });
}

/**
 * Checks the rows and signs them where the seller leaves that to us; returns the call. Only the seller
 * knows what it has charged of a voucher, which anyone reads from an earlier claim, so we sign for its own
 * key alone.
 */
async function prepareClaims(
  context: Calling,
  claims: readonly VoucherClaim[],
  requirements: ChannelRequirements,
  { given, key }: { readonly given: Hex | undefined; readonly key: RequestKey | null },
) {
  const { network, asset, payTo } = requirements;
  for (const claim of claims) {
    const fits = checkChannel(claim.config, { network, asset, payTo });
    if (!fits.ok) return fits;
    const signed = checkVoucher(network, claim.config, { ...claim, channelId: fits.value });
    if (!signed.ok) return signed;
    if (claim.totalClaimed > claim.maxClaimableAmount) {
      return refuseChannel("charge_exceeds_signed_cumulative", "A row claims more than is signed.");
    }
  }
  const [first] = claims;
  if (!first) return refuseChannel("payload_type", "claims must have a row.");
  if (claims.some((one) => one.config.receiverAuthorizer !== first.config.receiverAuthorizer)) {
    return refuseChannel(
      "authorizer_address_mismatch",
      "All rows of a claim must have one receiverAuthorizer.",
    );
  }
  const entries = claims.map((claim) => entryOf(requirements, claim));
  const { authorizer } = context.channels;
  const own =
    given === undefined && key !== null
      ? await authorizer.signClaims(network.chainId, first.config, entries)
      : undefined;
  const signature = given ?? own;
  if (signature === undefined) {
    return refuseChannel(
      "authorizer_not_configured",
      "The channels' receiverAuthorizer is not this facilitator's, or no API key was sent; send claimAuthorizerSignature, or the key.",
    );
  }
  return { ok: true, value: channelCalls.claimWithSignature(claims, signature) } as const;
}

function statesOf(
  { channels }: Calling,
  entries: readonly ClaimEntry[],
  { network }: ChannelRequirements,
  block = 0,
): Promise<readonly ChannelState[]> {
  return channels.chain.read(
    network.chainId,
    entries.map(({ channelId }) => channelId),
    block,
  );
}

function areClaimed(entries: readonly ClaimEntry[], states: readonly ChannelState[]): boolean {
  return entries.every((entry, at) => (states[at]?.totalClaimed ?? 0n) >= entry.totalClaimed);
}

export async function sweepReceiver(
  { channels }: Calling,
  { receiver, token }: Payload<"settle">,
  { network, payTo, asset }: ChannelRequirements,
): Promise<SettleResponse> {
  if (receiver !== payTo || token !== asset) {
    const why = refuseChannel("receiver_mismatch", "receiver must be payTo and token the asset.");
    return refusedChannel(why.refusal, network.id);
  }
  const before = await channels.chain.readReceiver(network.chainId, { receiver, token });
  if (before.totalClaimed <= before.totalSettled) {
    const why = refuseChannel("nothing_to_settle", "Nothing is claimed that was not sent already.");
    return refusedChannel(why.refusal, network.id);
  }
  const data = channelCalls.settle(receiver, token);
  const called = await channels.chain.call(network.chainId, data, callWaitMs);
  if (called.kind === "pending") return pendingChannel(network.id, called.transaction);
  if (called.kind === "reverts") {
    const why = refuseChannel("settle_simulation_failed", "The token refuses the transfer now.");
    return refusedChannel(why.refusal, network.id);
  }
  const { transaction, blockNumber } = called;
  const after = await channels.chain.readReceiver(
    network.chainId,
    { receiver, token },
    blockNumber,
  );
  const amount = after.totalSettled - before.totalSettled;
  if (amount > 0n) return settledChannel({ transaction, network: network.id, amount: `${amount}` });
  const why = refuseChannel("settle_transaction_failed", "The sweep was sent and nothing moved.");
  return refusedChannel(why.refusal, network.id, { transaction });
}

export async function refundChannel(
  context: Calling,
  payload: Payload<"refund">,
  requirements: ChannelRequirements,
  key: RequestKey | null,
): Promise<SettleResponse> {
  const { network } = requirements;
  const { config, voucher } = payload;
  const { payer } = config;
  const refuse = (outcome: ReturnType<typeof refuseChannel>) =>
    refusedChannel(outcome.refusal, network.id, { payer });
  const prepared = await prepareRefund(context, payload, requirements, key);
  if (!prepared.ok) return refuse(prepared);
  const { channelId } = voucher;
  const read = async (block = 0) => {
    const [state] = await context.channels.chain.read(network.chainId, [channelId], block);
    return state;
  };
  const before = await read();
  if (!before) return refuse(refuseChannel("rpc_read_failed", "The channel could not be read."));
  const { nonce, claimed } = prepared.value;
  if (before.refundNonce !== nonce) {
    return refuse(
      refuseChannel(
        "refund_payload",
        `refundNonce must be ${before.refundNonce}, the channel's next one; a refund with ${nonce} was made, or never will be.`,
      ),
    );
  }
  const left = before.balance - (claimed > before.totalClaimed ? claimed : before.totalClaimed);
  if (left <= 0n) return refuse(refuseChannel("refund_no_balance", "Nothing is left to refund."));
  const called = await context.channels.chain.call(
    network.chainId,
    prepared.value.data,
    callWaitMs,
  );
  if (called.kind === "pending") return pendingChannel(network.id, called.transaction, payer);
  if (called.kind === "reverts") {
    const message = "The contract refuses the refund: a signature, a row or the nonce is wrong.";
    return refuse(refuseChannel("refund_simulation_failed", message));
  }
  const { transaction, blockNumber } = called;
  const state = await read(blockNumber);
  if (!state || state.refundNonce === nonce) {
    const why = refuseChannel(
      "refund_transaction_failed",
      "The refund was sent and has not been carried out.",
    );
    return refusedChannel(why.refusal, network.id, { payer, transaction });
  }
  const amount = `${before.balance - state.balance}`;
  const channel = { channelId, state };
  return settledChannel({ transaction, network: network.id, amount, payer, channel });
}

/** Checks a refund and signs what the seller leaves to us; returns the call. */
async function prepareRefund(
  context: Calling,
  { config, voucher, amount, completed }: Payload<"refund">,
  requirements: ChannelRequirements,
  key: RequestKey | null,
) {
  const { network, asset, payTo } = requirements;
  const fits = checkChannel(config, { network, asset, payTo });
  if (!fits.ok) return fits;
  if (voucher.channelId !== fits.value) {
    return refuseChannel("channel_id_mismatch", "voucher.channelId is not that of channelConfig.");
  }
  if (!completed || amount === undefined) {
    return refuseChannel(
      "refund_payload",
      "A refund is settled with amount, refundNonce and claims.",
    );
  }
  const { claims, refundNonce: nonce } = completed;
  const { authorizer } = context.channels;
  const terms = { channelId: fits.value, nonce, amount };
  // Money of the seller's account goes back, so only the seller's own key lets us sign for it.
  const own =
    key === null ? undefined : await authorizer.signRefund(network.chainId, config, terms);
  const signature = completed.refundAuthorizerSignature ?? own;
  if (signature === undefined) {
    return refuseChannel(
      "authorizer_not_configured",
      "The channel's receiverAuthorizer is not this facilitator's; send refundAuthorizerSignature.",
    );
  }
  const refund = channelCalls.refundWithSignature(config, { amount, nonce, signature });
  if (claims.length === 0)
    return { ok: true, value: { nonce, claimed: 0n, data: refund } } as const;
  const signing = { given: completed.claimAuthorizerSignature, key };
  const claim = await prepareClaims(context, claims, requirements, signing);
  if (!claim.ok) return claim;
  const ofChannel = claims.filter((one) => entryOf(requirements, one).channelId === fits.value);
  const claimed = ofChannel.reduce((most, { totalClaimed: one }) => (one > most ? one : most), 0n);
  const data = channelCalls.multicall([claim.value, refund]);
  return { ok: true, value: { nonce, claimed, data } } as const;
}
