/**
 * The messages of the scheme `batch-settlement`, of version 2 only: an entry of a challenge, what a
 * buyer sends for it, and what a seller sends to the facilitator beside that.
 */
import { parseWireAddress, wireAddressProblem, type Address } from "../networks/address.ts";
import { isBytes32, isHexBytes, toLowerHex, type Hex } from "../encoding/hex.ts";
import { defined, isObject, member, type JsonObject } from "../encoding/json.ts";
import { findNetworkOf, type Network } from "../networks/networks.ts";
import { parseUint256 } from "../signatures/authorization.ts";
import { channelUnitsMax, parseChannelConfig, type ChannelConfig } from "./channel.ts";
import { channelScheme } from "./channel-scheme.ts";
import { acceptChannel, refuseChannel, type ChannelOutcome } from "./channel-codes.ts";

/** An entry of a challenge. Calls of a seller's manager name an amount of 0 and nothing in `extra`. */
export interface ChannelRequirements {
  readonly network: Network;
  readonly asset: Address;
  /** The most that this call may cost, in base units. */
  readonly amount: bigint;
  readonly payTo: Address;
  readonly receiverAuthorizer?: Address;
  /** Seconds. */
  readonly withdrawDelay?: number;
  /** Base units that a first deposit has at least, by the seller's wish. */
  readonly minDeposit?: bigint;
  /** The token's EIP-712 domain, as the entry claims it. */
  readonly domainName?: string;
  readonly domainVersion?: string;
}

/** All that may be claimed of a channel in all, signed by the payer's side. */
export interface Voucher {
  readonly channelId: Hex;
  /** Base units. */
  readonly maxClaimableAmount: bigint;
  readonly signature: Hex;
}

/** A row of a claim. */
export interface VoucherClaim {
  readonly config: ChannelConfig;
  readonly maxClaimableAmount: bigint;
  readonly signature: Hex;
  /** What is claimed by it, at most the voucher's amount; base units. */
  readonly totalClaimed: bigint;
}

/** The payer's authorization to the collector. Times are Unix seconds, `amount` is base units. */
export interface SignedDeposit {
  readonly amount: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly salt: bigint;
  readonly signature: Hex;
}

interface OfChannel {
  readonly config: ChannelConfig;
  readonly voucher: Voucher;
}

export type ChannelPayload =
  | ({ readonly type: "deposit"; readonly deposit: SignedDeposit } & OfChannel)
  | ({ readonly type: "voucher" } & OfChannel)
  | ({
      readonly type: "refund";
      /** Base units; undefined for all that is left. */
      readonly amount?: bigint;
      /** What a seller adds for the facilitator. */
      readonly completed?: CompletedRefund;
    } & OfChannel)
  | {
      readonly type: "claim";
      readonly claims: readonly VoucherClaim[];
      readonly claimAuthorizerSignature?: Hex;
    }
  | { readonly type: "settle"; readonly receiver: Address; readonly token: Address };

export interface CompletedRefund {
  readonly refundNonce: bigint;
  /** Claimed before money goes back; may be empty. */
  readonly claims: readonly VoucherClaim[];
  readonly refundAuthorizerSignature?: Hex;
  readonly claimAuthorizerSignature?: Hex;
}

/** The body of `/verify` and `/settle`. */
export interface ChannelRequest {
  readonly payload: ChannelPayload;
  readonly requirements: ChannelRequirements;
}

/** Whether a body is about a channel; any other one is a payment. */
export function isChannelRequest(body: unknown): boolean {
  const requirements = isObject(body) ? member(body, "paymentRequirements") : undefined;
  return isObject(requirements) && member(requirements, "scheme") === channelScheme;
}

/** Rows of one claim at most: more than a block of 84 million gas would take. */
export const claimRowsMax = 1_000;

/** A voucher's signature is that of a key. A deposit's may be a contract wallet's. */
const depositSignatureBytesMax = 8192;
const keySignatureBytes = 65;

export function parseChannelRequest(body: unknown): ChannelOutcome<ChannelRequest> {
  const envelope = isObject(body) ? member(body, "paymentPayload") : undefined;
  if (!isObject(body) || !isObject(envelope)) return malformed("paymentPayload must be an object");
  if (member(envelope, "x402Version") !== 2) return malformed("x402Version must be 2");
  const accepted = member(envelope, "accepted");
  if (!isObject(accepted)) return malformed("paymentPayload.accepted must be an object");
  const entry = member(body, "paymentRequirements");
  const requirements = parseChannelRequirements(entry);
  if (!requirements.ok) return requirements;
  if (member(accepted, "scheme") !== channelScheme) {
    return refuseChannel("scheme", "accepted.scheme and the requirements' scheme differ.");
  }
  if (member(accepted, "network") !== requirements.value.network.id) {
    return refuseChannel("network_mismatch", "The payload and the requirements name two networks.");
  }
  const payload = parseChannelPayload(member(envelope, "payload"));
  if (!payload.ok) return payload;
  return acceptChannel({ payload: payload.value, requirements: requirements.value });
}

/** Reads an entry of a challenge, or the requirements beside a payload. */
export function parseChannelRequirements(input: unknown): ChannelOutcome<ChannelRequirements> {
  if (!isObject(input)) return malformed("paymentRequirements must be an object");
  if (member(input, "scheme") !== channelScheme) {
    return refuseChannel("scheme", `The scheme must be ${channelScheme}.`);
  }
  const network = findNetworkOf(2, member(input, "network"));
  if (!network) return refuseChannel("network_mismatch", "The network is not served here.");
  const asset = parseWireAddress(member(input, "asset"));
  if (!asset) return malformed(wireAddressProblem("asset", member(input, "asset")));
  const payTo = parseWireAddress(member(input, "payTo"));
  if (!payTo) return malformed(wireAddressProblem("payTo", member(input, "payTo")));
  const amount = parseChannelUnits(member(input, "amount"));
  if (amount === undefined) return malformed(`amount must be ${unitsText}`);
  const extra = parseExtra(member(input, "extra"));
  return extra.ok ? acceptChannel({ network, asset, payTo, amount, ...extra.value }) : extra;
}

type Extra = Omit<ChannelRequirements, "network" | "asset" | "amount" | "payTo">;

function parseExtra(extra: unknown): ChannelOutcome<Extra> {
  // Stock software treats null as absent (x402 core schemas).
  if (extra === undefined || extra === null) return acceptChannel({});
  if (!isObject(extra)) return malformed("extra must be an object");
  if ((member(extra, "assetTransferMethod") ?? "eip3009") !== "eip3009") {
    return refuseChannel(
      "erc3009_authorization_required",
      "Only deposits by EIP-3009 are supported; sign that instead.",
    );
  }
  const authorizer = member(extra, "receiverAuthorizer") ?? undefined;
  const receiverAuthorizer = parseWireAddress(authorizer);
  if (authorizer !== undefined && !receiverAuthorizer) {
    return malformed(wireAddressProblem("extra.receiverAuthorizer", authorizer));
  }
  const withdrawDelay = member(extra, "withdrawDelay") ?? undefined;
  if (withdrawDelay !== undefined && !isSeconds(withdrawDelay)) {
    return malformed("extra.withdrawDelay must be a whole number of seconds");
  }
  const floor = member(extra, "minDeposit") ?? undefined;
  const minDeposit = floor === undefined ? undefined : parseChannelUnits(floor);
  if (floor !== undefined && minDeposit === undefined) {
    return malformed(`extra.minDeposit must be ${unitsText}`);
  }
  const domainName = textOf(extra, "name");
  const domainVersion = textOf(extra, "version");
  const read = { receiverAuthorizer, withdrawDelay, minDeposit, domainName, domainVersion };
  return acceptChannel(defined(read));
}

export function parseChannelPayload(input: unknown): ChannelOutcome<ChannelPayload> {
  if (!isObject(input)) return malformed("payload must be an object");
  const type = member(input, "type");
  if (type === "claim") return parseClaimPayload(input);
  if (type === "settle") return parseSweepPayload(input);
  if (type !== "deposit" && type !== "voucher" && type !== "refund") {
    return malformed("payload.type must be deposit, voucher, refund, claim or settle");
  }
  const config = parseChannelConfig(member(input, "channelConfig"));
  if (!config.ok) return config;
  const voucher = parseVoucher(member(input, "voucher"));
  if (!voucher.ok) return voucher;
  const of = { config: config.value, voucher: voucher.value };
  if (type === "voucher") return acceptChannel({ type, ...of });
  if (type === "refund") return parseRefundPayload(input, of);
  const deposit = parseDeposit(member(input, "deposit"));
  return deposit.ok ? acceptChannel({ type, ...of, deposit: deposit.value }) : deposit;
}

export function parseVoucher(input: unknown): ChannelOutcome<Voucher> {
  if (!isObject(input)) return malformed("voucher must be an object");
  const channelId = member(input, "channelId");
  if (!isBytes32(channelId)) {
    return refuseChannel("channel_id_invalid", "voucher.channelId must be 0x and 32 bytes.");
  }
  const maxClaimableAmount = parseChannelUnits(member(input, "maxClaimableAmount"));
  if (maxClaimableAmount === undefined) {
    return malformed(`voucher.maxClaimableAmount must be ${unitsText}`);
  }
  const signature = member(input, "signature");
  if (!isHexBytes(signature, keySignatureBytes)) {
    return refuseChannel("voucher_signature", "voucher.signature must be 0x and 65 bytes.");
  }
  const signed = { maxClaimableAmount, signature: toLowerHex(signature) };
  return acceptChannel({ channelId: toLowerHex(channelId), ...signed });
}

function parseDeposit(input: unknown): ChannelOutcome<SignedDeposit> {
  if (!isObject(input)) return malformed("deposit must be an object");
  const amount = parseChannelUnits(member(input, "amount"));
  if (amount === undefined || amount === 0n) {
    return malformed(`deposit.amount must be above 0 and ${unitsText}`);
  }
  const methods = member(input, "authorization");
  const signed = isObject(methods) ? member(methods, "erc3009Authorization") : undefined;
  if (!isObject(signed)) {
    return refuseChannel(
      "erc3009_authorization_required",
      "deposit.authorization must have erc3009Authorization; other methods are not supported.",
    );
  }
  const validAfter = parseUint256(member(signed, "validAfter"));
  const validBefore = parseUint256(member(signed, "validBefore"));
  const salt = parseSalt(member(signed, "salt"));
  if (validAfter === undefined || validBefore === undefined || salt === undefined) {
    return malformed("validAfter and validBefore must be decimal digits, salt 0x and hex digits");
  }
  const signature = member(signed, "signature");
  if (!isHexBytes(signature, depositSignatureBytesMax)) {
    return malformed(
      `the deposit's signature must be 0x and at most ${depositSignatureBytesMax} bytes`,
    );
  }
  return acceptChannel({ amount, validAfter, validBefore, salt, signature: toLowerHex(signature) });
}

/** A number of at most 32 bytes; the contract takes it as one, so leading zeros mean nothing. */
function parseSalt(value: unknown): bigint | undefined {
  return typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)
    ? BigInt(value)
    : undefined;
}

function parseRefundPayload(input: JsonObject, of: OfChannel): ChannelOutcome<ChannelPayload> {
  const text = member(input, "amount") ?? undefined;
  const amount = text === undefined ? undefined : parseChannelUnits(text);
  if (text !== undefined && (amount === undefined || amount === 0n)) {
    return refuseChannel("refund_amount_invalid", `amount must be above 0 and ${unitsText}.`);
  }
  const completed = parseCompletedRefund(input);
  if (!completed.ok) return completed;
  const optional = defined({ amount, completed: completed.value });
  return acceptChannel({ type: "refund", ...of, ...optional });
}

function parseCompletedRefund(input: JsonObject): ChannelOutcome<CompletedRefund | undefined> {
  const nonce = member(input, "refundNonce") ?? undefined;
  if (nonce === undefined) return acceptChannel(undefined);
  const refundNonce = parseUint256(nonce);
  if (refundNonce === undefined) {
    return refuseChannel("refund_payload", "refundNonce must be a string of decimal digits.");
  }
  const claims = parseClaims(member(input, "claims") ?? []);
  if (!claims.ok) return claims;
  const signatures = parseSignatures(
    input,
    "refundAuthorizerSignature",
    "claimAuthorizerSignature",
  );
  if (!signatures.ok) return signatures;
  return acceptChannel({ refundNonce, claims: claims.value, ...signatures.value });
}

function parseClaimPayload(input: JsonObject): ChannelOutcome<ChannelPayload> {
  const claims = parseClaims(member(input, "claims"));
  if (!claims.ok) return claims;
  if (claims.value.length === 0) return malformed("claims must have a row");
  const signatures = parseSignatures(input, "claimAuthorizerSignature");
  if (!signatures.ok) return signatures;
  return acceptChannel({ type: "claim", claims: claims.value, ...signatures.value });
}

function parseSweepPayload(input: JsonObject): ChannelOutcome<ChannelPayload> {
  const receiver = parseWireAddress(member(input, "receiver"));
  const token = parseWireAddress(member(input, "token"));
  if (!receiver || !token) return malformed("receiver and token must be 0x addresses of 20 bytes");
  return acceptChannel({ type: "settle", receiver, token });
}

function parseClaims(input: unknown): ChannelOutcome<readonly VoucherClaim[]> {
  if (!Array.isArray(input)) return malformed("claims must be a list");
  if (input.length > claimRowsMax) return malformed(`claims may have ${claimRowsMax} rows`);
  const rows: VoucherClaim[] = [];
  for (const item of input) {
    const row = parseVoucherClaim(item);
    if (!row.ok) return row;
    rows.push(row.value);
  }
  return acceptChannel(rows);
}

/** Reads a row of a claim, in the contract's shape: the channel within the voucher. */
export function parseVoucherClaim(item: unknown): ChannelOutcome<VoucherClaim> {
  const voucher = isObject(item) ? member(item, "voucher") : undefined;
  if (!isObject(item) || !isObject(voucher)) return malformed("a claim must have a voucher");
  const config = parseChannelConfig(member(voucher, "channel"));
  if (!config.ok) return config;
  const maxClaimableAmount = parseChannelUnits(member(voucher, "maxClaimableAmount"));
  const totalClaimed = parseChannelUnits(member(item, "totalClaimed"));
  if (maxClaimableAmount === undefined || totalClaimed === undefined) {
    return malformed(`maxClaimableAmount and totalClaimed must be ${unitsText}`);
  }
  const signature = member(item, "signature");
  if (!isHexBytes(signature, keySignatureBytes)) {
    return refuseChannel("voucher_signature", "A claim's signature must be 0x and 65 bytes.");
  }
  const signed = { maxClaimableAmount, totalClaimed, signature: toLowerHex(signature) };
  return acceptChannel({ config: config.value, ...signed });
}

function parseSignatures<K extends string>(input: JsonObject, ...names: readonly K[]) {
  const signatures: { [name in K]?: Hex } = {};
  for (const name of names) {
    const value = member(input, name) ?? undefined;
    if (value === undefined) continue;
    if (!isHexBytes(value, depositSignatureBytesMax)) return malformed(`${name} must be hex bytes`);
    signatures[name] = toLowerHex(value);
  }
  return acceptChannel(signatures);
}

const unitsText = "a string of decimal digits below 2^128";

/** Base units of the contract, which counts in 128 bits. */
export function parseChannelUnits(value: unknown): bigint | undefined {
  const units = parseUint256(value);
  return units !== undefined && units <= channelUnitsMax ? units : undefined;
}

function isSeconds(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = member(object, key);
  return typeof value === "string" ? value : undefined;
}

function malformed(message: string) {
  return refuseChannel("payload_type", `${message}.`);
}
