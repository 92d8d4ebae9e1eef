/** The store of invitations and roles. */
import { isSameAddress, toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { atomic, type Database, type Tables } from "@farthing/engine/storage";
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { lockAccount } from "../accounts/store.ts";
import type { LinkedWallet } from "../sign-in/model.ts";
import { accountWalletTable } from "../sign-in/tables.ts";
import { isOwner, linkWallet } from "../sign-in/wallet-store.ts";
import type { Invitation } from "./model.ts";
import { invitationTable } from "./tables.ts";

export type MemberStore = ReturnType<typeof createMemberStore>;

export function createMemberStore(database: Database) {
  const { db } = database;
  const open = (now: number) =>
    db.selectFrom("account_invitations").selectAll().where("expires_at", ">", now).where(isByOwner);
  return {
    /** Stores an invitation; a further one for the same wallet replaces it. */
    invite: atomic(database, invite),
    /** Returns false when there is no such invitation, or none for a wallet of `kind`. */
    removeInvitation: async (
      account: Address,
      address: Address,
      kind?: { readonly chainId: ChainId | null },
    ) => {
      let query = db
        .deleteFrom("account_invitations")
        .where("account", "=", toLowerHex(account))
        .where("address", "=", toLowerHex(address));
      if (kind) query = query.where("chain_id", "is not distinct from", kind.chainId);
      return (await query.executeTakeFirst()).numDeletedRows === 1n;
    },
    /** Open invitations of an account, in the order in which they were made. */
    listInvitations: async (account: Address, now: number) => {
      const rows = await open(now)
        .where("account", "=", toLowerHex(account))
        .orderBy("invited_at")
        .orderBy("address")
        .execute();
      return rows.map(invitationTable.read);
    },
    /** Open invitations of a wallet, the latest first. */
    listInvitationsOf: async (wallet: Address, now: number, limit: number) => {
      const rows = await open(now)
        .where("address", "=", toLowerHex(wallet))
        .orderBy("invited_at", "desc")
        .orderBy("account")
        .limit(limit)
        .execute();
      return rows.map(invitationTable.read);
    },
    /** Makes a wallet a member as it was invited, and removes the invitation. */
    acceptInvitation: atomic(database, acceptInvitation),
    /** Changes the role of a member other than the account's own address. */
    changeRole: atomic(database, changeRole),
    /** The names of accounts; those without a row have none. */
    listLabels: async (accounts: readonly Address[]) => {
      const rows = await db
        .selectFrom("accounts")
        .select(["address", "label"])
        .where("address", "in", accounts.map(toLowerHex))
        .execute();
      return new Map(rows.map(({ address, label }) => [address, label]));
    },
  };
}

/**
 * Whether the member who invited is an owner at this moment. Otherwise an owner who is removed could
 * come back with another wallet.
 */
function isByOwner(row: ExpressionBuilder<Tables, "account_invitations">): Expression<SqlBool> {
  const owners = row
    .selectFrom("account_wallets as owner")
    .select("owner.address")
    .whereRef("owner.account", "=", "account_invitations.account")
    .whereRef("owner.address", "=", "account_invitations.invited_by")
    .where("owner.role", "=", "owner");
  const isOwn = row("account_invitations.invited_by", "=", row.ref("account_invitations.account"));
  return row.or([isOwn, row.exists(owners)]);
}

/** `not_owner`: the member who invites has lost the role of an owner. */
export type InviteResult = "invited" | "known" | "too_many" | "not_owner";

async function invite(
  inside: Database,
  invitation: Invitation,
  { membersMax }: { readonly membersMax: number },
): Promise<InviteResult> {
  const { db } = inside;
  const account = toLowerHex(invitation.account);
  const address = toLowerHex(invitation.address);
  await lockAccount(inside, invitation.account);
  if (!(await isOwner(inside, invitation.account, invitation.invitedBy))) return "not_owner";
  if (address === account) return "known";
  // Also those that can no longer be accepted.
  await db
    .deleteFrom("account_invitations")
    .where("account", "=", account)
    .where((or) =>
      or.or([
        or("expires_at", "<=", invitation.invitedAt),
        or("address", "=", address),
        or.not(isByOwner(or)),
      ]),
    )
    .execute();
  const members = await db
    .selectFrom("account_wallets")
    .select("address")
    .where("account", "=", account)
    .execute();
  if (members.some((row) => row.address === address)) return "known";
  const invited = await db
    .selectFrom("account_invitations")
    .select("address")
    .where("account", "=", account)
    .execute();
  if (members.length + invited.length >= membersMax) return "too_many";
  await db.insertInto("account_invitations").values(invitationTable.write(invitation)).execute();
  return "invited";
}

export type AcceptResult =
  | { readonly kind: "joined"; readonly wallet: LinkedWallet }
  /** Not invited, not any more, not as this kind of wallet on this chain, or by no owner now. */
  | { readonly kind: "not_invited" }
  | { readonly kind: "too_many" };

async function acceptInvitation(
  inside: Database,
  joining: Omit<LinkedWallet, "role">,
  { membersMax }: { readonly membersMax: number },
): Promise<AcceptResult> {
  const { db } = inside;
  await lockAccount(inside, joining.account);
  const row = await db
    .selectFrom("account_invitations")
    .selectAll()
    .where("account", "=", toLowerHex(joining.account))
    .where("address", "=", toLowerHex(joining.address))
    .where("expires_at", ">", joining.linkedAt)
    .where(isByOwner)
    .executeTakeFirst();
  const invitation = row && invitationTable.read(row);
  if (invitation?.chainId !== joining.chainId) return { kind: "not_invited" };
  const wallet: LinkedWallet = { ...joining, role: invitation.role };
  const linked = await linkWallet(inside, wallet, { walletsMax: membersMax });
  if (linked === "too_many") return { kind: "too_many" };
  await db
    .deleteFrom("account_invitations")
    .where("account", "=", toLowerHex(joining.account))
    .where("address", "=", toLowerHex(joining.address))
    .execute();
  return linked === "linked" ? { kind: "joined", wallet } : { kind: "not_invited" };
}

export type ChangeRoleResult =
  | { readonly kind: "changed"; readonly wallet: LinkedWallet }
  | { readonly kind: "unknown" }
  /** The account's own address, which stays an owner. */
  | { readonly kind: "own" }
  | { readonly kind: "not_owner" };

async function changeRole(
  inside: Database,
  { account, address, role }: Pick<LinkedWallet, "account" | "address" | "role">,
  by: Address,
): Promise<ChangeRoleResult> {
  await lockAccount(inside, account);
  if (!(await isOwner(inside, account, by))) return { kind: "not_owner" };
  if (isSameAddress(account, address)) return { kind: "own" };
  const row = await inside.db
    .updateTable("account_wallets")
    .set({ role })
    .where("account", "=", toLowerHex(account))
    .where("address", "=", toLowerHex(address))
    .returningAll()
    .executeTakeFirst();
  return row ? { kind: "changed", wallet: accountWalletTable.read(row) } : { kind: "unknown" };
}
