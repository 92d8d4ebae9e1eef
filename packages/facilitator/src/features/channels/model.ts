/** The channels of accounts: the newest voucher of each, what was charged by it, and its events. */
import type { Address, ChainId, ChannelConfig, Hex, SoldPart } from "@farthing/protocol";

/** Amounts are base units, times are milliseconds since 1970 unless they say seconds. */
export interface KeptVoucher {
  readonly chainId: ChainId;
  readonly channelId: Hex;
  /** The receiver, whose key handed it over. */
  readonly account: Address;
  readonly config: ChannelConfig;
  readonly maxClaimableAmount: bigint;
  /** `0x` while no voucher was handed over. */
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
  /** So long after that it is claimed at the latest. */
  readonly claimWithinMs: number;
  /** Until then one process claims it. */
  readonly claimingUntil: number;
  /** When its deposit was confirmed, or its first voucher kept. */
  readonly openedAt: number;
  /** Since when a refund or a withdrawal has left nothing in it; null while there is something. */
  readonly closedAt: number | null;
  /** Credits that are reserved for its next claim. */
  readonly reservedCredits: number;
}

/** A row of a request, checked. */
export interface NewVoucher extends Omit<
  KeptVoucher,
  "unclaimedSince" | "claimWithinMs" | "claimingUntil" | "openedAt" | "closedAt" | "reservedCredits"
> {
  /** What the newest charges were for, as far as the seller says it. */
  readonly sold: readonly SoldPart[];
}

/** What happens to a channel on chain. `closed`: a refund or a withdrawal has left nothing in it. */
export const channelEventKinds = [
  "deposited",
  "claimed",
  "withdrawing",
  "withdrawn",
  "refunded",
  "closed",
] as const;

export type ChannelEventKind = (typeof channelEventKinds)[number];

/** An event as the chain has it. */
export interface ChainEvent {
  readonly kind: ChannelEventKind;
  readonly channelId: Hex;
  readonly transactionHash: Hex;
  readonly position: number;
  readonly blockNumber: number;
  /** Base units that the event is about. */
  readonly amount: bigint | null;
}

/** An event that is recorded. */
export interface RecordedEvent extends ChainEvent {
  readonly chainId: ChainId;
  readonly createdAt: number;
  /** A reorganisation has taken it off the chain. */
  readonly isReorganised: boolean;
}

/** Names an event of a network; the same when a reorganisation moves it to another block. */
export function eventKeyOf(event: Omit<ChainEvent, "amount" | "blockNumber">): string {
  const { channelId, transactionHash, kind, position } = event;
  return `${channelId} ${transactionHash} ${kind} ${position}`;
}

/** Claimed at the latest after this time, so that a seller has its money within a day. */
export const claimWithinMsMax = 24 * 60 * 60_000;

/** 10 USDC: a thousandth of it pays for the claim, at a gas price fifty times today's. */
export const claimAboveUnits = 10_000_000n;

/** Half of the delay is left for the claim itself. */
export function claimWithinOf({ withdrawDelay }: Pick<ChannelConfig, "withdrawDelay">): number {
  return Math.min(claimWithinMsMax, (withdrawDelay * 1_000) / 2);
}

/** When a voucher is claimed at the latest. */
export function claimDueAt({ unclaimedSince, claimWithinMs }: KeptVoucher): number {
  return unclaimedSince === null ? Infinity : unclaimedSince + claimWithinMs;
}

export function unclaimedOf({ charged, claimed }: KeptVoucher): bigint {
  return charged > claimed ? charged - claimed : 0n;
}
