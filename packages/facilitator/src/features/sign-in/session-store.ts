/** The store of sessions. */
import { isSameAddress, toLowerHex, type Address } from "@farthing/protocol";
import type { MemberSession, Session } from "./model.ts";
import { sessionTable } from "./tables.ts";
import { ensureAccount, lockAccount } from "../accounts/store.ts";
import { atomic, type Database } from "@farthing/engine/storage";

export type OpenSessionResult =
  | "opened"
  /** The wallet is neither the account's own nor linked to it (on this chain, as a contract). */
  | "not_linked"
  /** The account's own address signed in as a contract of another chain before. */
  | "other_chain"
  /** The account has the most sessions that may run. */
  | "too_many";

/** An account, or one wallet of it. */
export interface SessionOwner {
  readonly account: Address;
  readonly wallet?: Address | undefined;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(database: Database) {
  const { db } = database;
  const running = (now: number) =>
    db
      .selectFrom("sessions")
      .selectAll("sessions")
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now);
  return {
    /**
     * Stores a session under the hash of its token. A session of an account's own address creates the
     * account when there is none; any other wallet must be linked at this moment. `runningMax` bounds
     * the sessions of one account.
     */
    openSession: atomic(database, openSession),
    /**
     * Returns a session that is neither revoked nor past its end, with the role that its wallet has
     * now; the caller checks idleness.
     */
    findSession: async (idHash: string, now: number): Promise<MemberSession | undefined> => {
      const row = await running(now)
        .leftJoin("account_wallets as member", (join) =>
          join
            .onRef("member.account", "=", "sessions.account")
            .onRef("member.address", "=", "sessions.wallet"),
        )
        .select("member.role")
        .where("id_hash", "=", idHash)
        .executeTakeFirst();
      if (!row) return undefined;
      const session = sessionTable.read(row);
      const role = isSameAddress(session.wallet, session.account) ? "owner" : row.role;
      return role === null ? undefined : { ...session, role };
    },
    touchSession: async (id: string, now: number) => {
      await db.updateTable("sessions").set({ last_seen_at: now }).where("id", "=", id).execute();
    },
    /** Running sessions seen since a time, the latest first. */
    listSessions: async (
      account: Address,
      { now, seenSince }: { now: number; seenSince: number },
    ) => {
      const rows = await running(now)
        .where("account", "=", toLowerHex(account))
        .where("last_seen_at", ">=", seenSince)
        .orderBy("last_seen_at", "desc")
        .orderBy("id")
        .execute();
      return rows.map(sessionTable.read);
    },
    /** Ends a session; false when there is no such running session. */
    revokeSession: async (
      { account, wallet }: SessionOwner,
      id: string,
      now: number,
    ): Promise<boolean> => {
      let query = db
        .updateTable("sessions")
        .set({ revoked_at: now })
        .where("account", "=", toLowerHex(account))
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .where("expires_at", ">", now);
      if (wallet) query = query.where("wallet", "=", toLowerHex(wallet));
      return (await query.executeTakeFirst()).numUpdatedRows === 1n;
    },
    /** Ends all sessions except `exceptId`; returns how many. */
    revokeSessions: atomic(database, revokeSessions),
  };
}

async function revokeSessions(
  inside: Database,
  { account, wallet }: SessionOwner,
  { exceptId, now }: { readonly exceptId?: string; readonly now: number },
): Promise<number> {
  // Includes a session that is being opened.
  await lockAccount(inside, account);
  let query = inside.db
    .updateTable("sessions")
    .set({ revoked_at: now })
    .where("account", "=", toLowerHex(account))
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now);
  if (wallet) query = query.where("wallet", "=", toLowerHex(wallet));
  if (exceptId !== undefined) query = query.where("id", "!=", exceptId);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

async function openSession(
  inside: Database,
  session: Session,
  { idHash, runningMax }: { readonly idHash: string; readonly runningMax: number },
): Promise<OpenSessionResult> {
  const { db } = inside;
  const { createdAt: now } = session;
  const account = toLowerHex(session.account);
  const wallet = toLowerHex(session.wallet);
  await lockAccount(inside, session.account);
  const refusal =
    wallet === account ? await admitOwn(inside, session) : await admitLinked(inside, session);
  if (refusal) return refusal;
  const { count } = await db
    .selectFrom("sessions")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .where("account", "=", account)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirstOrThrow();
  if (Number(count) >= runningMax) return "too_many";
  // Ended sessions are not needed any more.
  await db
    .deleteFrom("sessions")
    .where("account", "=", account)
    .where("expires_at", "<=", now)
    .execute();
  await db
    .insertInto("sessions")
    .values({ ...sessionTable.write(session), id_hash: idHash, revoked_at: null })
    .execute();
  return "opened";
}

/** As a contract the account's own address has the same owner on one chain only. */
async function admitOwn(
  inside: Database,
  { account, walletKind, chainId, createdAt }: Session,
): Promise<OpenSessionResult | undefined> {
  const { contractChainId } = await ensureAccount(inside, account, createdAt);
  if (walletKind === "plain" || contractChainId === chainId) return undefined;
  if (contractChainId !== null) return "other_chain";
  await inside.db
    .updateTable("accounts")
    .set({ contract_chain_id: chainId })
    .where("address", "=", toLowerHex(account))
    .execute();
  return undefined;
}

/** A linked wallet must sign in as the kind that was linked. */
async function admitLinked(
  { db }: Database,
  { account, wallet, walletKind, chainId }: Session,
): Promise<OpenSessionResult | undefined> {
  const linked = await db
    .selectFrom("account_wallets")
    .select(["kind", "chain_id"])
    .where("account", "=", toLowerHex(account))
    .where("address", "=", toLowerHex(wallet))
    .executeTakeFirst();
  const isSame =
    linked?.kind === walletKind && (walletKind === "plain" || linked.chain_id === chainId);
  return isSame ? undefined : "not_linked";
}
