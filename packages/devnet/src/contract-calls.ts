/** The devnet's own calls to the stand-in token and the sample wallet. */
import * as AbiFunction from "ox/AbiFunction";
import * as AbiParameters from "ox/AbiParameters";
import * as Hash from "ox/Hash";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { numberWord, type Address, type Hex } from "@farthing/protocol";

const mint = AbiFunction.from("function mint(address to, uint256 amount)");
const pause = AbiFunction.from("function pause()");
const unpause = AbiFunction.from("function unpause()");
const blacklist = AbiFunction.from("function blacklist(address account)");
const unBlacklist = AbiFunction.from("function unBlacklist(address account)");
const rename = AbiFunction.from("function rename(string newName)");
const balanceOf = AbiFunction.from("function balanceOf(address) view returns (uint256)");
const authorizationState = AbiFunction.from(
  "function authorizationState(address, bytes32) view returns (bool)",
);
const cancelAuthorization = AbiFunction.from(
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
);
const setMode = AbiFunction.from("function setMode(uint8 mode)");
const setOwner = AbiFunction.from("function setOwner(address owner)");
const aggregate3 = AbiFunction.from([
  "struct Call { address target; bool allowFailure; bytes callData; }",
  "function aggregate3(Call[] calls)",
]);

/** How the sample wallet responds to the token's signature checks. */
export const walletModes = [
  /** Accepts a 65-byte signature of its owner. */
  "owner-signed",
  /** Returns another value than ERC-1271's. */
  "refuse",
  "revert",
  /** Uses up all its gas. */
  "burn-gas",
  "accept-all",
  /** Returns 300,000 bytes. */
  "return-bomb",
] as const;

/** A hostile wallet's behaviour, named by the first byte of its signature. */
export const hostileTricks = [
  "accept-all",
  /** Burns its gas unless the call has no origin. */
  "no-origin",
  /** Burns its gas unless the call has no gas price. */
  "no-gas-price",
  /** Burns its gas while {@link hostileFlag} holds a balance. */
  "flag",
  /** Burns its gas unless the origin is the address that follows in the signature. */
  "other-origin",
  "burn-gas",
  "revert",
  /** Returns as many bytes as half of its gas pays for. */
  "return-bomb",
  /** Calls the address that follows in the signature with the rest of it, and accepts. */
  "reenter",
] as const;

export type HostileTrick = (typeof hostileTricks)[number];

/** The balance of this account is the flag of the trick `flag`. */
export const hostileFlag: Address = "0xBAd0000000000000000000000000000000000Bad";

/** `address` belongs to `other-origin` and `reenter`, `data` to `reenter`. */
export function hostileSignature(trick: HostileTrick, address: Hex = "0x", data: Hex = "0x"): Hex {
  return trickBytes(hostileTricks.indexOf(trick), address, data);
}

/** What a hostile factory does, named by the first byte of its call. */
export const factoryTricks = ["burn-gas", "revert", "return-bomb", "reenter"] as const;

export type FactoryTrick = (typeof factoryTricks)[number];

/** Calldata for the hostile factory; `reenter` calls `address` with `data`. */
export function hostileFactoryCall(
  trick: FactoryTrick,
  address: Hex = "0x",
  data: Hex = "0x",
): Hex {
  return trickBytes(factoryTricks.indexOf(trick), address, data);
}

function trickBytes(trick: number, address: Hex, data: Hex): Hex {
  const first = trick.toString(16).padStart(2, "0");
  return `0x${first}${address.slice(2).toLowerCase()}${data.slice(2)}`;
}

export type WalletMode = (typeof walletModes)[number];

/** Calldata of the token's test controls and reads. Amounts are USDC base units. */
export const tokenCalls = {
  mint: (to: Address, units: bigint): Hex => AbiFunction.encodeData(mint, [to, units]),
  pause: (): Hex => AbiFunction.encodeData(pause),
  unpause: (): Hex => AbiFunction.encodeData(unpause),
  blacklist: (account: Address): Hex => AbiFunction.encodeData(blacklist, [account]),
  unBlacklist: (account: Address): Hex => AbiFunction.encodeData(unBlacklist, [account]),
  rename: (name: string): Hex => AbiFunction.encodeData(rename, [name]),
  balanceOf: (account: Address): Hex => AbiFunction.encodeData(balanceOf, [account]),
  authorizationState: (authorizer: Address, nonce: Hex): Hex =>
    AbiFunction.encodeData(authorizationState, [authorizer, nonce]),
  cancelAuthorization: (authorizer: Address, nonce: Hex, signature: Hex): Hex =>
    AbiFunction.encodeData(cancelAuthorization, [authorizer, nonce, signature]),
};

export const walletCalls = {
  setMode: (mode: WalletMode): Hex => AbiFunction.encodeData(setMode, [walletModes.indexOf(mode)]),
  setOwner: (owner: Address): Hex => AbiFunction.encodeData(setOwner, [owner]),
};

/** A Multicall3 batch in which every call must succeed. */
export function encodeBatch(target: Address, calls: Hex[]): Hex {
  const entries = calls.map((callData) => ({ target, allowFailure: false, callData }));
  return AbiFunction.encodeData(aggregate3, [entries]);
}

/** keccak256 of `CancelAuthorization(address authorizer,bytes32 nonce)`, EIP-3009. */
const cancelTypeHash: Hex = "0x158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429";

/** In the 65-byte form. */
export function signCancellation(
  domainSeparator: Hex,
  cancellation: { authorizer: Address; privateKey: Hex; nonce: Hex },
): Hex {
  const { authorizer, privateKey, nonce } = cancellation;
  const struct = AbiParameters.encode(AbiParameters.from("bytes32, address, bytes32"), [
    cancelTypeHash,
    authorizer,
    nonce,
  ]);
  const digest = Hash.keccak256(
    `0x1901${domainSeparator.slice(2)}${Hash.keccak256(struct).slice(2)}`,
  );
  return Signature.toHex(Secp256k1.sign({ payload: digest, privateKey }));
}

/** The storage slot of `mapping[account]` for a mapping at `slot`. */
export function mappingSlot(account: Address, slot: number): Hex {
  const key = AbiParameters.encode(AbiParameters.from("address, uint256"), [account, BigInt(slot)]);
  return Hash.keccak256(key);
}

export function toWord(value: bigint): Hex {
  return `0x${numberWord(value)}`;
}
