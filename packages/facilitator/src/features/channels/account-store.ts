/** The channels of an account, as its owner reads them. */
import type { Database, Page, Paging, TimeCursor } from "@farthing/engine/storage";
import { toLowerHex, type Address, type ChainId, type Hex } from "@farthing/protocol";
import { sql } from "kysely";
import { claimDueAt, type KeptVoucher } from "./model.ts";
import { dayTable, sumTable, voucherTable } from "./tables.ts";

export interface ChannelFilter {
  readonly chainId: ChainId;
  readonly state: "open" | "closed" | undefined;
}

/** Amounts are base units, times are milliseconds since 1970. */
export interface ChannelSums {
  readonly open: number;
  readonly charged: bigint;
  readonly claimed: bigint;
  readonly settled: bigint;
  /** When the next voucher is claimed at the latest; null while all is claimed. */
  readonly nextClaimAt: number | null;
}

export interface ChannelDay {
  readonly day: number;
  readonly charged: bigint;
  readonly claimed: bigint;
}

export interface AccountChannelStore {
  /** Newest first. */
  listChannels(
    account: Address,
    filter: ChannelFilter,
    paging: Paging<TimeCursor>,
  ): Promise<Page<KeptVoucher, TimeCursor>>;
  /** A channel of the account. */
  findChannel(account: Address, channelId: Hex): Promise<KeptVoucher | undefined>;
  sumChannels(account: Address, chainId: ChainId): Promise<ChannelSums>;
  /** Days since one of them, counted from 1970, that have a charge or a claim. */
  listChannelDays(account: Address, chainId: ChainId, since: number): Promise<ChannelDay[]>;
  /**
   * Accounts for which at least so many base units are claimed and not sent, as far as is recorded; those
   * with the most first, without those that are `left` out.
   */
  listUnsent(
    chainId: ChainId,
    minUnits: bigint,
    page: { readonly limit: number; readonly left: readonly Address[] },
  ): Promise<Address[]>;
  /** Records what was sent to a receiver of all that was claimed for it. */
  recordSettled(account: Address, chainId: ChainId, settled: bigint): Promise<void>;
}

/** Unclaimed vouchers that are looked at for the next claim: the oldest is due first, but for its delay. */
const oldestMax = 100;

export function createAccountChannelStore(database: Database): AccountChannelStore {
  const { db } = database;
  return {
    listChannels: listChannels.bind(undefined, database),
    findChannel: async (account, channelId) => {
      // The id contains the network, so that at most one has it.
      const rows = await db
        .selectFrom("channel_vouchers")
        .select(voucherTable.columns)
        .where("chain_id", "in", [50, 51])
        .where("channel_id", "=", toLowerHex(channelId))
        .execute();
      const own = rows.find((row) => row.account === toLowerHex(account));
      return own && voucherTable.read(own);
    },
    sumChannels: async (account, chainId) => {
      const row = await db
        .selectFrom("channel_sums")
        .select(sumTable.columns)
        .where("account", "=", toLowerHex(account))
        .where("chain_id", "=", chainId)
        .executeTakeFirst();
      const sums = row ? sumTable.read(row) : { open: 0, charged: 0n, claimed: 0n, settled: 0n };
      return { ...sums, nextClaimAt: await findNextClaim(database, account, chainId) };
    },
    listChannelDays: async (account, chainId, since) => {
      const rows = await db
        .selectFrom("channel_days")
        .select(dayTable.columns)
        .where("account", "=", toLowerHex(account))
        .where("chain_id", "=", chainId)
        .where("day", ">=", since)
        .orderBy("day")
        .execute();
      return rows.map((row) => dayTable.read(row));
    },
    listUnsent: async (chainId, minUnits, { limit, left }) => {
      const rows = await db
        .selectFrom("channel_sums")
        .select(sumTable.columns)
        .where("chain_id", "=", chainId)
        // Written out, as the index has it; SQLite finds nothing in it by a value that is cast.
        .where(sql<boolean>`claimed - settled >= ${Number(minUnits)}`)
        .orderBy(sql`claimed - settled`, "desc")
        .orderBy("account", "desc")
        .limit(limit + left.length)
        .execute();
      const out = new Set(left.map((one) => one.toLowerCase()));
      const accounts = rows.map((row) => sumTable.read(row).account);
      return accounts.filter((one) => !out.has(one.toLowerCase())).slice(0, limit);
    },
    recordSettled: async (account, chainId, settled) => {
      await db
        .updateTable("channel_sums")
        .set({ settled: settled.toString() })
        .where("account", "=", toLowerHex(account))
        .where("chain_id", "=", chainId)
        .execute();
    },
  };
}

async function listChannels(
  { db }: Database,
  account: Address,
  { chainId, state }: ChannelFilter,
  { from, limit }: Paging<TimeCursor>,
): Promise<Page<KeptVoucher, TimeCursor>> {
  let query = db
    .selectFrom("channel_vouchers")
    .select(voucherTable.columns)
    .where("account", "=", toLowerHex(account))
    .where("chain_id", "=", chainId)
    .orderBy("opened_at", "desc")
    .orderBy("channel_id", "desc")
    .limit(limit + 1);
  if (state) query = query.where("closed_at", state === "open" ? "is" : "is not", null);
  if (from) {
    query = query.where(sql<boolean>`(opened_at, channel_id) <= (${from.createdAt}, ${from.id})`);
  }
  const rows = (await query.execute()).map((row) => voucherTable.read(row));
  const following = rows[limit];
  return {
    items: rows.slice(0, limit),
    next: following ? { createdAt: following.openedAt, id: following.channelId } : null,
  };
}

async function findNextClaim(
  { db }: Database,
  account: Address,
  chainId: ChainId,
): Promise<number | null> {
  const rows = await db
    .selectFrom("channel_vouchers")
    .select(voucherTable.columns)
    .where("account", "=", toLowerHex(account))
    .where("chain_id", "=", chainId)
    .where("unclaimed_since", "is not", null)
    .orderBy("unclaimed_since")
    .limit(oldestMax)
    .execute();
  const due = rows.map((row) => claimDueAt(voucherTable.read(row)));
  return due.length === 0 ? null : Math.min(...due);
}
