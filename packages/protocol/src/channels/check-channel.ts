/**
 * The rules of a channel's message, without the chain and with its state: what the contract would refuse
 * later is refused now. Their source is the scheme's specification; the contract has the last word.
 */
import type { Hex } from "../encoding/hex.ts";
import { isSameAddress, zeroAddress, type Address } from "../networks/address.ts";
import type { Network } from "../networks/networks.ts";
import { hasSigned, isLowS, splitSignature } from "../signatures/signature.ts";
import { channelIdOf, type ChannelConfig, type ChannelState } from "./channel.ts";
import { acceptChannel, refuseChannel, type ChannelOutcome } from "./channel-codes.ts";
import type { ChannelRequirements } from "./channel-messages.ts";
import { voucherDigest, type VoucherTerms } from "./channel-signatures.ts";

/** What a channel must fit: the seller's requirements, or those members of them that a manager sends. */
export type ChannelTerms = Pick<ChannelRequirements, "network" | "asset" | "payTo"> &
  Partial<Pick<ChannelRequirements, "receiverAuthorizer" | "withdrawDelay">>;

/** Compares a channel with what the seller asks for; returns its id. */
export function checkChannel(config: ChannelConfig, terms: ChannelTerms): ChannelOutcome<Hex> {
  const { network } = terms;
  if (!isSameAddress(config.token, terms.asset) || !isSameAddress(config.token, network.usdc)) {
    return refuseChannel(
      "token_mismatch",
      `The channel's token must be the asset, native USDC at ${network.usdc} on ${network.id}.`,
    );
  }
  if (!isSameAddress(config.receiver, terms.payTo)) {
    return refuseChannel("receiver_mismatch", "The channel's receiver must be payTo.");
  }
  const { receiverAuthorizer = config.receiverAuthorizer } = terms;
  if (!isSameAddress(config.receiverAuthorizer, receiverAuthorizer)) {
    return refuseChannel(
      "receiver_authorizer_mismatch",
      "The channel's receiverAuthorizer must be that of the requirements.",
    );
  }
  const { withdrawDelay = config.withdrawDelay } = terms;
  if (config.withdrawDelay !== withdrawDelay) {
    return refuseChannel(
      "withdraw_delay_mismatch",
      "The channel's withdrawDelay must be that of the requirements.",
    );
  }
  return acceptChannel(channelIdOf(network, config));
}

/** Checks who signed a voucher, as the contract does: by recovery alone, whatever code is there. */
export function checkVoucher(
  network: Network,
  config: ChannelConfig,
  voucher: VoucherTerms & { readonly signature: Hex },
): ChannelOutcome<undefined> {
  if (config.payerAuthorizer === zeroAddress) {
    return refuseChannel(
      "voucher_signature",
      "Channels whose vouchers a contract wallet signs are not served, since it can revoke them; name a payerAuthorizer.",
    );
  }
  const digest = voucherDigest(network.chainId, voucher);
  if (!hasSignedForContract(config.payerAuthorizer, digest, voucher.signature)) {
    return refuseChannel(
      "voucher_signature",
      "The voucher is not signed by the channel's payerAuthorizer; sign it again, with low s and v 27 or 28.",
    );
  }
  return acceptChannel(undefined);
}

/** Whether the key of an address signed a digest, in the form that the contract accepts. */
export function hasSignedForContract(
  address: Address,
  digest: Uint8Array,
  signature: Hex,
): boolean {
  const parts = isContractForm(signature) ? splitSignature(signature) : undefined;
  return parts !== undefined && isLowS(parts) && hasSigned(address, digest, parts);
}

/** 65 bytes that end with v 27 or 28: the contract accepts no other form. */
function isContractForm(signature: Hex): boolean {
  return /^0x[0-9a-f]{128}1[bc]$/i.test(signature);
}

/** Compares a voucher's total with the channel, to which `deposited` base units are being added. */
export function checkTotal(
  maxClaimableAmount: bigint,
  state: ChannelState,
  { deposited = 0n, isRefund = false } = {},
): ChannelOutcome<undefined> {
  const balance = state.balance + deposited;
  if (balance === 0n) {
    return refuseChannel("channel_not_found", "The channel has no balance; deposit first.");
  }
  if (maxClaimableAmount > balance) {
    return refuseChannel(
      "cumulative_exceeds_balance",
      `The voucher is for ${maxClaimableAmount} base units in all, the channel holds ${balance}; deposit more.`,
    );
  }
  const { totalClaimed } = state;
  // A refund charges nothing, so its voucher may be at what was claimed already.
  if (maxClaimableAmount < totalClaimed || (!isRefund && maxClaimableAmount === totalClaimed)) {
    return refuseChannel(
      "cumulative_below_claimed",
      `The voucher is for ${maxClaimableAmount} base units in all, of which ${totalClaimed} are claimed.`,
    );
  }
  return acceptChannel(undefined);
}
