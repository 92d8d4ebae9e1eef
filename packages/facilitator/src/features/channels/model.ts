/** The vault: the newest voucher of each channel, and what was charged by it. */
import type { Address, ChainId, ChannelConfig, Hex } from "@farthing/protocol";

/** Amounts are base units, times are milliseconds since 1970 unless they say seconds. */
export interface KeptVoucher {
  readonly chainId: ChainId;
  readonly channelId: Hex;
  /** The receiver, whose key handed it over. */
  readonly account: Address;
  readonly config: ChannelConfig;
  readonly maxClaimableAmount: bigint;
  readonly signature: Hex;
  /** What the seller has charged in all, which is what is claimed. */
  readonly charged: bigint;
  /** The seller's own signature over the claim of exactly this row; null where we sign. */
  readonly claimSignature: Hex | null;
  /** What the contract said when it was last read. */
  readonly balance: bigint;
  readonly claimed: bigint;
  /** Unix seconds at which the payer started a withdrawal; 0 for none. */
  readonly withdrawRequestedAt: number;
  readonly readAt: number;
  /** Since when more is charged than claimed; null while all is claimed. */
  readonly unclaimedSince: number | null;
  /** Until then one process claims it. */
  readonly claimingUntil: number;
}

/** A row of a request, checked. */
export type NewVoucher = Omit<KeptVoucher, "unclaimedSince" | "claimingUntil">;

/** Claimed at the latest after this time, so that a seller has its money within a day. */
export const claimWithinMs = 24 * 60 * 60_000;

/** 10 USDC: a thousandth of it pays for the claim, at a gas price fifty times today's. */
export const claimAboveUnits = 10_000_000n;

/** When a voucher is claimed at the latest: half of the delay is left for the claim itself. */
export function claimDueAt({ unclaimedSince, config }: KeptVoucher): number {
  if (unclaimedSince === null) return Infinity;
  const halfDelayMs = (config.withdrawDelay * 1_000) / 2;
  return unclaimedSince + Math.min(claimWithinMs, halfDelayMs);
}

export function unclaimedOf({ charged, claimed }: KeptVoucher): bigint {
  return charged > claimed ? charged - claimed : 0n;
}
