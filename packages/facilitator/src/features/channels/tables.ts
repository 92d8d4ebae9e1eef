/** The table of the vault. Amounts that are compared have a fixed width, so that text compares as numbers. */
import {
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
  claimingUntil: integer(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    channel_vouchers: KyselyTable<typeof voucherTable>;
  }
}
