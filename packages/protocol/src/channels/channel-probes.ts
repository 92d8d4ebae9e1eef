/**
 * A dry run of the published contracts: calls that change nothing, with what each must end in. Reads
 * are asked for values that follow from the rules; writes are given input that they must refuse.
 */
import * as AbiFunction from "ox/AbiFunction";
import * as AbiParameters from "ox/AbiParameters";
import type { Address } from "../networks/address.ts";
import { addressWord, zeroAddress } from "../networks/address.ts";
import { hexDigits, isHexBytes, numberWord, toLowerHex, type Hex } from "../encoding/hex.ts";
import { channelContract, depositCollector } from "../networks/channel-addresses.ts";
import type { Network } from "../networks/networks.ts";
import {
  channelDomain,
  channelIdOf,
  withdrawDelayMax,
  withdrawDelayMin,
  type ChannelConfig,
} from "./channel.ts";
import { channelCalls, channelReads } from "./channel-contract.ts";
import { readChannelError, type ChannelErrorName } from "./channel-errors.ts";
import { channelRefundDigest, claimBatchDigest, voucherDigest } from "./channel-signatures.ts";

export * from "./channel-errors.ts";
export * from "./channel-publication.ts";

/** A call, and how it must end: with bytes, with an error by name, or with a revert that has a text. */
export interface ChannelProbe {
  readonly contract: "channels" | "collector";
  /** The function, and what is asked of it where several calls ask the same one. */
  readonly name: string;
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly returns?: Hex;
  readonly reverts?: ChannelErrorName;
  /** Words of a revert that comes from the token. */
  readonly says?: string;
}

/** The reply of a node to `eth_call`: what it returned, or the data of the revert where the node has it. */
export type CallReply =
  | { readonly result: unknown; readonly revert?: undefined }
  | { readonly result?: undefined; readonly revert: unknown };

/** Accounts without keys: nobody has a channel with them, so that every read is of an unused one. */
const payer: Address = "0x4020000000000000000000000000000000000A01";
const receiver: Address = "0x4020000000000000000000000000000000000A02";
const authorizer: Address = "0x4020000000000000000000000000000000000a03";
const stranger: Address = "0x4020000000000000000000000000000000000a04";

/** A signature in the right form, of nobody. */
const noSignature: Hex = `0x${"11".repeat(64)}1b`;

const reads = {
  eip712Domain: AbiFunction.from("function eip712Domain()"),
  minDelay: AbiFunction.from("function MIN_WITHDRAW_DELAY()"),
  maxDelay: AbiFunction.from("function MAX_WITHDRAW_DELAY()"),
  voucherDigest: AbiFunction.from(
    "function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount)",
  ),
  refundDigest: AbiFunction.from(
    "function getRefundDigest(bytes32 channelId, uint256 nonce, uint128 amount)",
  ),
  claimBatchDigest: AbiFunction.from([
    "struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }",
    "struct Voucher { ChannelConfig channel; uint128 maxClaimableAmount; }",
    "struct VoucherClaim { Voucher voucher; bytes signature; uint128 totalClaimed; }",
    "function getClaimBatchDigest(VoucherClaim[] voucherClaims)",
  ]),
  settlement: AbiFunction.from("function x402BatchSettlement()"),
};

const collect = AbiFunction.from(
  "function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes collectorData)",
);

const domainTypes = AbiParameters.from(
  "bytes1, string, string, uint256, address, bytes32, uint256[]",
);

/** All calls of the dry run on a network. */
export function channelProbes(network: Network): readonly ChannelProbe[] {
  const config: ChannelConfig = {
    payer,
    payerAuthorizer: payer,
    receiver,
    receiverAuthorizer: authorizer,
    token: network.usdc,
    withdrawDelay: withdrawDelayMin,
    salt: `0x${"00".repeat(32)}`,
  };
  return [
    ...readProbes(network, config),
    ...[depositProbes, claimProbes, refundProbes, withdrawProbes, collectorProbes].flatMap((of) =>
      of(config),
    ),
  ];
}

const word = (value: bigint | number): Hex => `0x${numberWord(value)}`;
const words = (count: number): Hex => `0x${"00".repeat(32 * count)}`;
const hexOf = (digest: Uint8Array): Hex => `0x${hexDigits(digest)}`;

function readProbe(name: string, data: Hex, returns: Hex): ChannelProbe {
  return { contract: "channels", name, from: stranger, to: channelContract, data, returns };
}

function writeProbe(
  name: string,
  from: Address,
  data: Hex,
  reverts: ChannelErrorName,
): ChannelProbe {
  return { contract: "channels", name, from, to: channelContract, data, reverts };
}

function readProbes(network: Network, config: ChannelConfig): ChannelProbe[] {
  const channelId = channelIdOf(network, config);
  const { chainId } = network;
  const { name, version, verifyingContract } = channelDomain(chainId);
  const domain = ["0x0f", name, version, BigInt(chainId), verifyingContract, words(1), []] as const;
  const voucher = { channelId, maxClaimableAmount: 7n };
  const row = {
    voucher: { channel: config, maxClaimableAmount: 7n },
    signature: noSignature,
    totalClaimed: 5n,
  };
  const batch = claimBatchDigest(chainId, [{ ...voucher, totalClaimed: 5n }]);
  const refund = { channelId, nonce: 3n, amount: 2n };
  const encode = AbiFunction.encodeData;
  return [
    readProbe(
      "eip712Domain",
      encode(reads.eip712Domain),
      AbiParameters.encode(domainTypes, domain),
    ),
    readProbe("MIN_WITHDRAW_DELAY", encode(reads.minDelay), word(withdrawDelayMin)),
    readProbe("MAX_WITHDRAW_DELAY", encode(reads.maxDelay), word(withdrawDelayMax)),
    readProbe("getChannelId", channelReads.getChannelId(config), channelId),
    readProbe(
      "getVoucherDigest",
      encode(reads.voucherDigest, [channelId, 7n]),
      hexOf(voucherDigest(chainId, voucher)),
    ),
    readProbe(
      "getRefundDigest",
      encode(reads.refundDigest, [channelId, 3n, 2n]),
      hexOf(channelRefundDigest(chainId, refund)),
    ),
    readProbe("getClaimBatchDigest", encode(reads.claimBatchDigest, [[row]]), hexOf(batch)),
    readProbe("channels", channelReads.channels(channelId), words(2)),
    readProbe("pendingWithdrawals", channelReads.pendingWithdrawals(channelId), words(2)),
    readProbe("refundNonce", channelReads.refundNonce(channelId), words(1)),
    readProbe("receivers", channelReads.receivers(receiver, network.usdc), words(2)),
    // Nothing is due, so it does nothing.
    readProbe("settle", channelCalls.settle(receiver, network.usdc), "0x"),
  ];
}

function depositProbes(config: ChannelConfig): ChannelProbe[] {
  const deposit = (changed: Partial<ChannelConfig>, amount: bigint, collector = depositCollector) =>
    channelCalls.depositBy({ ...config, ...changed }, amount, collector, "0x");
  const tooShort = deposit({ withdrawDelay: withdrawDelayMin - 1 }, 1n);
  const unowned = deposit({ payer: zeroAddress }, 1n);
  const uncollected = deposit({}, 1n, zeroAddress);
  return [
    writeProbe("deposit of 0", stranger, deposit({}, 0n), "ZeroDeposit"),
    writeProbe("deposit for nobody", stranger, unowned, "InvalidChannel"),
    writeProbe("deposit, delay too short", stranger, tooShort, "WithdrawDelayOutOfRange"),
    writeProbe("deposit, no collector", stranger, uncollected, "InvalidCollector"),
    expiredDeposit(config),
  ];
}

function claimProbes(config: ChannelConfig): ChannelProbe[] {
  const row = { config, maxClaimableAmount: 7n, signature: noSignature, totalClaimed: 5n };
  const { claim, claimWithSignature: signed, multicall } = channelCalls;
  const above = claim([{ ...row, totalClaimed: 8n }]);
  const forged = signed([row], noSignature);
  return [
    writeProbe("claim of nothing", receiver, claim([]), "EmptyBatch"),
    writeProbe("claim by a stranger", stranger, claim([row]), "NotAuthorizedToClaim"),
    writeProbe("claim above the voucher", receiver, above, "ClaimExceedsCeiling"),
    writeProbe("claim above the balance", receiver, claim([row]), "ClaimExceedsBalance"),
    writeProbe("claimWithSignature of nothing", stranger, signed([], "0x"), "EmptyBatch"),
    writeProbe("claimWithSignature, forged", stranger, forged, "InvalidSignature"),
    writeProbe("multicall", receiver, multicall([claim([])]), "EmptyBatch"),
  ];
}

function refundProbes(config: ChannelConfig): ChannelProbe[] {
  const { refund, refundWithSignature } = channelCalls;
  const forged = { amount: 1n, nonce: 0n, signature: noSignature };
  const now = refundWithSignature(config, forged);
  const later = refundWithSignature(config, { ...forged, nonce: 1n });
  return [
    writeProbe("refund by a stranger", stranger, refund(config, 1n), "NotAuthorizedToRefund"),
    writeProbe("refund of 0", receiver, refund(config, 0n), "ZeroRefund"),
    writeProbe("refundWithSignature, forged", stranger, now, "InvalidSignature"),
    writeProbe("refundWithSignature, other nonce", stranger, later, "InvalidRefundNonce"),
  ];
}

function withdrawProbes(config: ChannelConfig): ChannelProbe[] {
  const start = (amount: bigint) => channelCalls.initiateWithdraw(config, amount);
  const finish = channelCalls.finalizeWithdraw(config);
  const [tooMuch, notTheirs] = [
    "WithdrawAmountExceedsAvailable",
    "NotAuthorizedToFinalizeWithdraw",
  ] as const;
  return [
    writeProbe("initiateWithdraw by a stranger", stranger, start(1n), "InvalidChannel"),
    writeProbe("initiateWithdraw of 0", payer, start(0n), "NothingToWithdraw"),
    writeProbe("initiateWithdraw of too much", payer, start(1n), tooMuch),
    writeProbe("finalizeWithdraw by a stranger", stranger, finish, notTheirs),
    writeProbe("finalizeWithdraw of none", payer, finish, "WithdrawalNotPending"),
  ];
}

/** Goes through contract and collector to the token, which refuses it before it reads the signature. */
function expiredDeposit(config: ChannelConfig): ChannelProbe {
  const expired = { validAfter: 0n, validBefore: 1n, salt: 0n, signature: noSignature };
  const data = channelCalls.deposit(config, { amount: 1n, ...expired });
  const call = { from: stranger, to: channelContract, data };
  return { contract: "channels", name: "deposit, expired", ...call, says: "expired" };
}

function collectorProbes({ token }: ChannelConfig): ChannelProbe[] {
  const common = { contract: "collector", from: stranger, to: depositCollector } as const;
  return [
    {
      ...common,
      name: "x402BatchSettlement",
      data: AbiFunction.encodeData(reads.settlement),
      returns: `0x${addressWord(channelContract)}`,
    },
    {
      ...common,
      name: "collect by a stranger",
      data: AbiFunction.encodeData(collect, [payer, token, 1n, words(1), "0x"]),
      reverts: "OnlyX402BatchSettlement",
    },
  ];
}

/** What a probe came to. Texts are one line each. */
export interface ProbeOutcome {
  readonly ok: boolean;
  readonly expected: string;
  readonly found: string;
}

/** Compares a reply with what the published contracts end in. */
export function evaluateProbe(
  { returns, reverts, says }: ChannelProbe,
  reply: CallReply,
): ProbeOutcome {
  const expected =
    returns === undefined ? (reverts ?? `the token's refusal: ${says}`) : shownValue(returns);
  if (reply.revert === undefined) {
    const found = typeof reply.result === "string" ? reply.result : "0x";
    const ok = returns !== undefined && found.toLowerCase() === toLowerHex(returns);
    return { ok, expected, found: ok ? expected : shownValue(found) };
  }
  const error = readChannelError(reply.revert);
  if (error !== undefined) return { ok: error === reverts, expected, found: error };
  const text = revertText(reply.revert);
  const ok = says !== undefined && text.includes(says);
  return { ok, expected, found: text };
}

/** A result of several words says nothing to a reader; whether it fits does. */
const shownCharactersMax = 66;

function shownValue(value: string): string {
  if (value === "0x") return "nothing";
  if (/^0x0*$/.test(value)) return "0";
  if (value.length > shownCharactersMax) return `${value.slice(0, shownCharactersMax)}…`;
  const number = BigInt(value);
  return number < 2n ** 64n ? number.toString() : value;
}

/** Selector of `Error(string)`. */
const errorSelector = "0x08c379a0";

/** The token's texts have a few words; a longer one is not shown. */
const revertBytesMax = 512;
const textCharactersMax = 100;

function revertText(data: unknown): string {
  if (!isHexBytes(data, revertBytesMax)) return "a revert without its error";
  if (!data.startsWith(errorSelector)) return `a revert with the data ${data.slice(0, 10)}`;
  try {
    const encoded: Hex = `0x${data.slice(errorSelector.length)}`;
    const [text] = AbiParameters.decode(AbiParameters.from("string"), encoded);
    return text.slice(0, textCharactersMax);
  } catch {
    return "a revert with an unreadable text";
  }
}
