/**
 * Calldata, event topics and revert texts of Circle's FiatTokenV2_2. Selectors and topics are the
 * first bytes of keccak256 of the signatures beside them.
 */
import {
  addressWord,
  zeroAddress,
  type Address,
  type Authorization,
  type Hex,
  type RefusalCode,
} from "@farthing/protocol";
import { encodeBytes, word } from "./abi.ts";

/** transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes) */
export const transferSelector = "cf092995";
/** authorizationState(address,bytes32) */
const stateSelector = "e94a0102";
/** balanceOf(address) */
const balanceSelector = "70a08231";
/** isBlacklisted(address) */
const blacklistedSelector = "fe575a87";
/** DOMAIN_SEPARATOR() */
export const domainSeparatorCall: Hex = "0x3644e515";
/** paused() */
export const pausedCall: Hex = "0x5c975abb";
/** name(), version() and decimals() */
export const nameCall: Hex = "0x06fdde03";
export const versionCall: Hex = "0x54fd4d50";
export const decimalsCall: Hex = "0x313ce567";

/** Topic 0 of the events that determine a settlement's outcome, and of pauses. */
export const topics = {
  /** AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce) */
  used: "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5",
  /** AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce) */
  canceled: "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81",
  /** Transfer(address indexed from, address indexed to, uint256 value) */
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  /** Pause() */
  paused: "0x6985a02210a168e66602d3235cb6db0e70f92b3ba4d376a33c0f3d9434bff625",
  /** Unpause() */
  unpaused: "0x7805862f689e2f13df9f062ff482ad3ad112aca9e0847911ed832e158c525b33",
} as const satisfies Record<string, Hex>;

/** Uses the `bytes signature` overload, which serves plain and contract payers alike. */
export function encodeTransfer(authorization: Authorization, signature: Hex): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const addresses = `${addressWord(from)}${addressWord(to)}`;
  const numbers = [value, validAfter, validBefore].map(word).join("");
  // The signature is the seventh argument; its bytes begin after seven words.
  const tail = `${word(7 * 32)}${encodeBytes(signature)}`;
  return `0x${transferSelector}${addresses}${numbers}${nonce.slice(2)}${tail}`;
}

export function encodeAuthorizationState(payer: Address, nonce: Hex): Hex {
  return `0x${stateSelector}${addressWord(payer)}${nonce.slice(2)}`;
}

export function encodeBalanceOf(address: Address): Hex {
  return `0x${balanceSelector}${addressWord(address)}`;
}

export function encodeIsBlacklisted(address: Address): Hex {
  return `0x${blacklistedSelector}${addressWord(address)}`;
}

/** `Error(string)` */
const errorSelector = "0x08c379a0";

export function revertText(data: Hex | undefined): string {
  if (data === undefined || !data.startsWith(errorSelector)) return "";
  return decodeText(data.slice(errorSelector.length));
}

/** Decodes an ABI-encoded string, given without 0x; "" when it is none. */
export function decodeText(body: string): string {
  const length = Number.parseInt(body.slice(64, 128), 16);
  if (!Number.isSafeInteger(length)) return "";
  return Buffer.from(body.slice(128, 128 + length * 2), "hex").toString("utf8");
}

/** The `blocked` refusal leaves open whether payer or payee is blocked. */
export type TokenRefusal = RefusalCode | "blocked";

/** Revert texts by their beginning (FiatTokenV2_2, EIP3009, ECRecover, ERC20 of Circle). */
const revertMeanings: readonly (readonly [string, TokenRefusal])[] = [
  ["Pausable: paused", "token_paused"],
  ["Blacklistable:", "blocked"],
  ["FiatTokenV2_2: Account is blacklisted", "blocked"],
  ["FiatTokenV2: authorization is not yet valid", "authorization_not_yet_valid"],
  ["FiatTokenV2: authorization is expired", "authorization_expired"],
  ["FiatTokenV2: authorization is used or canceled", "nonce_already_used"],
  ["FiatTokenV2: invalid signature", "invalid_signature"],
  ["ECRecover:", "invalid_signature"],
  ["ERC20: transfer amount exceeds balance", "insufficient_funds"],
  ["ERC20: transfer to the zero address", "invalid_payload"],
];

export function tokenRefusalOf(text: string): TokenRefusal {
  return revertMeanings.find(([start]) => text.startsWith(start))?.[1] ?? "simulation_failed";
}

/** The message of a transfer that reverted; undefined when the node gave no text. */
export function revertMessage(text: string): string | undefined {
  if (text === "") return undefined;
  return `The transfer would fail on chain: ${text.slice(0, revertCharactersMax)}.`;
}

/** The token's own revert texts are shorter. */
const revertCharactersMax = 120;

/** The address in an indexed topic; zero when there is none. */
export function topicAddress(topic: string | undefined): Address {
  return topic?.length === 66 ? `0x${topic.slice(26).toLowerCase()}` : zeroAddress;
}
