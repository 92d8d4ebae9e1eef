/**
 * Deposits to payment channels. A deposit is a payment to the collector: one authorization, used once,
 * with the same life as any other settlement. What differs is the call that carries it, which needs the
 * channel beside the signature, so both are stored together, as a wrapped signature (ERC-6492) is stored
 * with its factory call.
 */
import {
  addressWord,
  depositCollector,
  isSameAddress,
  numberWord,
  parseWireAddress,
  toLowerHex,
  type Address,
  type ChannelConfig,
  type Hex,
} from "@farthing/protocol";
import { assert } from "../base/assert.ts";

/** The end of such a signature: keccak256 of `farthing: a deposit to a channel`. */
const mark = "f0f6bf6a15bf7653b85b7f131877605caed3154e52b3958005af598570ee345f";

const word = 64;

/** Five addresses, the delay, the salt of the channel, and the number that makes the nonce. */
const headWords = 8;

/** What the call of a deposit needs beside its authorization. */
export interface ChannelDeposit {
  readonly config: ChannelConfig;
  /** Makes the authorization's nonce, together with the channel's id. */
  readonly salt: bigint;
  /** The payer's, over `ReceiveWithAuthorization`. */
  readonly signature: Hex;
}

export function wrapDeposit({ config, salt, signature }: ChannelDeposit): Hex {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token } = config;
  const parties = [payer, payerAuthorizer, receiver, receiverAuthorizer, token].map(addressWord);
  const head = [
    ...parties,
    numberWord(config.withdrawDelay),
    config.salt.slice(2),
    numberWord(salt),
  ];
  return `0x${head.join("")}${signature.slice(2)}${mark}`;
}

/** The deposit behind an authorization; undefined for a transfer. */
export function depositOf(to: Address, signature: Hex): ChannelDeposit | undefined {
  const digits = toLowerHex(signature).slice(2);
  if (!isSameAddress(to, depositCollector) || !digits.endsWith(mark)) return undefined;
  if (digits.length < (headWords + 1) * word) return undefined;
  const at = (index: number) => digits.slice(index * word, (index + 1) * word);
  const addressAt = (index: number): Address => {
    const address = parseWireAddress(`0x${at(index).slice(24)}`);
    assert(address, "a wrapped deposit has addresses");
    return address;
  };
  return {
    config: {
      payer: addressAt(0),
      payerAuthorizer: addressAt(1),
      receiver: addressAt(2),
      receiverAuthorizer: addressAt(3),
      token: addressAt(4),
      withdrawDelay: Number.parseInt(at(5), 16),
      salt: `0x${at(6)}`,
    },
    salt: BigInt(`0x${at(7)}`),
    signature: `0x${digits.slice(headWords * word, -word)}`,
  };
}
