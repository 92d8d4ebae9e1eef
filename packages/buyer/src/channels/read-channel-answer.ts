/**
 * Reads the answer to a call over a channel. What a seller says is data: a charge counts where it is
 * at most the price and adds up, and another total only with the buyer's own signature.
 */
import {
  defined,
  findNetwork,
  isHexBytes,
  isObject,
  isSameAddress,
  isTransactionHash,
  member,
  parseChannelCode,
  parseChannelUnits,
  readReceipt,
  shortUsdc,
  toLowerHex,
  type ChannelCode,
  type Hex,
  type JsonObject,
  type SettleResponse,
} from "@farthing/protocol";
import type { OutcomeCode } from "../payment-error.ts";
import { quoteText } from "../offer/read-challenge.ts";
import { kindOf, responseRules } from "../read-paid-response.ts";
import type { ChannelOffer } from "./check-channel.ts";
import { readOfferedChannels } from "./find-channel-offer.ts";

/** What the call may have cost at most. Amounts are base units. */
export interface ExpectedCharge {
  readonly offer: ChannelOffer;
  /** All that was charged before. */
  readonly chargedUnits: bigint;
  readonly hasDeposit: boolean;
}

/** A seller's word about a channel; each member is absent where it was not said. */
export interface StatedChannel {
  readonly channelId?: Hex;
  readonly balanceUnits?: bigint;
  readonly claimedUnits?: bigint;
  readonly withdrawRequestedAt?: number;
  readonly chargedUnits?: bigint;
}

export interface StatedVoucher {
  readonly units: bigint;
  readonly signature: Hex;
}

export type ChannelAnswer =
  | {
      readonly kind: "charged";
      readonly chargedUnits: bigint;
      readonly stated: StatedChannel;
      readonly receipt: SettleResponse;
      readonly transaction?: Hex;
    }
  | {
      readonly kind: "refunded";
      readonly units: bigint;
      readonly transaction: Hex;
      readonly receipt: SettleResponse;
    }
  | { readonly kind: "lie"; readonly reason: string; readonly receipt?: SettleResponse }
  | {
      readonly kind: "corrective";
      readonly code: ChannelCode;
      readonly stated: StatedChannel;
      readonly voucher?: StatedVoucher;
    }
  /** Another request of the channel is under way, so the same message may be sent again. */
  | { readonly kind: "busy" }
  | {
      readonly kind: "open";
      readonly code: OutcomeCode;
      readonly reason?: string;
      readonly receipt?: SettleResponse;
    };

/** Codes of a 402 after which the total or the balance may be another one than the buyer thought. */
const correctiveCodes: readonly ChannelCode[] = [
  "cumulative_amount_mismatch",
  "cumulative_below_claimed",
  "cumulative_exceeds_balance",
  "channel_not_found",
  "missing_channel",
];

/** Does not consume the body. */
export function readChannelAnswer(response: Response, expected: ExpectedCharge): ChannelAnswer {
  const receipt = readReceipt(response.headers);
  if (receipt?.success === true) return readCharge(receipt, expected);
  if (receipt) return readFailure(receipt);
  return readUnanswered(response, expected.offer);
}

function readCharge(receipt: SettleResponse, expected: ExpectedCharge): ChannelAnswer {
  const { offer, chargedUnits: before, hasDeposit } = expected;
  const { network, amount } = offer.requirements;
  const lie = (reason: string): ChannelAnswer => ({ kind: "lie", reason, receipt });
  if (findNetwork(receipt.network)?.id !== network.id) {
    return lie("the receipt names another network");
  }
  if (receipt.payer !== undefined && !isSameAddress(receipt.payer, offer.config.payer)) {
    return lie("the receipt names another payer");
  }
  const extra = receipt.extra ?? {};
  const stated = readStated(member(extra, "channelState"));
  const chargedUnits = parseChannelUnits(member(extra, "chargedAmount"));
  if (chargedUnits === undefined || stated.chargedUnits === undefined) {
    return { kind: "open", code: "receipt_missing", receipt };
  }
  if (stated.channelId !== undefined && stated.channelId !== offer.channelId) {
    return lie("the receipt names another channel");
  }
  if (chargedUnits > amount) {
    const said = `${shortUsdc(chargedUnits)} USDC, the price at most ${shortUsdc(amount)} USDC`;
    return lie(`the seller says that it charged ${said}`);
  }
  if (stated.chargedUnits !== before + chargedUnits) {
    const total = `${shortUsdc(before)} and ${shortUsdc(chargedUnits)} USDC`;
    return lie(
      `the seller's total of ${shortUsdc(stated.chargedUnits)} USDC is not the sum of ${total}`,
    );
  }
  const { transaction } = receipt;
  if (!hasDeposit) return { kind: "charged", chargedUnits, stated, receipt };
  if (!isTransactionHash(transaction))
    return lie("the receipt names no transaction of the deposit");
  return { kind: "charged", chargedUnits, stated, receipt, transaction };
}

/** Reads the answer to a cooperative refund; the chain says what has come back. */
export function readRefundAnswer(response: Response, offer: ChannelOffer): ChannelAnswer {
  const receipt = readReceipt(response.headers);
  if (receipt?.success === false) return readFailure(receipt);
  if (!receipt) return readUnanswered(response, offer);
  const { transaction, amount } = receipt;
  const units = parseChannelUnits(amount);
  const isOurs = findNetwork(receipt.network)?.id === offer.requirements.network.id;
  if (!isOurs || units === undefined || !isTransactionHash(transaction)) {
    return { kind: "lie", reason: "the receipt names no refund of this channel", receipt };
  }
  return { kind: "refunded", units, transaction, receipt };
}

function readUnanswered(response: Response, offer: ChannelOffer): ChannelAnswer {
  if (response.status === 402) return readRefusal(response, offer);
  // Farthing's sellers say it in a 409 that names the time of a repeat, and have charged nothing.
  if (response.status === 409 && response.headers.has("Retry-After")) return { kind: "busy" };
  const kind = kindOf(response, false);
  return { kind: "open", code: responseRules[kind].code ?? "no_answer" };
}

function readFailure(receipt: SettleResponse): ChannelAnswer {
  const { errorReason = "", errorMessage } = receipt;
  if (parseChannelCode(errorReason) === "channel_busy") return { kind: "busy" };
  const isPending = errorReason === "settlement_pending" || receipt.status === "pending";
  const texts = [errorReason, errorMessage].filter((text) => text !== undefined && text !== "");
  const code = isPending ? "settlement_pending" : "payment_refused";
  return { kind: "open", code, reason: quoteText(texts.join(": ")), receipt };
}

function readRefusal(response: Response, offer: ChannelOffer): ChannelAnswer {
  const offered = readOfferedChannels(response);
  const error = offered?.error ?? "";
  const code = parseChannelCode(error);
  if (code === "channel_busy") return { kind: "busy" };
  if (code === undefined || !correctiveCodes.includes(code)) {
    return { kind: "open", code: "payment_refused", reason: quoteText(error) };
  }
  const entry = offered?.entries.find((one) => isOfNetwork(one, offer));
  const extra = entry && member(entry, "extra");
  if (!isObject(extra)) return { kind: "corrective", code, stated: {} };
  const voucher = readVoucher(member(extra, "voucherState"));
  const stated = readStated(member(extra, "channelState"));
  return { kind: "corrective", code, stated, ...defined({ voucher }) };
}

function isOfNetwork(entry: JsonObject, { requirements }: ChannelOffer): boolean {
  return member(entry, "network") === requirements.network.id;
}

function readStated(value: unknown): StatedChannel {
  if (!isObject(value)) return {};
  const at = member(value, "withdrawRequestedAt");
  const id = member(value, "channelId");
  return defined({
    channelId: isHexBytes(id, 32) ? toLowerHex(id) : undefined,
    balanceUnits: parseChannelUnits(member(value, "balance")),
    claimedUnits: parseChannelUnits(member(value, "totalClaimed")),
    chargedUnits: parseChannelUnits(member(value, "chargedCumulativeAmount")),
    withdrawRequestedAt: Number.isSafeInteger(at) ? Number(at) : undefined,
  });
}

function readVoucher(value: unknown): StatedVoucher | undefined {
  if (!isObject(value)) return undefined;
  const units = parseChannelUnits(member(value, "signedMaxClaimable"));
  const signature = member(value, "signature");
  if (units === undefined || !isHexBytes(signature, 65)) return undefined;
  return { units, signature: toLowerHex(signature) };
}
