/**
 * Credits of claims. They are taken from the balance when the vault accepts a voucher, so that empty
 * credits never stop a claim, and are given back where the voucher is not claimed by us. A claim that a
 * reorganisation undoes is made again for nothing.
 */
import { toLowerHex, type Address, type ChainId, type Hex } from "@farthing/protocol";
import { textList, type Database } from "@farthing/engine/storage";
import type { SpentReservation } from "../../payments/channels/context.ts";
import { tellLowCredits } from "../credits/low-credits.ts";
import { lockFunds } from "../credits/funds-store.ts";
import { addMonthlyCredits } from "../credits/free-credits-store.ts";
import type { KeptVoucher, NewVoucher } from "./model.ts";

/** What the claim of a voucher costs its account. */
export interface ClaimPrice {
  readonly credits: number;
  /** Credits that an account gets in a month in which it uses some. */
  readonly freeCredits: number;
}

/** Reserves the claims of vouchers; returns those that their accounts can pay. */
export async function reserveClaims(
  inside: Database,
  vouchers: readonly NewVoucher[],
  { credits, freeCredits }: ClaimPrice,
  now: number,
): Promise<ReadonlySet<Hex>> {
  const all = new Set(vouchers.map(({ channelId }) => channelId));
  if (credits === 0 || vouchers.length === 0) return all;
  const accounts = [...new Set(vouchers.map(({ account }) => toLowerHex(account)))];
  const perMonth = new Map(freeCredits > 0 ? accounts.map((one) => [one, freeCredits]) : []);
  await addMonthlyCredits(inside, perMonth, now);
  const funds = await lockFunds(inside, accounts);
  const left = new Map([...funds].map(([account, { available }]) => [account, available]));
  const paid = vouchers.filter(({ account }) => {
    const key = toLowerHex(account);
    const available = left.get(key) ?? 0;
    if (available < credits) return false;
    left.set(key, available - credits);
    return true;
  });
  await addEntries(
    inside,
    paid.map(({ account, channelId }) => ({
      account,
      credits: -credits,
      note: `Reserved for the next claim of channel ${channelId}`,
    })),
    now,
  );
  const spent = new Map(
    [...funds].map(([account, { available }]) => [
      account,
      available - (left.get(account) ?? available),
    ]),
  );
  await tellLowCredits(inside, funds, spent, now);
  return new Set(paid.map(({ channelId }) => channelId));
}

/** The reserved credits of these channels are spent; returns them. */
export async function spendReservations(
  inside: Database,
  chainId: ChainId,
  ids: readonly Hex[],
): Promise<readonly SpentReservation[]> {
  if (ids.length === 0) return [];
  const { db, engine } = inside;
  let reserved = db
    .selectFrom("channel_vouchers")
    .select(["channel_id", "account", "reserved_credits"])
    .where("chain_id", "=", chainId)
    .where("channel_id", "in", db.selectFrom(textList(engine, ids)).select("given.of"))
    .where("reserved_credits", ">", 0)
    .orderBy("channel_id");
  if (engine.hasRowLocks) reserved = reserved.forUpdate();
  const rows = await reserved.execute();
  await clearReservations(inside, chainId, ids);
  return rows.map((row) => ({
    channelId: row.channel_id,
    account: row.account,
    credits: Number(row.reserved_credits),
  }));
}

async function clearReservations(
  { db, engine }: Database,
  chainId: ChainId,
  ids: readonly Hex[],
): Promise<void> {
  await db
    .updateTable("channel_vouchers")
    .set({ reserved_credits: 0 })
    .where("chain_id", "=", chainId)
    .where("channel_id", "in", db.selectFrom(textList(engine, ids)).select("given.of"))
    .execute();
}

/**
 * Reserves again what was spent on claims that were not sent. What another voucher has reserved
 * meanwhile, or nothing is left to claim for, is given back.
 */
export async function restoreReservations(
  inside: Database,
  chainId: ChainId,
  spent: readonly SpentReservation[],
  now: number,
): Promise<void> {
  const over: SpentReservation[] = [];
  for (const one of spent) {
    const row = await inside.db
      .updateTable("channel_vouchers")
      .set({ reserved_credits: one.credits })
      .where("chain_id", "=", chainId)
      .where("channel_id", "=", toLowerHex(one.channelId))
      .where("reserved_credits", "=", 0)
      .where("unclaimed_since", "is not", null)
      .returning("channel_id")
      .executeTakeFirst();
    if (!row) over.push(one);
  }
  await giveBack(inside, over, now);
}

/** Gives back what is reserved for channels of which nothing is left to claim. */
export async function releaseReservations(
  inside: Database,
  channels: readonly KeptVoucher[],
  now: number,
): Promise<void> {
  const over = channels.filter(
    ({ reservedCredits, unclaimedSince }) => reservedCredits > 0 && unclaimedSince === null,
  );
  const given = over.map(({ account, channelId, reservedCredits: credits }) => {
    return { account, channelId, credits };
  });
  await giveBack(inside, given, now);
  for (const [chainId, rows] of Map.groupBy(over, (row) => row.chainId)) {
    const ids = rows.map(({ channelId }) => channelId);
    await clearReservations(inside, chainId, ids);
  }
}

/** Gives credits of claims back to their accounts. */
async function giveBack(
  inside: Database,
  given: readonly SpentReservation[],
  now: number,
): Promise<void> {
  const accounts = given.map(({ account }) => account);
  // The lock precedes the numbering of entries, so that their order is the order of the balance.
  await lockFunds(inside, accounts);
  await addEntries(
    inside,
    given.map(({ account, channelId, credits }) => ({
      account,
      credits,
      note: `Given back: channel ${channelId} needed no claim of ours`,
    })),
    now,
  );
}

export async function addEntries(
  { db }: Database,
  entries: readonly {
    readonly account: Address;
    readonly credits: number;
    readonly note: string;
  }[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  await db
    .insertInto("credit_entries")
    .values(
      entries.map(({ account, credits, note }) => ({
        account: toLowerHex(account),
        kind: "adjustment" as const,
        credits,
        settlement_id: null,
        step: null,
        purchase_id: null,
        actor: null,
        note,
        created_at: now,
      })),
    )
    .execute();
}
