/** A seller that sells over a channel as published servers do, and can be told to lie. */
import {
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  member,
  parseChannelPayload,
  xdc,
  type ChannelPayload,
  type JsonObject,
  type SignedDeposit,
} from "@farthing/protocol";
import {
  payer,
  payTo,
  served,
  transaction,
  type Answer,
  type Script,
  type SeenRequest,
} from "../scripted-seller.testing.ts";
import type { PaidResponse } from "../payment-summary.ts";

/** What a voucher asks for, and what an honest seller would answer. */
export interface SeenVoucher {
  readonly payload: ChannelPayload & { readonly type: "deposit" | "voucher" | "refund" };
  readonly honest: () => Answer;
}

export interface ChannelSellerOptions {
  /** The most that a call costs, in base units. */
  readonly amount?: bigint;
  readonly minDeposit?: bigint;
  /** Members of the entry, and of its `extra`, that differ. */
  readonly entry?: JsonObject;
  readonly extra?: JsonObject;
  /** Single payments are offered as well. */
  readonly hasExact?: boolean;
  /** What a call costs; the most by default. */
  readonly cost?: () => bigint;
  /** Answers in place of the honest seller where it returns something. */
  readonly lie?: (seen: SeenVoucher) => Answer | undefined;
}

const base = {
  network: xdc.id,
  asset: xdc.usdc,
  payTo,
  maxTimeoutSeconds: 60,
};

/** Creates the script for `startSeller`, and what the seller knows of its one channel. */
export function channelSeller(options: ChannelSellerOptions = {}) {
  const { amount = 1_000n, minDeposit, hasExact = false, cost = () => amount, lie } = options;
  const extra = {
    receiverAuthorizer: payTo,
    withdrawDelay: 900,
    ...xdc.domain,
    ...(minDeposit === undefined ? {} : { minDeposit: `${minDeposit}` }),
    ...options.extra,
  };
  const channel = {
    ...base,
    scheme: "batch-settlement",
    amount: `${amount}`,
    extra,
    ...options.entry,
  };
  const exact = { ...base, scheme: "exact", amount: `${amount}`, extra: xdc.domain };
  const known = {
    charged: 0n,
    balance: 0n,
    signed: 0n,
    signature: "0x",
    vouchers: [] as ChannelPayload[],
  };

  const collected = new Set<bigint>();

  function challenge(error = "Payment required", more: object = {}): Answer {
    const entry = { ...channel, extra: { ...extra, ...more } };
    const accepts = hasExact ? [exact, entry] : [entry];
    const value = { x402Version: 2, error, resource: { url: "https://seller.example/r" }, accepts };
    return { status: 402, headers: { [headerNames.paymentRequired]: encodeHeader(value) } };
  }
  const stateOf = (channelId: string) => ({
    channelId,
    balance: `${known.balance}`,
    totalClaimed: "0",
    withdrawRequestedAt: 0,
    refundNonce: "0",
    chargedCumulativeAmount: `${known.charged}`,
  });
  function corrective(channelId: string): Answer {
    return challenge("invalid_batch_settlement_evm_cumulative_amount_mismatch", {
      channelState: stateOf(channelId),
      voucherState: { signedMaxClaimable: `${known.signed}`, signature: known.signature },
    });
  }
  /** The token takes an authorization once, however often it is sent. */
  function collect({ salt, amount: units }: SignedDeposit): void {
    if (!collected.has(salt)) known.balance += units;
    collected.add(salt);
  }
  function honest(payload: SeenVoucher["payload"]): Answer {
    const { channelId, maxClaimableAmount, signature } = payload.voucher;
    if (maxClaimableAmount !== known.charged + (payload.type === "refund" ? 0n : amount)) {
      return corrective(channelId);
    }
    if (payload.type === "deposit") collect(payload.deposit);
    if (maxClaimableAmount > known.balance) {
      return challenge("invalid_batch_settlement_evm_cumulative_exceeds_balance");
    }
    const charged = payload.type === "refund" ? 0n : cost();
    known.charged += charged;
    known.signed = maxClaimableAmount;
    known.signature = signature;
    return charge(channelId, charged, payload.type === "voucher" ? "" : transaction);
  }
  /** `more` replaces members of the channel's state, and `told` of the receipt. */
  function charge(
    channelId: string,
    charged: bigint,
    hash: string,
    more: object = {},
    told: object = {},
  ): Answer {
    const receipt = {
      success: true,
      payer,
      transaction: hash,
      network: xdc.id,
      amount: "",
      extra: { chargedAmount: `${charged}`, channelState: { ...stateOf(channelId), ...more } },
      ...told,
    };
    const headers = { [headerNames.paymentResponse]: encodeHeader(receipt) };
    return { status: 200, headers, body: "content" };
  }
  function answer({ paymentHeader }: SeenRequest): Answer {
    const value = decodeHeader(paymentHeader)?.value;
    const parsed = parseChannelPayload(isObject(value) ? member(value, "payload") : undefined);
    if (!parsed.ok) return served();
    const payload = parsed.value;
    if (payload.type === "claim" || payload.type === "settle")
      throw new Error("No buyer's message.");
    known.vouchers.push(payload);
    return lie?.({ payload, honest: () => honest(payload) }) ?? honest(payload);
  }
  const script: Script = { unpaid: () => challenge(), paid: [answer] };
  return { script, known, charge, challenge, corrective };
}

export function stateOf({ payment }: PaidResponse): string {
  return payment.state;
}

export function totalsOf(vouchers: readonly ChannelPayload[]): bigint[] {
  return vouchers.map((one) => ("voucher" in one ? one.voucher.maxClaimableAmount : -1n));
}
