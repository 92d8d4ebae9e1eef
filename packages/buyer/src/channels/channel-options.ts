/** When a buyer pays over a channel, and how much of their money sellers may hold by that. */
import {
  isBytes32,
  parseWireAddress,
  toLowerHex,
  wireAddressProblem,
  withdrawDelayMax as contractDelayMax,
  withdrawDelayMin,
  type Hex,
} from "@farthing/protocol";
import { amount } from "../ledger/limits.ts";
import type { Signer } from "../signer.ts";

/** Amounts are USDC decimals such as `"0.50"`. */
export interface ChannelsInput {
  /**
   * `auto`: where a seller offers nothing else, and after the third payment to a seller within an
   * hour. `always`: wherever a channel is offered. `never`: single payments only.
   */
  readonly use?: "auto" | "always" | "never";
  /** With `auto`: payments to a seller within an hour after which a channel pays off; 3 by default. */
  readonly afterPayments?: number;
  /** Most that one seller may hold, so the most of one deposit; 1 USDC by default. */
  readonly depositMax?: string;
  /** Most that all sellers together may hold; 1 USDC by default. */
  readonly depositTotalMax?: string;
  /** Longest time in seconds until a withdrawal without the seller ends; a day by default. */
  readonly withdrawDelayMax?: number;
  /** Signs vouchers in place of the payer's own key. A contract wallet needs one. */
  readonly voucherSigner?: Pick<Signer, "signTypedData"> & { readonly address: string };
  /** 32 bytes that keep the channels of two ledgers apart where both pay from one wallet. */
  readonly salt?: string;
}

export interface ChannelPolicy {
  readonly use: "auto" | "always" | "never";
  readonly afterPayments: number;
  readonly depositMaxUnits: bigint;
  readonly depositTotalMaxUnits: bigint;
  /** Seconds. */
  readonly withdrawDelayMax: number;
  readonly voucherSigner?: Pick<Signer, "address" | "signTypedData">;
  readonly salt: Hex;
}

/** Half of what a day may cost by default: money that waits at a seller is easy to forget. */
export const depositMaxDefault = "1";

/** A channel saves gas from the second call on; three calls in an hour are no single visit. */
const afterPaymentsDefault = 3;
export const callsWindowMs = 60 * 60 * 1000;

/**
 * A day: the money of a seller that has gone away is back on the next one, and the seller's
 * facilitator has had time to claim. Published servers ask for 15 minutes to a day.
 */
const withdrawDelayMaxDefault = 24 * 60 * 60;

/** That of published clients: who has lost their ledger computes the same channel again. */
const saltDefault: Hex = `0x${"00".repeat(32)}`;

/** Throws a TypeError that names the invalid value. */
export function parseChannels(input: ChannelsInput = {}): ChannelPolicy {
  const {
    use = "auto",
    depositMax = depositMaxDefault,
    depositTotalMax = depositMaxDefault,
  } = input;
  const { afterPayments = afterPaymentsDefault } = input;
  if (!(Number.isSafeInteger(afterPayments) && afterPayments > 0)) {
    throw new TypeError("channels.afterPayments is a whole number above 0.");
  }
  const { withdrawDelayMax = withdrawDelayMaxDefault, salt = saltDefault } = input;
  if (!["auto", "always", "never"].includes(use)) {
    throw new TypeError('channels.use is "auto", "always" or "never".');
  }
  if (!(withdrawDelayMax >= withdrawDelayMin && withdrawDelayMax <= contractDelayMax)) {
    throw new TypeError(
      `channels.withdrawDelayMax is ${withdrawDelayMin} to ${contractDelayMax} seconds.`,
    );
  }
  if (!isBytes32(salt)) throw new TypeError("channels.salt is 0x and 64 hexadecimal digits.");
  return {
    use,
    afterPayments,
    depositMaxUnits: amount("channels.depositMax", depositMax),
    depositTotalMaxUnits: amount("channels.depositTotalMax", depositTotalMax),
    withdrawDelayMax,
    salt: toLowerHex(salt),
    ...signerOf(input.voucherSigner),
  };
}

function signerOf(signer: ChannelsInput["voucherSigner"]): Pick<ChannelPolicy, "voucherSigner"> {
  if (signer === undefined) return {};
  const name = "channels.voucherSigner.address";
  const address = parseWireAddress(signer.address);
  if (!address) throw new TypeError(`${wireAddressProblem(name, signer.address)}.`);
  return {
    voucherSigner: { address, signTypedData: (typedData) => signer.signTypedData(typedData) },
  };
}
