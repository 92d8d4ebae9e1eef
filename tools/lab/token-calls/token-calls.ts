/** Calls to the token and the sample contract wallet that people in a run make, and their signatures. */
import { walletModes, type WalletMode } from "@farthing/devnet";
import {
  authorizationTypedData,
  networkOfChain,
  toWireAuthorization,
  type Address,
  type Authorization,
  type ChainId,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import * as AbiFunction from "ox/AbiFunction";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TypedData from "ox/TypedData";

const pause = AbiFunction.from("function pause()");
const unpause = AbiFunction.from("function unpause()");
const blacklist = AbiFunction.from("function blacklist(address account)");
const unBlacklist = AbiFunction.from("function unBlacklist(address account)");
const transfer = AbiFunction.from("function transfer(address to, uint256 value) returns (bool)");
const mint = AbiFunction.from("function mint(address to, uint256 amount)");
const setMode = AbiFunction.from("function setMode(uint8 mode)");
const cancel = AbiFunction.from(
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
);
const settle = AbiFunction.from(
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
);

/** Calldata. Amounts are USDC base units. */
export const calls = {
  pause: (): Hex => AbiFunction.encodeData(pause),
  unpause: (): Hex => AbiFunction.encodeData(unpause),
  blacklist: (account: Address): Hex => AbiFunction.encodeData(blacklist, [account]),
  unBlacklist: (account: Address): Hex => AbiFunction.encodeData(unBlacklist, [account]),
  transfer: (to: Address, units: bigint): Hex => AbiFunction.encodeData(transfer, [to, units]),
  mint: (to: Address, units: bigint): Hex => AbiFunction.encodeData(mint, [to, units]),
  walletMode: (mode: WalletMode): Hex =>
    AbiFunction.encodeData(setMode, [walletModes.indexOf(mode)]),
  cancel: (authorizer: Address, nonce: Hex, signature: Hex): Hex =>
    AbiFunction.encodeData(cancel, [authorizer, nonce, signature]),
  settle: ({ from, to, value, validAfter, validBefore, nonce }: Authorization, signature: Hex) =>
    AbiFunction.encodeData(settle, [from, to, value, validAfter, validBefore, nonce, signature]),
};

/** A signed authorization. */
export interface SignedPayment {
  readonly authorization: Authorization;
  readonly signature: Hex;
}

/** What a payer signs, by the general EIP-712 encoder. */
export function digestOf(chainId: ChainId, authorization: Authorization): Hex {
  return TypedData.getSignPayload(authorizationTypedData(networkOfChain(chainId), authorization));
}

/** Signs by the general EIP-712 encoder, so that the facilitator's own is not tested with itself. */
export function signAuthorization(
  chainId: ChainId,
  authorization: Authorization,
  privateKey: Hex,
): SignedPayment {
  const payload = digestOf(chainId, authorization);
  return { authorization, signature: Signature.toHex(Secp256k1.sign({ payload, privateKey })) };
}

/** Signs the cancellation of an authorization. */
export function signCancellation(
  chainId: ChainId,
  cancellation: { readonly authorizer: Address; readonly nonce: Hex },
  privateKey: Hex,
): Hex {
  const { domain, usdc: verifyingContract } = networkOfChain(chainId);
  const payload = TypedData.getSignPayload({
    domain: { ...domain, chainId, verifyingContract },
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: cancellation,
  });
  return Signature.toHex(Secp256k1.sign({ payload, privateKey }));
}

/** The body of /verify and /settle. */
export function requestBody(chainId: ChainId, payment: SignedPayment): JsonObject {
  const { authorization, signature } = payment;
  const network = networkOfChain(chainId);
  const paymentRequirements = {
    scheme: "exact",
    network: network.id,
    amount: authorization.value.toString(),
    asset: network.usdc,
    payTo: authorization.to,
    maxTimeoutSeconds: 60,
    extra: { assetTransferMethod: "eip3009", ...network.domain },
  };
  const payload = { signature, authorization: toWireAuthorization(authorization) };
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: paymentRequirements, payload },
    paymentRequirements,
  };
}
