/**
 * What is signed for a channel: vouchers by the payer's side, claims and refunds by the receiver's,
 * and the deposit, which is an authorization of the token to the collector.
 */
import * as Bytes from "ox/Bytes";
import * as Hash from "ox/Hash";
import type { Address } from "../networks/address.ts";
import { addressWord } from "../networks/address.ts";
import { hexDigits, numberWord, type Hex } from "../encoding/hex.ts";
import type { ChainId, Network } from "../networks/networks.ts";
import { authorizationFields } from "../signatures/authorization.ts";
import { typedDataDigest } from "../signatures/typed-data.ts";
import { depositCollector } from "../networks/channel-addresses.ts";
import { channelDomainSeparator, typeWord } from "./channel.ts";

/** All that the receiver may have claimed of a channel in all, in base units. */
export interface VoucherTerms {
  readonly channelId: Hex;
  readonly maxClaimableAmount: bigint;
}

export interface RefundTerms {
  readonly channelId: Hex;
  readonly nonce: bigint;
  /** Base units. */
  readonly amount: bigint;
}

/** One row of a claim: the voucher, and the total that is claimed by it. */
export interface ClaimEntry extends VoucherTerms {
  readonly totalClaimed: bigint;
}

/** The EIP-712 types, in the form wallets take. */
export const voucherTypes = {
  Voucher: [
    { name: "channelId", type: "bytes32" },
    { name: "maxClaimableAmount", type: "uint128" },
  ],
} as const;

export const channelRefundTypes = {
  Refund: [
    { name: "channelId", type: "bytes32" },
    { name: "nonce", type: "uint256" },
    { name: "amount", type: "uint128" },
  ],
} as const;

export const claimBatchTypes = {
  ClaimBatch: [{ name: "claims", type: "ClaimEntry[]" }],
  ClaimEntry: [
    { name: "channelId", type: "bytes32" },
    { name: "maxClaimableAmount", type: "uint128" },
    { name: "totalClaimed", type: "uint128" },
  ],
} as const;

export const depositTypes = { ReceiveWithAuthorization: authorizationFields } as const;

const entryText = "ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)";
const voucherType = typeWord("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
const refundType = typeWord("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
const entryType = typeWord(entryText);
const batchType = typeWord(`ClaimBatch(ClaimEntry[] claims)${entryText}`);
const receiveType = typeWord(
  "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)",
);

/** The 32 bytes that the payer's side signs for a voucher. */
export function voucherDigest(chainId: ChainId, voucher: VoucherTerms): Uint8Array {
  const encoded = `${voucherType}${voucher.channelId.slice(2)}${numberWord(voucher.maxClaimableAmount)}`;
  return typedDataDigest(channelDomainSeparator(chainId), encoded);
}

/** The 32 bytes that the receiver's authorizer signs for a refund. */
export function channelRefundDigest(chainId: ChainId, refund: RefundTerms): Uint8Array {
  const { channelId, nonce, amount } = refund;
  const encoded = `${refundType}${channelId.slice(2)}${numberWord(nonce)}${numberWord(amount)}`;
  return typedDataDigest(channelDomainSeparator(chainId), encoded);
}

/** The 32 bytes that the receiver's authorizer signs for a batch of claims, in its order. */
export function claimBatchDigest(chainId: ChainId, claims: readonly ClaimEntry[]): Uint8Array {
  const entries = claims.map(({ channelId, maxClaimableAmount, totalClaimed }) => {
    const encoded = `${entryType}${channelId.slice(2)}${numberWord(maxClaimableAmount)}${numberWord(totalClaimed)}`;
    return hexDigits(Hash.keccak256(Bytes.fromHex(`0x${encoded}`)));
  });
  const root = hexDigits(Hash.keccak256(Bytes.fromHex(`0x${entries.join("")}`)));
  return typedDataDigest(channelDomainSeparator(chainId), `${batchType}${root}`);
}

/** What a payer signs to fund a channel. Times are Unix seconds, `value` is base units. */
export interface DepositAuthorization {
  readonly from: Address;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  /** See {@link depositNonce}. */
  readonly nonce: Hex;
}

/** The token's nonce of a deposit, bound to its channel: keccak256 of the id and a number. */
export function depositNonce(channelId: Hex, salt: bigint): Hex {
  return Hash.keccak256(`0x${channelId.slice(2)}${numberWord(salt)}`, { as: "Hex" });
}

/** The 32 bytes that the payer signs for a deposit: `ReceiveWithAuthorization` to the collector. */
export function depositDigest(
  { domainSeparator }: Pick<Network, "domainSeparator">,
  { from, value, validAfter, validBefore, nonce }: DepositAuthorization,
): Uint8Array {
  return typedDataDigest(
    domainSeparator,
    `${receiveType}${addressWord(from)}${addressWord(depositCollector)}${numberWord(value)}${numberWord(validAfter)}${numberWord(validBefore)}${nonce.slice(2)}`,
  );
}
