/**
 * The channel contract's functions, reads and events, encoded. An entry of its own, since only those
 * who talk to a node need it: `@farthing/protocol/channel-contract`.
 */
import * as AbiFunction from "ox/AbiFunction";
import * as AbiParameters from "ox/AbiParameters";
import type { Address } from "../networks/address.ts";
import { isHexBytes, toLowerHex, type Hex } from "../encoding/hex.ts";
import { depositCollector } from "../networks/channel-addresses.ts";
import { type ChannelConfig, type ChannelState } from "./channel.ts";
import type { SignedDeposit, VoucherClaim } from "./channel-messages.ts";

const configStruct =
  "struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }";
const voucherStruct = "struct Voucher { ChannelConfig channel; uint128 maxClaimableAmount; }";
const claimStruct =
  "struct VoucherClaim { Voucher voucher; bytes signature; uint128 totalClaimed; }";

const deposit = AbiFunction.from([
  configStruct,
  "function deposit(ChannelConfig config, uint128 amount, address collector, bytes collectorData)",
]);
const claim = AbiFunction.from([
  configStruct,
  voucherStruct,
  claimStruct,
  "function claim(VoucherClaim[] voucherClaims)",
]);
const claimWithSignature = AbiFunction.from([
  configStruct,
  voucherStruct,
  claimStruct,
  "function claimWithSignature(VoucherClaim[] voucherClaims, bytes authorizerSignature)",
]);
const settle = AbiFunction.from("function settle(address receiver, address token)");
const refund = AbiFunction.from([
  configStruct,
  "function refund(ChannelConfig config, uint128 amount)",
]);
const refundWithSignature = AbiFunction.from([
  configStruct,
  "function refundWithSignature(ChannelConfig config, uint128 amount, uint256 nonce, bytes receiverAuthorizerSignature)",
]);
const initiateWithdraw = AbiFunction.from([
  configStruct,
  "function initiateWithdraw(ChannelConfig config, uint128 amount)",
]);
const finalizeWithdraw = AbiFunction.from([
  configStruct,
  "function finalizeWithdraw(ChannelConfig config)",
]);
const getChannelId = AbiFunction.from([
  configStruct,
  "function getChannelId(ChannelConfig config)",
]);
const multicall = AbiFunction.from("function multicall(bytes[] data)");
const channels = AbiFunction.from("function channels(bytes32 channelId)");
const pendingWithdrawals = AbiFunction.from("function pendingWithdrawals(bytes32 channelId)");
const refundNonce = AbiFunction.from("function refundNonce(bytes32 channelId)");
const receivers = AbiFunction.from("function receivers(address receiver, address token)");

const collectorData = AbiParameters.from("uint256, uint256, uint256, bytes");

const toRow = ({ config, maxClaimableAmount, signature, totalClaimed }: VoucherClaim) => ({
  voucher: { channel: config, maxClaimableAmount },
  signature,
  totalClaimed,
});

const encode = AbiFunction.encodeData;

/** Calldata of the contract. Amounts are base units. */
export const channelCalls = {
  /** Through the collector of deposits by EIP-3009. */
  deposit(config: ChannelConfig, signed: SignedDeposit): Hex {
    const { amount, validAfter, validBefore, salt, signature } = signed;
    const data = AbiParameters.encode(collectorData, [validAfter, validBefore, salt, signature]);
    return encode(deposit, [config, amount, depositCollector, data]);
  },
  depositBy: (config: ChannelConfig, amount: bigint, collector: Address, data: Hex): Hex =>
    encode(deposit, [config, amount, collector, data]),
  claim: (claims: readonly VoucherClaim[]): Hex => encode(claim, [claims.map(toRow)]),
  claimWithSignature: (claims: readonly VoucherClaim[], signature: Hex): Hex =>
    encode(claimWithSignature, [claims.map(toRow), signature]),
  settle: (receiver: Address, token: Address): Hex => encode(settle, [receiver, token]),
  refund: (config: ChannelConfig, amount: bigint): Hex => encode(refund, [config, amount]),
  refundWithSignature: (
    config: ChannelConfig,
    { amount, nonce, signature }: { amount: bigint; nonce: bigint; signature: Hex },
  ): Hex => encode(refundWithSignature, [config, amount, nonce, signature]),
  initiateWithdraw: (config: ChannelConfig, amount: bigint): Hex =>
    encode(initiateWithdraw, [config, amount]),
  finalizeWithdraw: (config: ChannelConfig): Hex => encode(finalizeWithdraw, [config]),
  /** Several calls of one sender in one transaction. */
  multicall: (calls: readonly Hex[]): Hex => encode(multicall, [calls]),
};

/** Calldata of the contract's reads. */
export const channelReads = {
  channels: (channelId: Hex): Hex => encode(channels, [channelId]),
  pendingWithdrawals: (channelId: Hex): Hex => encode(pendingWithdrawals, [channelId]),
  refundNonce: (channelId: Hex): Hex => encode(refundNonce, [channelId]),
  receivers: (receiver: Address, token: Address): Hex => encode(receivers, [receiver, token]),
  getChannelId: (config: ChannelConfig): Hex => encode(getChannelId, [config]),
};

/** The three reads of a channel's state, in the order of {@link decodeChannelState}. */
export function channelStateReads(channelId: Hex): readonly [Hex, Hex, Hex] {
  return [
    channelReads.channels(channelId),
    channelReads.pendingWithdrawals(channelId),
    channelReads.refundNonce(channelId),
  ];
}

/** Decodes the results of {@link channelStateReads}; undefined where one is no such result. */
export function decodeChannelState(results: readonly unknown[]): ChannelState | undefined {
  const [channel, withdrawal, nonce] = [
    wordsOf(results[0]),
    wordsOf(results[1]),
    wordsOf(results[2]),
  ];
  const [balance, totalClaimed] = channel;
  const [withdrawing, initiatedAt] = withdrawal;
  const [nextRefund] = nonce;
  if (balance === undefined || totalClaimed === undefined || nextRefund === undefined)
    return undefined;
  if (withdrawing === undefined || initiatedAt === undefined) return undefined;
  return {
    balance,
    totalClaimed,
    withdrawing,
    withdrawRequestedAt: Number(initiatedAt),
    refundNonce: nextRefund,
  };
}

/** What a receiver was credited by claims, and what was sent of it, in base units. */
export interface ReceiverState {
  readonly totalClaimed: bigint;
  readonly totalSettled: bigint;
}

export function decodeReceiverState(result: unknown): ReceiverState | undefined {
  const [totalClaimed, totalSettled] = wordsOf(result);
  return totalClaimed === undefined || totalSettled === undefined
    ? undefined
    : { totalClaimed, totalSettled };
}

/** Results of reads are a few words; longer ones are no results of this contract. */
const wordsMax = 4;

function wordsOf(result: unknown): readonly bigint[] {
  if (!isHexBytes(result, 32 * wordsMax)) return [];
  return (result.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

/** keccak256 of each event's text, written out so that a change of a text shows. */
export const channelTopics = {
  ChannelCreated: "0x69d8248d5566bdb2ebc4d218970710d8378a2ff9b709a999e052b71970f808fa",
  ChannelClosed: "0x8d5942f197f362dfd44dfdc1b0b7a9721c9151b67f55817c83349271d3c08d37",
  Deposited: "0x6c2a09353b5e75e70d0b9778b80a413809bb235d46c211811c474b3346791d89",
  Claimed: "0x36bd546bb573e8921fdbfd934bbed62d872796b01792cd240cce27f79dd3eddd",
  Settled: "0x7337b4386b690fdb8ba66905b92b9d45d33bc6626ee2620c905fb150ec0cc47d",
  Refunded: "0xa84286cf8ebc7903a663c77c8d99aa92b600d4c2fcca872a5d4a663db4eb394b",
  WithdrawInitiated: "0xe4280d0d903c7f258f62b07c62f262377cbaa23f7791d78126e6446e0f0e3c23",
  WithdrawFinalized: "0x546ce1e2242cd930c196bd08b894443562d709b4fffe4f028a75a6d233efc6e3",
} as const satisfies Readonly<Record<string, Hex>>;

export type ChannelEventName = keyof typeof channelTopics;

/** An event of one channel. Every one says that the channel's state has changed. */
export interface ChannelEvent {
  readonly name: Exclude<ChannelEventName, "Settled">;
  readonly channelId: Hex;
  /** The amount that moved, in base units; undefined where the event has none. */
  readonly amount: bigint | undefined;
}

/** Reads a log of the contract; undefined for a sweep, which is no channel's, and for any other log. */
export function readChannelEvent(log: {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}): ChannelEvent | undefined {
  const [topic, channelId] = log.topics;
  const name = channelEventNames.find((one) => channelTopics[one] === topic);
  if (!name || !channelId) return undefined;
  const hasConfig = name === "ChannelCreated" || name === "ChannelClosed";
  const amount = hasConfig ? undefined : wordsOf(log.data)[0];
  return { name, channelId: toLowerHex(channelId), amount };
}

const channelEventNames = [
  "ChannelCreated",
  "ChannelClosed",
  "Deposited",
  "Claimed",
  "Refunded",
  "WithdrawInitiated",
  "WithdrawFinalized",
] as const;
