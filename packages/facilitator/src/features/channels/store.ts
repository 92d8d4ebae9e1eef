/** The vault: vouchers by channel, those of an account, and those that are not claimed yet. */
import { atomic, textList, type Database, type Work } from "@farthing/engine/storage";
import { toLowerHex, type Address, type ChainId, type Hex } from "@farthing/protocol";
import { sql } from "kysely";
import { countCharged } from "./charged-sums.ts";
import { claimWithinMsMax, type KeptVoucher, type NewVoucher } from "./model.ts";
import { openChannels } from "./open-channels.ts";
import type { SpentReservation } from "../../payments/channels/context.ts";
import {
  reserveClaims,
  restoreReservations,
  spendReservations,
  type ClaimPrice,
} from "./reservations.ts";
import { sumTable, unitsText, voucherTable } from "./tables.ts";

export interface VoucherStore {
  /** Those that are known, by channel. */
  findVouchers(chainId: ChainId, ids: readonly Hex[]): Promise<Map<Hex, KeptVoucher>>;
  /**
   * Keeps vouchers of one network, and reserves the credits of their claims; only a higher total
   * replaces one. Returns the channels whose account has no credits for the claim.
   */
  keepVouchers(
    vouchers: readonly NewVoucher[],
    price: ClaimPrice,
    now: number,
  ): Promise<ReadonlySet<Hex>>;
  /** A page of an account's vouchers in the order of their channels, after one of them. */
  listAccountVouchers(
    account: Address,
    page: { readonly chainId: ChainId; readonly after: Hex; readonly limit: number },
  ): Promise<KeptVoucher[]>;
  /** What an account has unclaimed on a network is due at this moment, and until it is claimed. */
  makeDue(account: Address, chainId: ChainId, now: number): Promise<void>;
  /**
   * Vouchers of a network with more charged than claimed that can be claimed: first those of payers who
   * withdraw, then those that have to be claimed first.
   */
  listUnclaimed(chainId: ChainId, now: number, limit: number): Promise<KeptVoucher[]>;
  /** The same of some accounts, in any order. */
  listUnclaimedOf(
    chainId: ChainId,
    accounts: readonly Address[],
    page: { readonly now: number; readonly limit: number },
  ): Promise<KeptVoucher[]>;
  /** Accounts with at least so many base units charged and not claimed; those with the most first. */
  listAccountsAtRisk(chainId: ChainId, minUnits: bigint, limit: number): Promise<Address[]>;
  /** Whether a network has a channel of an account that is not closed. */
  hasOpenChannels(chainId: ChainId): Promise<boolean>;
  /** Takes channels for one claim; returns those that no other process has taken. */
  takeForClaim(
    chainId: ChainId,
    ids: readonly Hex[],
    times: { readonly now: number; readonly until: number },
  ): Promise<Hex[]>;
  /** Gives channels back that were taken until this time and not claimed. */
  giveBack(chainId: ChainId, ids: readonly Hex[], until: number): Promise<void>;
  /** The credits that are reserved for these channels are spent; returns them. */
  spendReservations(chainId: ChainId, ids: readonly Hex[]): Promise<readonly SpentReservation[]>;
  /** Reserves again what was spent on claims that were not sent. */
  restoreReservations(
    chainId: ChainId,
    spent: readonly SpentReservation[],
    now: number,
  ): Promise<void>;
}

export function createVoucherStore(database: Database): VoucherStore {
  return {
    findVouchers: (chainId, ids) => findVouchers(database, chainId, ids),
    keepVouchers: atomic(database, keepVouchers),
    listAccountVouchers: (account, page) => listAccountVouchers(database, account, page),
    makeDue: async (account, chainId, now) => {
      const since = now - claimWithinMsMax;
      await database.db
        .updateTable("channel_vouchers")
        .set({ unclaimed_since: since })
        .where("account", "=", toLowerHex(account))
        .where("chain_id", "=", chainId)
        .where("unclaimed_since", ">", since)
        .execute();
    },
    listUnclaimed: (chainId, now, limit) => listUnclaimed(database, chainId, now, limit),
    listUnclaimedOf: (chainId, accounts, page) =>
      listUnclaimedOf(database, chainId, accounts, page),
    listAccountsAtRisk: (chainId, minUnits, limit) =>
      listAccountsAtRisk(database, chainId, minUnits, limit),
    hasOpenChannels: async (chainId) => {
      const row = await database.db
        .selectFrom("channel_vouchers")
        .select("channel_id")
        .where("chain_id", "=", chainId)
        .where("closed_at", "is", null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    takeForClaim: atomic(database, takeForClaim),
    giveBack: atomic(database, giveBack),
    spendReservations: atomic(database, spendReservations),
    restoreReservations: atomic(database, restoreReservations),
  };
}

export const findVouchers: Work<VoucherStore["findVouchers"]> = async (inside, chainId, ids) => {
  if (ids.length === 0) return new Map();
  const rows = await vouchersOf(inside, chainId, ids).execute();
  return new Map(rows.map((row) => [row.channel_id, voucherTable.read(row)]));
};

function vouchersOf({ db, engine }: Database, chainId: ChainId, ids: readonly Hex[]) {
  return db
    .selectFrom("channel_vouchers")
    .select(voucherTable.columns)
    .where("chain_id", "=", chainId)
    .where("channel_id", "in", db.selectFrom(textList(engine, ids)).select("given.of"));
}

const keepVouchers: Work<VoucherStore["keepVouchers"]> = async (inside, vouchers, price, now) => {
  const [first] = vouchers;
  if (!first) return new Set();
  await openChannels(inside, vouchers, now);
  const newest = newestOf(vouchers);
  const known = await lockVouchers(inside, first.chainId, [...newest.keys()]);
  const raised = [...newest.values()]
    .map((voucher) => withNewestState(voucher, known.get(voucher.channelId)))
    .filter(({ channelId, charged }) => charged > (known.get(channelId)?.charged ?? 0n));
  const priced = raised.filter(
    ({ channelId, charged, claimed }) =>
      charged > claimed && known.get(channelId)?.reservedCredits === 0,
  );
  const paid = await reserveClaims(inside, priced, price, now);
  const unpaid = new Set(
    priced.flatMap(({ channelId }) => (paid.has(channelId) ? [] : [channelId])),
  );
  const kept = raised.filter(({ channelId }) => !unpaid.has(channelId));
  for (const voucher of kept) {
    const reserved = paid.has(voucher.channelId) ? price.credits : undefined;
    await writeVoucher(inside, voucher, reserved, now);
  }
  await countCharged(
    inside,
    kept.map((voucher) => ({
      ...voucher,
      units: voucher.charged - (known.get(voucher.channelId)?.charged ?? 0n),
      newlyClaimed: voucher.claimed - (known.get(voucher.channelId)?.claimed ?? 0n),
      credits: paid.has(voucher.channelId) ? price.credits : 0,
    })),
    now,
  );
  return unpaid;
};

/** A look may have read the contract since this voucher was checked; what it saw is not forgotten. */
function withNewestState(voucher: NewVoucher, kept: KeptVoucher | undefined): NewVoucher {
  if (!kept || kept.readAt <= voucher.readAt) return voucher;
  const { balance, claimed, withdrawRequestedAt, readAt } = kept;
  return { ...voucher, balance, claimed, withdrawRequestedAt, readAt };
}

/** The voucher with the highest total of each channel. */
function newestOf(vouchers: readonly NewVoucher[]): Map<Hex, NewVoucher> {
  const newest = new Map<Hex, NewVoucher>();
  for (const voucher of vouchers) {
    const before = newest.get(voucher.channelId);
    if (!before || before.charged < voucher.charged) newest.set(voucher.channelId, voucher);
  }
  return newest;
}

/** Reads vouchers, which stay as they are until the transaction ends; in one order. */
export async function lockVouchers(inside: Database, chainId: ChainId, ids: readonly Hex[]) {
  let query = vouchersOf(inside, chainId, ids).orderBy("channel_id");
  if (inside.engine.hasRowLocks) query = query.forUpdate();
  const rows = await query.execute();
  return new Map(rows.map((row) => [row.channel_id, voucherTable.read(row)]));
}

async function writeVoucher(
  { db }: Database,
  voucher: NewVoucher,
  reserved: number | undefined,
  now: number,
): Promise<void> {
  const { maxClaimableAmount, charged, balance, claimed } = voucher;
  await db
    .updateTable("channel_vouchers")
    .set({
      max_claimable_amount: unitsText(maxClaimableAmount),
      signature: voucher.signature,
      charged: unitsText(charged),
      claim_signature: voucher.claimSignature,
      balance: unitsText(balance),
      claimed: unitsText(claimed),
      withdraw_requested_at: voucher.withdrawRequestedAt,
      read_at: voucher.readAt,
      unclaimed_since:
        charged > claimed && balance > claimed
          ? sql<number>`coalesce(unclaimed_since, ${now})`
          : null,
      ...(reserved !== undefined && { reserved_credits: reserved }),
    })
    .where("chain_id", "=", voucher.chainId)
    .where("channel_id", "=", voucher.channelId)
    .execute();
}

const listAccountVouchers: Work<VoucherStore["listAccountVouchers"]> = async (
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
    // A channel without a voucher has only been opened. Written out, as the index has it.
    .where(sql<boolean>`signature <> '0x'`)
    .orderBy("channel_id")
    .limit(limit)
    .execute();
  return rows.map((row) => voucherTable.read(row));
};

function unclaimed({ db }: Database, chainId: ChainId, now: number) {
  return (
    db
      .selectFrom("channel_vouchers")
      .select(voucherTable.columns)
      .where("chain_id", "=", chainId)
      .where("unclaimed_since", "is not", null)
      .where("claiming_until", "<=", now)
      // What its seller has signed is claimed as it is or not at all, so it waits for a deposit.
      .where(sql<boolean>`(claim_signature is null or charged <= balance)`)
  );
}

const listUnclaimed: Work<VoucherStore["listUnclaimed"]> = async (inside, chainId, now, limit) => {
  const rows = await unclaimed(inside, chainId, now)
    // Written out, as the index has it.
    .orderBy(
      sql`case when withdraw_requested_at > 0 then 0 else unclaimed_since + claim_within_ms end`,
    )
    .limit(limit)
    .execute();
  return rows.map((row) => voucherTable.read(row));
};

const listUnclaimedOf: Work<VoucherStore["listUnclaimedOf"]> = async (
  inside,
  chainId,
  accounts,
  { now, limit },
) => {
  if (accounts.length === 0) return [];
  const { db, engine } = inside;
  const named = textList(engine, accounts.map(toLowerHex));
  const rows = await unclaimed(inside, chainId, now)
    .where("account", "in", db.selectFrom(named).select("given.of"))
    .limit(limit)
    .execute();
  return rows.map((row) => voucherTable.read(row));
};

const listAccountsAtRisk: Work<VoucherStore["listAccountsAtRisk"]> = async (
  { db },
  chainId,
  minUnits,
  limit,
) => {
  const rows = await db
    .selectFrom("channel_sums")
    .select(sumTable.columns)
    .where("chain_id", "=", chainId)
    // Written out, as the index has it; SQLite finds nothing in it by a value that is cast.
    .where(sql<boolean>`charged - claimed >= ${Number(minUnits)}`)
    .orderBy(sql`charged - claimed`, "desc")
    .orderBy("account", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => sumTable.read(row).account);
};

const takeForClaim: Work<VoucherStore["takeForClaim"]> = async (
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

const giveBack: Work<VoucherStore["giveBack"]> = async ({ db, engine }, chainId, ids, until) => {
  await db
    .updateTable("channel_vouchers")
    .set({ claiming_until: 0 })
    .where("chain_id", "=", chainId)
    .where("channel_id", "in", db.selectFrom(textList(engine, ids)).select("given.of"))
    .where("claiming_until", "=", until)
    .execute();
};
