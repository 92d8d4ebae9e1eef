/** What is written of channels into messages, and what is read back of it beside the messages themselves. */
import { isBytes32, numberWord, toLowerHex, type Hex } from "../encoding/hex.ts";
import { defined, isObject, member, objectMembers, type JsonObject } from "../encoding/json.ts";
import type { Address } from "../networks/address.ts";
import { findNetworkOf, type Network } from "../networks/networks.ts";
import { parseUint256 } from "../signatures/authorization.ts";
import { channelScheme } from "./channel-scheme.ts";
import type { ChannelState } from "./channel.ts";
import { acceptChannel, refuseChannel, type ChannelOutcome } from "./channel-codes.ts";
import {
  parseChannelPayload,
  parseChannelUnits,
  type ChannelPayload,
  type SignedDeposit,
  type VoucherClaim,
} from "./channel-messages.ts";

/** What a buyer sends. */
export type BuyerChannelPayload = Extract<ChannelPayload, { config: unknown }>;

/** A claim's row as messages carry it. */
export function toWireClaim({ config, maxClaimableAmount, signature, totalClaimed }: VoucherClaim) {
  return {
    voucher: { channel: config, maxClaimableAmount: `${maxClaimableAmount}` },
    signature,
    totalClaimed: `${totalClaimed}`,
  };
}

/**
 * The channel's state as messages carry it: times are numbers, amounts are text. The amount of a
 * withdrawal is ours alone, and is there while one is pending.
 */
export function toWireChannelState(channelId: Hex, state: ChannelState) {
  return {
    channelId,
    balance: `${state.balance}`,
    totalClaimed: `${state.totalClaimed}`,
    withdrawRequestedAt: state.withdrawRequestedAt,
    refundNonce: `${state.refundNonce}`,
    ...(state.withdrawing > 0n ? { withdrawAmount: `${state.withdrawing}` } : {}),
  };
}

/**
 * Reads a state that a facilitator tells; undefined for any other value, and for another channel's.
 * Where a withdrawal is pending and its amount is not told, it is all that could be withdrawn.
 */
export function parseWireChannelState(channelId: Hex, input: unknown): ChannelState | undefined {
  if (!isObject(input)) return undefined;
  const named = member(input, "channelId");
  if (!isBytes32(named) || toLowerHex(named) !== channelId) return undefined;
  const balance = parseChannelUnits(member(input, "balance"));
  const totalClaimed = parseChannelUnits(member(input, "totalClaimed"));
  const refundNonce = parseUint256(member(input, "refundNonce"));
  const requestedAt = member(input, "withdrawRequestedAt");
  if (balance === undefined || totalClaimed === undefined || refundNonce === undefined) {
    return undefined;
  }
  if (typeof requestedAt !== "number" || !Number.isSafeInteger(requestedAt) || requestedAt < 0) {
    return undefined;
  }
  const most = balance > totalClaimed ? balance - totalClaimed : 0n;
  const told = parseChannelUnits(member(input, "withdrawAmount"));
  const withdrawing = requestedAt === 0 ? 0n : (told ?? most);
  return { balance, totalClaimed, refundNonce, withdrawRequestedAt: requestedAt, withdrawing };
}

/** What a seller asks for by channels on one network. */
export interface ChannelOffer {
  readonly network: Network;
  /** The most that this call may cost, in base units. */
  readonly amount: bigint;
  readonly payTo: Address;
  readonly maxTimeoutSeconds: number;
  readonly receiverAuthorizer: Address;
  /** Seconds. */
  readonly withdrawDelay: number;
  /** Base units that a first deposit has at least, by the seller's wish. */
  readonly minDeposit: bigint;
}

/** The entry of a challenge; `more` goes into its `extra`. */
export function toChannelEntry(offer: ChannelOffer, more: JsonObject = {}) {
  const { network, amount, payTo, maxTimeoutSeconds } = offer;
  const { receiverAuthorizer, withdrawDelay, minDeposit } = offer;
  return {
    scheme: channelScheme,
    network: network.id,
    amount: `${amount}`,
    asset: network.usdc,
    payTo,
    maxTimeoutSeconds,
    extra: {
      receiverAuthorizer,
      withdrawDelay,
      minDeposit: `${minDeposit}`,
      ...network.domain,
      assetTransferMethod: "eip3009",
      ...more,
    },
  };
}

/** What a seller's own calls name instead of an entry: nothing is asked for. */
export function toChannelCallEntry({ id, usdc }: Network, payTo: Address) {
  return {
    scheme: channelScheme,
    network: id,
    asset: usdc,
    amount: "0",
    payTo,
    maxTimeoutSeconds: 0,
    extra: {},
  };
}

/** A buyer's message as it goes on to the facilitator: written anew, and nothing else of what came. */
export function toWireBuyerPayload(payload: BuyerChannelPayload): JsonObject {
  const { type, config, voucher } = payload;
  const { channelId, maxClaimableAmount, signature } = voucher;
  const signed = { channelId, maxClaimableAmount: `${maxClaimableAmount}`, signature };
  const base = { type, channelConfig: config, voucher: signed };
  if (payload.type === "deposit") return { ...base, deposit: toWireDeposit(payload.deposit) };
  if (payload.type === "voucher") return base;
  return { ...base, ...defined({ amount: payload.amount?.toString() }) };
}

function toWireDeposit({ amount, validAfter, validBefore, salt, signature }: SignedDeposit) {
  const times = { validAfter: `${validAfter}`, validBefore: `${validBefore}` };
  const erc3009Authorization = { ...times, salt: `0x${numberWord(salt)}`, signature };
  return { amount: `${amount}`, authorization: { erc3009Authorization } };
}

/** A channel's message in a payment header. */
export interface ChannelPayment {
  readonly network: Network;
  readonly payload: BuyerChannelPayload;
  readonly extensions?: JsonObject;
}

/** Whether a decoded payment header is about a channel; any other one is a payment. */
export function isChannelPayment(input: unknown): boolean {
  const accepted = isObject(input) ? member(input, "accepted") : undefined;
  return isObject(accepted) && member(accepted, "scheme") === channelScheme;
}

/** Reads a channel's message of a payment header. */
export function parseChannelPayment(input: unknown): ChannelOutcome<ChannelPayment> {
  const accepted = isObject(input) ? member(input, "accepted") : undefined;
  if (!isObject(input) || !isObject(accepted) || member(input, "x402Version") !== 2) {
    return refuseChannel("payload_type", "A channel's payment needs x402Version 2 and accepted.");
  }
  const network = findNetworkOf(2, member(accepted, "network"));
  if (!network) return refuseChannel("network_mismatch", "The network is not served here.");
  const parsed = parseChannelPayload(member(input, "payload"));
  if (!parsed.ok) return parsed;
  const payload = parsed.value;
  if (payload.type === "claim" || payload.type === "settle") {
    return refuseChannel("payload_type", "payload.type must be deposit, voucher or refund.");
  }
  return acceptChannel({ network, payload, ...objectMembers(input, "extensions") });
}
