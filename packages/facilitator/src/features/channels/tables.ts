/** The table of the vault. Amounts that are compared have a fixed width, so that text compares as numbers. */
import {
  decimal,
  flag,
  integer,
  json,
  lowerHex,
  nullable,
  smallInteger,
  table,
  text,
  walletAddress,
  type Column,
  type KyselyTable,
} from "@farthing/engine/storage";
import type { ChainId, ChannelConfig, Hex } from "@farthing/protocol";
import type { ChannelEventKind } from "./model.ts";

/** Decimal digits of the largest uint128. */
const digits = 39;

export function unitsText(value: bigint): string {
  return value.toString().padStart(digits, "0");
}

const units = (): Column<bigint, string> => ({ type: "text", read: BigInt, write: unitsText });

export const voucherTable = table("channel_vouchers", {
  chainId: smallInteger<ChainId>(),
  channelId: lowerHex(),
  account: walletAddress(),
  config: json<ChannelConfig>(),
  maxClaimableAmount: units(),
  signature: text<Hex>(),
  charged: units(),
  claimSignature: nullable(text<Hex>()),
  balance: units(),
  claimed: units(),
  withdrawRequestedAt: integer(),
  readAt: integer(),
  unclaimedSince: nullable(integer()),
  claimWithinMs: integer(),
  claimingUntil: integer(),
  openedAt: integer(),
  closedAt: nullable(integer()),
  reservedCredits: integer(),
});

export const eventTable = table("channel_events", {
  chainId: smallInteger<ChainId>(),
  channelId: lowerHex(),
  transactionHash: lowerHex(),
  kind: text<ChannelEventKind>(),
  /** Among the events of one kind that a transaction makes for a channel. */
  position: smallInteger(),
  blockNumber: integer(),
  amount: nullable(units()),
  createdAt: integer(),
  isReorganised: flag(),
});

/** What the channels of an account come to, in base units. */
export const sumTable = table("channel_sums", {
  account: walletAddress(),
  chainId: smallInteger<ChainId>(),
  /** Channels that are not closed. */
  open: integer(),
  charged: decimal(),
  claimed: decimal(),
  /** Sent to the receiver, of all that was ever claimed for it. */
  settled: decimal(),
});

/** The same by the day (UTC) on which the vault was told of a charge, or a claim was seen. */
export const dayTable = table("channel_days", {
  account: walletAddress(),
  chainId: smallInteger<ChainId>(),
  day: integer(),
  charged: decimal(),
  claimed: decimal(),
});

/** Up to which block the events of a network are recorded. */
const watchTable = table("channel_watches", {
  chainId: smallInteger<ChainId>(),
  blockNumber: integer(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    channel_vouchers: KyselyTable<typeof voucherTable>;
    channel_events: KyselyTable<typeof eventTable>;
    channel_sums: KyselyTable<typeof sumTable>;
    channel_days: KyselyTable<typeof dayTable>;
    channel_watches: KyselyTable<typeof watchTable>;
  }
}
