/**
 * A payment channel of the scheme `batch-settlement`: who pays whom by it, and its id. The contract
 * holds the payer's deposit; the payer signs vouchers, whose totals only rise, and the receiver claims.
 */
import * as Bytes from "ox/Bytes";
import * as Hash from "ox/Hash";
import {
  addressWord,
  parseWireAddress,
  wireAddressProblem,
  zeroAddress,
  type Address,
} from "../networks/address.ts";
import { hexDigits, isBytes32, numberWord, toLowerHex, type Hex } from "../encoding/hex.ts";
import { isObject, member, type JsonObject } from "../encoding/json.ts";
import { channelContract } from "../networks/channel-addresses.ts";
import type { ChainId, Network } from "../networks/networks.ts";
import { typedDataDigest } from "../signatures/typed-data.ts";
import { acceptChannel, refuseChannel, type ChannelOutcome } from "./channel-codes.ts";

/** 15 minutes to 30 days, in seconds; the contract refuses any other delay. */
export const withdrawDelayMin = 900;
export const withdrawDelayMax = 2_592_000;

/** The largest amount of the contract, a uint128. */
export const channelUnitsMax = (1n << 128n) - 1n;

/** What a channel is, for ever: another value of any member is another channel. */
export interface ChannelConfig {
  /** Deposits the money, and gets back what is not claimed. */
  readonly payer: Address;
  /** Signs the vouchers by its key; the zero address leaves that to the payer's contract wallet. */
  readonly payerAuthorizer: Address;
  /** The seller. */
  readonly receiver: Address;
  /** Signs claims and refunds for the receiver. */
  readonly receiverAuthorizer: Address;
  readonly token: Address;
  /** Seconds between the start and the end of a withdrawal of the payer. */
  readonly withdrawDelay: number;
  /** 32 bytes that tell channels of the same parties apart. */
  readonly salt: Hex;
}

/** What the contract says of a channel, read at one block. Amounts are base units. */
export interface ChannelState {
  /** All that was deposited and not given back; claims leave it as it is. */
  readonly balance: bigint;
  readonly totalClaimed: bigint;
  /** Of a withdrawal that was started and not finished; 0 for none. */
  readonly withdrawing: bigint;
  /** Unix seconds at which that withdrawal was started; 0 for none. */
  readonly withdrawRequestedAt: number;
  /** The nonce of the next refund. */
  readonly refundNonce: bigint;
}

/** Reads a channel of a message; refuses one that the contract would refuse. */
export function parseChannelConfig(input: unknown): ChannelOutcome<ChannelConfig> {
  if (!isObject(input)) return refuseChannel("payload_type", "channelConfig must be an object.");
  const parties = parseParties(input);
  if (!parties.ok) return parties;
  const withdrawDelay = member(input, "withdrawDelay");
  if (
    typeof withdrawDelay !== "number" ||
    !Number.isInteger(withdrawDelay) ||
    withdrawDelay < withdrawDelayMin ||
    withdrawDelay > withdrawDelayMax
  ) {
    return refuseChannel(
      "withdraw_delay_out_of_range",
      `channelConfig.withdrawDelay must be ${withdrawDelayMin} to ${withdrawDelayMax} seconds.`,
    );
  }
  const salt = member(input, "salt");
  if (!isBytes32(salt)) {
    return refuseChannel("payload_type", "channelConfig.salt must be 0x and 32 bytes.");
  }
  return acceptChannel({ ...parties.value, withdrawDelay, salt: toLowerHex(salt) });
}

type Parties = Omit<ChannelConfig, "withdrawDelay" | "salt">;

const partyNames = ["payer", "payerAuthorizer", "receiver", "receiverAuthorizer", "token"] as const;

function parseParties(input: JsonObject): ChannelOutcome<Parties> {
  const parties: Partial<Record<keyof Parties, Address>> = {};
  for (const name of partyNames) {
    const text = member(input, name);
    const address = parseWireAddress(text);
    const field = `channelConfig.${name}`;
    if (!address) return refuseChannel("payload_type", `${wireAddressProblem(field, text)}.`);
    if (address === zeroAddress && name !== "payerAuthorizer") {
      return refuseChannel("payload_type", `${field} must not be the zero address.`);
    }
    parties[name] = address;
  }
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token } = parties;
  // Every name was read above.
  if (!payer || !payerAuthorizer || !receiver || !receiverAuthorizer || !token) {
    return refuseChannel("payload_type", "channelConfig is incomplete.");
  }
  return acceptChannel({ payer, payerAuthorizer, receiver, receiverAuthorizer, token });
}

/** keccak256 of the type's text, as a word without `0x`. */
export function typeWord(text: string): string {
  return hexDigits(Hash.keccak256(Bytes.fromString(text)));
}

const domainType = typeWord(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
);

const configType = typeWord(
  "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)",
);

/** The EIP-712 domain of the contract, in the form that wallets take. */
export function channelDomain(chainId: ChainId) {
  return {
    name: "x402 Batch Settlement",
    version: "1",
    chainId,
    verifyingContract: channelContract,
  } as const;
}

const separators = new Map<ChainId, Hex>();

/** keccak256 of the encoded domain; the contract computes the same. */
export function channelDomainSeparator(chainId: ChainId): Hex {
  const known = separators.get(chainId);
  if (known) return known;
  const { name, version, verifyingContract } = channelDomain(chainId);
  const texts = `${typeWord(name)}${typeWord(version)}`;
  const encoded: Hex = `0x${domainType}${texts}${numberWord(chainId)}${addressWord(verifyingContract)}`;
  const separator = Hash.keccak256(encoded, { as: "Hex" });
  separators.set(chainId, separator);
  return separator;
}

/** The channel's id: the EIP-712 hash of its config, bound to chain and contract. */
export function channelIdOf({ chainId }: Pick<Network, "chainId">, config: ChannelConfig): Hex {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token } = config;
  const words = [payer, payerAuthorizer, receiver, receiverAuthorizer, token].map(addressWord);
  const encoded = `${configType}${words.join("")}${numberWord(config.withdrawDelay)}${config.salt.slice(2)}`;
  return `0x${hexDigits(typedDataDigest(channelDomainSeparator(chainId), encoded))}`;
}
