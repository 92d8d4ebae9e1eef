/** EIP-3009 calls for tests: signs them, and encodes them for either overload, also wrongly. */
import * as AbiFunction from "ox/AbiFunction";
import * as AbiParameters from "ox/AbiParameters";
import * as Hex from "ox/Hex";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TypedData from "ox/TypedData";
import {
  isHexBytes,
  networkOfChain,
  type Address,
  type ChainId,
  type Hex as HexText,
} from "@farthing/protocol";
import type { RpcError } from "./json-rpc.ts";

/** What a payer agrees to. Times in Unix seconds, value in USDC base units. */
export interface Terms {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: HexText;
}

/** `bytes signature`, or `uint8 v, bytes32 r, bytes32 s`. */
export type Overload = "bytes" | "vrs";

const authorizationFields = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
];

const structs = {
  TransferWithAuthorization: authorizationFields,
  ReceiveWithAuthorization: authorizationFields,
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" },
  ],
};

/** Signs by the general EIP-712 encoder, so that no shortcut of ours is tested against itself. */
export function sign(
  chainId: ChainId,
  primaryType: keyof typeof structs,
  message: Record<string, unknown>,
  privateKey: HexText,
): HexText {
  const { domain, usdc: verifyingContract } = networkOfChain(chainId);
  const payload = TypedData.getSignPayload({
    domain: { ...domain, chainId, verifyingContract },
    types: structs,
    primaryType,
    message,
  });
  return Signature.toHex(Secp256k1.sign({ payload, privateKey }));
}

const fields = authorizationFields.map(({ name, type }) => `${type} ${name}`).join(", ");
const tail = { bytes: "bytes signature", vrs: "uint8 v, bytes32 r, bytes32 s" };

/** Calldata of `transferWithAuthorization` or `receiveWithAuthorization`. */
export function encodeAuthorization(
  name: "transferWithAuthorization" | "receiveWithAuthorization",
  overload: Overload,
  terms: Terms,
  signature: HexText,
): HexText {
  const { from, to, value, validAfter, validBefore, nonce } = terms;
  const values: unknown[] = [from, to, value, validAfter, validBefore, nonce];
  const parameters = `${fields}, ${tail[overload]}`;
  return encodeCall(`${name}(${parameters})`, values.concat(split(overload, signature)));
}

/** Calldata of `cancelAuthorization`. */
export function encodeCancellation(
  overload: Overload,
  { authorizer, nonce }: { authorizer: Address; nonce: HexText },
  signature: HexText,
): HexText {
  return encodeCall(`cancelAuthorization(address authorizer, bytes32 nonce, ${tail[overload]})`, [
    authorizer,
    nonce,
    ...split(overload, signature),
  ]);
}

/** Calldata of any function given as `name(type name, ...)`. */
export function encodeCall(signature: string, args: readonly unknown[]): HexText {
  const [name, parameters = ""] = signature.split(/[()]/);
  const types = parameters.split(",").map((parameter) => parameter.trim().split(" ")[0] ?? "");
  const selector = AbiFunction.getSelector(`function ${name}(${types.join(",")})`);
  if (parameters === "") return selector;
  return Hex.concat(selector, AbiParameters.encode(AbiParameters.from(parameters), args));
}

/** The bytes as they are, or the first 65 of them as v, r and s. */
function split(overload: Overload, signature: HexText): unknown[] {
  if (overload === "bytes") return [signature];
  const r = Hex.slice(signature, 0, 32);
  return [Number(Hex.slice(signature, 64, 65)), r, Hex.slice(signature, 32, 64)];
}

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Takes a 65-byte signature apart and puts it together with other parts. */
export function withParts(
  signature: HexText,
  parts: { r?: HexText; s?: HexText; v?: number },
): HexText {
  const { r = Hex.slice(signature, 0, 32), s = Hex.slice(signature, 32, 64) } = parts;
  const v = parts.v ?? Number(Hex.slice(signature, 64, 65));
  return Hex.concat(r, s, Hex.fromNumber(v, { size: 1 }));
}

/** The other, malleable form of the same signature: `n - s` and the other `v`. */
export function toHighS(signature: HexText): HexText {
  const s = BigInt(Hex.slice(signature, 32, 64));
  const v = Number(Hex.slice(signature, 64, 65));
  return withParts(signature, {
    s: Hex.fromNumber(curveOrder - s, { size: 32 }),
    v: v === 27 ? 28 : 27,
  });
}

/** The 64-byte form of EIP-2098: the parity of `v` in the top bit of `s`. */
export function toCompact(signature: HexText): HexText {
  const parity = BigInt(Hex.slice(signature, 64, 65)) - 27n;
  const s = (parity << 255n) | BigInt(Hex.slice(signature, 32, 64));
  return Hex.concat(Hex.slice(signature, 0, 32), Hex.fromNumber(s, { size: 32 }));
}

/** The text of the `Error(string)` a call reverted with, or what there is instead. */
export function revertReason(error: RpcError): string {
  const { data, message } = error;
  return isHexBytes(data, revertBytesMax) ? decodeReason(data) : message;
}

/** More than any revert in the tests has. */
const revertBytesMax = 10_000;

/** The text of an encoded `Error(string)`, or the bytes themselves when they are none. */
export function decodeReason(data: HexText): string {
  if (!data.startsWith("0x08c379a0")) return data;
  const [reason] = AbiParameters.decode(AbiParameters.from("string reason"), Hex.slice(data, 4));
  return reason;
}
