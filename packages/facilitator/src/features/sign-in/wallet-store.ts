/** The store of linked wallets. */
import { isSameAddress, toLowerHex, type Address } from "@farthing/protocol";
import type { LinkedWallet } from "./model.ts";
import { accountWalletTable } from "./tables.ts";
import { lockAccount } from "../accounts/store.ts";
import { atomic, type Database } from "@farthing/engine/storage";

export type WalletStore = ReturnType<typeof createWalletStore>;

export function createWalletStore(database: Database) {
  const all = () => database.db.selectFrom("account_wallets").selectAll();
  return {
    /**
     * `known`: it was already linked. `too_many`: the account has `walletsMax`. `not_owner`: `by`, the
     * member who links it, has lost the role of an owner.
     */
    linkWallet: atomic(database, linkWallet),
    /**
     * Unlinks a wallet and ends its sessions of this account; false when it was not linked, or when
     * `by` is neither the wallet itself nor an owner any more.
     */
    unlinkWallet: atomic(database, unlinkWallet),
    findWallet: async (account: Address, address: Address) => {
      const row = await all()
        .where("account", "=", toLowerHex(account))
        .where("address", "=", toLowerHex(address))
        .executeTakeFirst();
      return row && accountWalletTable.read(row);
    },
    /** Ordered by the time of linking. */
    listWallets: async (account: Address) => {
      const rows = await all()
        .where("account", "=", toLowerHex(account))
        .orderBy("linked_at")
        .orderBy("address")
        .execute();
      return rows.map(accountWalletTable.read);
    },
    /** The accounts that a wallet is linked to, by address. */
    listAccountsOf: async (wallet: Address, limit: number) => {
      const rows = await all()
        .where("address", "=", toLowerHex(wallet))
        .orderBy("account")
        .limit(limit)
        .execute();
      return rows.map(accountWalletTable.read);
    },
  };
}

/**
 * Tells whether a wallet is an owner of the account at this moment. The account's own address always is
 * one, so no account is without an owner. Requires the account's lock.
 */
export async function isOwner(
  { db }: Database,
  account: Address,
  wallet: Address,
): Promise<boolean> {
  if (isSameAddress(wallet, account)) return true;
  const row = await db
    .selectFrom("account_wallets")
    .select("role")
    .where("account", "=", toLowerHex(account))
    .where("address", "=", toLowerHex(wallet))
    .executeTakeFirst();
  return row?.role === "owner";
}

export async function linkWallet(
  inside: Database,
  wallet: LinkedWallet,
  { walletsMax, by }: { readonly walletsMax: number; readonly by?: Address },
): Promise<"linked" | "known" | "too_many" | "not_owner"> {
  const { db } = inside;
  const account = toLowerHex(wallet.account);
  const address = toLowerHex(wallet.address);
  await lockAccount(inside, wallet.account);
  if (by && !(await isOwner(inside, wallet.account, by))) return "not_owner";
  const rows = await db
    .selectFrom("account_wallets")
    .select("address")
    .where("account", "=", account)
    .execute();
  if (rows.some((row) => row.address === address)) return "known";
  if (rows.length >= walletsMax) return "too_many";
  await db.insertInto("account_wallets").values(accountWalletTable.write(wallet)).execute();
  return "linked";
}

async function unlinkWallet(
  inside: Database,
  account: Address,
  address: Address,
  { now, by }: { readonly now: number; readonly by: Address },
): Promise<boolean> {
  const { db } = inside;
  // Includes a session that the wallet is opening.
  await lockAccount(inside, account);
  if (!isSameAddress(by, address) && !(await isOwner(inside, account, by))) return false;
  const removed = await db
    .deleteFrom("account_wallets")
    .where("account", "=", toLowerHex(account))
    .where("address", "=", toLowerHex(address))
    .executeTakeFirst();
  if (removed.numDeletedRows === 0n) return false;
  await db
    .updateTable("sessions")
    .set({ revoked_at: now })
    .where("account", "=", toLowerHex(account))
    .where("wallet", "=", toLowerHex(address))
    .where("revoked_at", "is", null)
    .execute();
  return true;
}
