/**
 * Whether a seller's other total can be believed. It counts where the buyer's own signature stands
 * for it or the chain shows it; a seller's word alone never does.
 */
import {
  hasSigned,
  shortUsdc,
  splitSignature,
  voucherDigest,
  type ChannelState,
} from "@farthing/protocol";
import { largest, unconfirmedUnits, type ChannelRecord } from "./channel-record.ts";
import type { RecoveredBase } from "./channel-rules.ts";
import type { ChannelOffer } from "./check-channel.ts";
import type { ChannelAnswer } from "./read-channel-answer.ts";

export type Recovery =
  | { readonly kind: "recovered"; readonly base: RecoveredBase }
  /** Nothing proves the seller's total, so nothing is signed on it. */
  | { readonly kind: "unproven"; readonly reason: string }
  | { readonly kind: "lie"; readonly reason: string };

type Corrective = ChannelAnswer & { readonly kind: "corrective" };

/** `chain` is undefined where no node is asked or none has answered. */
export function evaluateCorrective(
  record: ChannelRecord,
  { requirements }: Pick<ChannelOffer, "requirements">,
  { code, stated, voucher }: Corrective,
  chain: ChannelState | undefined,
): Recovery {
  const onChain = chain && {
    balanceUnits: chain.balance,
    claimedUnits: chain.totalClaimed,
    withdrawRequestedAt: chain.withdrawRequestedAt,
  };
  const highest = confirmedMax(record);
  if (chain && chain.totalClaimed > highest && chain.totalClaimed <= record.signedUnits) {
    const claimed = `${shortUsdc(chain.totalClaimed)} USDC`;
    return lie(`the seller has claimed ${claimed}, and charged ${shortUsdc(highest)} USDC at most`);
  }
  if (!voucher || stated.chargedUnits === undefined) {
    if (!onChain)
      return unproven("the seller shows no voucher of this wallet, and no node is asked");
    // Claims need our signature. Below the last total nothing is signed that was not signed before.
    const isTotal = code === "cumulative_amount_mismatch" || code === "cumulative_below_claimed";
    const chargedUnits = isTotal ? onChain.claimedUnits : record.chargedUnits;
    return { kind: "recovered", base: { ...onChain, chargedUnits } };
  }
  const { chargedUnits } = stated;
  const { payerAuthorizer } = record.config;
  const digest = voucherDigest(requirements.network.chainId, {
    channelId: record.channelId,
    maxClaimableAmount: voucher.units,
  });
  const parts = splitSignature(voucher.signature);
  if (!parts || !hasSigned(payerAuthorizer, digest, parts)) {
    return lie("the voucher that the seller shows is not signed by this wallet");
  }
  if (chargedUnits > voucher.units) {
    return lie(`the seller's total is above the voucher of ${shortUsdc(voucher.units)} USDC`);
  }
  // A higher voucher than any of this ledger comes from another program with the same key.
  const isOurs = voucher.units <= record.signedUnits;
  if (isOurs && chargedUnits > highest) {
    const known = `every call up to ${shortUsdc(highest)} USDC was answered with its cost`;
    return lie(`the seller's total is ${shortUsdc(chargedUnits)} USDC, and ${known}`);
  }
  if (chain && chargedUnits < chain.totalClaimed) {
    return lie("the seller's total is below what it has claimed on the chain");
  }
  // Without a node the seller's word can raise the balance and never lower it: a lower one would make
  // room for another deposit.
  const balanceUnits = largest(record.balanceUnits, stated.balanceUnits ?? 0n);
  const base = { chargedUnits, balanceUnits, ...onChain };
  const isExplained = chargedUnits <= largest(record.unansweredUnits, record.chargedUnits);
  if (!isOurs || isExplained) return { kind: "recovered", base };
  const unexplained = record.unexplained + unexplainedWeight;
  if (unexplained <= unexplainedMax) return { kind: "recovered", base: { ...base, unexplained } };
  return lie(
    "the seller has counted calls twice again and again, though each of them was answered",
  );
}

/**
 * A proxy may send a request twice, and then the second copy is told that the first was charged. Once
 * in ten calls that is bad luck; a seller that does so with every call is stopped at the fourth.
 */
const unexplainedWeight = 10;
const unexplainedMax = 30;

/** The highest total that may rightly be charged: of the last answer, a lost one, or this call. */
function confirmedMax(record: ChannelRecord): bigint {
  return largest(unconfirmedUnits(record), record.chargedUnits);
}

function lie(reason: string): Recovery {
  return { kind: "lie", reason };
}

function unproven(reason: string): Recovery {
  return { kind: "unproven", reason };
}
