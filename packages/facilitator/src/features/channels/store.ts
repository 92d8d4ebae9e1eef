/** The vault: vouchers by channel, those of an account, and those that are not claimed yet. */
import { atomic, textList, type Database, type Work } from "@farthing/engine/storage";
import {
  toLowerHex,
  type Address,
  type ChainId,
  type ChannelState,
  type Hex,
} from "@farthing/protocol";
import { sql } from "kysely";
import type { KeptVoucher, NewVoucher } from "./model.ts";
import { unitsText, voucherTable } from "./tables.ts";

export interface ChannelStore {
  /** Those that are known, by channel. */
  findVouchers(chainId: ChainId, ids: readonly Hex[]): Promise<Map<Hex, KeptVoucher>>;
  /** Keeps vouchers; only a higher total replaces one. */
  keepVouchers(vouchers: readonly NewVoucher[], now: number): Promise<void>;
  /** A page of an account's vouchers in the order of their channels, after one of them. */
  listAccountVouchers(
    account: Address,
    page: { readonly chainId: ChainId; readonly after: Hex; readonly limit: number },
  ): Promise<KeptVoucher[]>;
  /** Vouchers of a network with more charged than claimed, the oldest first. */
  listUnclaimed(chainId: ChainId, now: number, limit: number): Promise<KeptVoucher[]>;
  /** Takes channels for one claim; returns those that no other process has taken. */
  takeForClaim(
    chainId: ChainId,
    ids: readonly Hex[],
    times: { readonly now: number; readonly until: number },
  ): Promise<Hex[]>;
  /** Records what the contract says, and ends the claim of those channels. */
  recordChannels(
    chainId: ChainId,
    channels: readonly { readonly channelId: Hex; readonly state: ChannelState }[],
    now: number,
  ): Promise<void>;
}

export function createChannelStore(database: Database): ChannelStore {
  return {
    findVouchers: (chainId, ids) => findVouchers(database, chainId, ids),
    keepVouchers: atomic(database, keepVouchers),
    listAccountVouchers: (account, page) => listAccountVouchers(database, account, page),
    listUnclaimed: (chainId, now, limit) => listUnclaimed(database, chainId, now, limit),
    takeForClaim: atomic(database, takeForClaim),
    recordChannels: atomic(database, recordChannels),
  };
}

const findVouchers: Work<ChannelStore["findVouchers"]> = async ({ db, engine }, chainId, ids) => {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("channel_vouchers")
    .select(voucherTable.columns)
    .where("chain_id", "=", chainId)
    .where("channel_id", "in", db.selectFrom(textList(engine, ids)).select("given.of"))
    .execute();
  return new Map(rows.map((row) => [row.channel_id, voucherTable.read(row)]));
};

const keepVouchers: Work<ChannelStore["keepVouchers"]> = async ({ db }, vouchers, now) => {
  for (const voucher of vouchers) {
    const unclaimedSince = voucher.charged > voucher.claimed ? now : null;
    const row = voucherTable.write({ ...voucher, unclaimedSince, claimingUntil: 0 });
    await db
      .insertInto("channel_vouchers")
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(["chain_id", "channel_id"])
          .doUpdateSet({
            max_claimable_amount: row.max_claimable_amount,
            signature: row.signature,
            charged: row.charged,
            claim_signature: row.claim_signature,
            balance: row.balance,
            claimed: row.claimed,
            withdraw_requested_at: row.withdraw_requested_at,
            read_at: row.read_at,
            unclaimed_since:
              unclaimedSince === null
                ? null
                : sql<number>`coalesce(channel_vouchers.unclaimed_since, ${unclaimedSince})`,
          })
          .where("channel_vouchers.charged", "<", row.charged),
      )
      .execute();
  }
};

const listAccountVouchers: Work<ChannelStore["listAccountVouchers"]> = async (
  { db },
  account,
  { chainId, after, limit },
) => {
  const rows = await db
    .selectFrom("channel_vouchers")
    .select(voucherTable.columns)
    .where("account", "=", toLowerHex(account))
    .where("chain_id", "=", chainId)
    .where("channel_id", ">", after)
    .orderBy("channel_id")
    .limit(limit)
    .execute();
  return rows.map((row) => voucherTable.read(row));
};

const listUnclaimed: Work<ChannelStore["listUnclaimed"]> = async ({ db }, chainId, now, limit) => {
  const rows = await db
    .selectFrom("channel_vouchers")
    .select(voucherTable.columns)
    .where("chain_id", "=", chainId)
    .where("unclaimed_since", "is not", null)
    .where("claiming_until", "<=", now)
    .orderBy("unclaimed_since")
    .limit(limit)
    .execute();
  return rows.map((row) => voucherTable.read(row));
};

const takeForClaim: Work<ChannelStore["takeForClaim"]> = async (
  { db, engine },
  chainId,
  ids,
  { now, until },
) => {
  if (ids.length === 0) return [];
  const rows = await db
    .updateTable("channel_vouchers")
    .set({ claiming_until: until })
    .where("chain_id", "=", chainId)
    .where("channel_id", "in", db.selectFrom(textList(engine, ids)).select("given.of"))
    .where("claiming_until", "<=", now)
    .returning("channel_id")
    .execute();
  return rows.map(({ channel_id: id }) => id);
};

const recordChannels: Work<ChannelStore["recordChannels"]> = async (
  { db },
  chainId,
  channels,
  now,
) => {
  for (const { channelId, state } of channels) {
    const { balance, totalClaimed } = state;
    const claimed = unitsText(totalClaimed);
    await db
      .updateTable("channel_vouchers")
      .set({
        balance: unitsText(balance),
        claimed,
        withdraw_requested_at: state.withdrawRequestedAt,
        read_at: now,
        claiming_until: 0,
        unclaimed_since: sql<
          number | null
        >`case when charged > ${claimed} then unclaimed_since end`,
      })
      .where("chain_id", "=", chainId)
      .where("channel_id", "=", toLowerHex(channelId))
      .execute();
  }
};
