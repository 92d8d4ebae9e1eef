/** Sessions: opened by wallets that may act for an account, and ended. */
import { toLowerHex, type Address } from "@farthing/protocol";
import type { Session } from "./model.ts";
import { toSession } from "./tables.ts";
import { ensureAccount, lockAccount } from "../accounts/store.ts";
import { type Database, inTransaction } from "@farthing/engine/storage";

/** What became of opening a session. */
export type OpenSessionResult =
  | "opened"
  /** The wallet is neither the account's own nor linked to it (on this chain, as a contract). */
  | "not_linked"
  /** The account's own address signed in as a contract of another chain before. */
  | "other_chain"
  /** As many as may run are running. */
  | "too_many";

export interface SessionStore {
  /**
   * Stores a session under the hash of what the cookie holds. A session of an account's own address
   * makes the account when there is none; any other wallet must be linked at this moment.
   * `runningMax`: sessions of one account that may run at once.
   */
  openSession(
    session: Session,
    secrets: { readonly idHash: string; readonly runningMax: number },
  ): Promise<OpenSessionResult>;
  /** A session that is not revoked and whose end is not reached; idleness is the caller's to judge. */
  findSession(idHash: string, now: number): Promise<Session | undefined>;
  touchSession(id: string, now: number): Promise<void>;
  /** Running sessions of an account that were seen since a time, the latest seen first. */
  listSessions(account: Address, times: { now: number; seenSince: number }): Promise<Session[]>;
  /** Ends one of an account's sessions; false when none such runs. */
  revokeSession(account: Address, id: string, now: number): Promise<boolean>;
  /** Ends an account's sessions, all but one if one is named; gives how many. */
  revokeSessions(account: Address, options: { exceptId?: string; now: number }): Promise<number>;
}

/** Creates the store of sessions. */
export function createSessionStore(database: Database): SessionStore {
  const { db } = database;
  const running = (now: number) =>
    db
      .selectFrom("sessions")
      .selectAll()
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now);
  return {
    openSession: (session, secrets) =>
      inTransaction(database, (inside) => openSession(inside, session, secrets)),
    findSession: async (idHash, now) => {
      const row = await running(now).where("id_hash", "=", idHash).executeTakeFirst();
      return row && toSession(row);
    },
    touchSession: async (id, now) => {
      await db.updateTable("sessions").set({ last_seen_at: now }).where("id", "=", id).execute();
    },
    listSessions: async (account, { now, seenSince }) => {
      const rows = await running(now)
        .where("account", "=", toLowerHex(account))
        .where("last_seen_at", ">=", seenSince)
        .orderBy("last_seen_at", "desc")
        .orderBy("id")
        .execute();
      return rows.map(toSession);
    },
    revokeSession: async (account, id, now) => {
      const result = await db
        .updateTable("sessions")
        .set({ revoked_at: now })
        .where("account", "=", toLowerHex(account))
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .where("expires_at", ">", now)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    revokeSessions: (account, { exceptId, now }) =>
      inTransaction(database, async (inside) => {
        // Not past one that is just being opened.
        await lockAccount(inside, account);
        let query = inside.db
          .updateTable("sessions")
          .set({ revoked_at: now })
          .where("account", "=", toLowerHex(account))
          .where("revoked_at", "is", null)
          .where("expires_at", ">", now);
        if (exceptId !== undefined) query = query.where("id", "!=", exceptId);
        return Number((await query.executeTakeFirst()).numUpdatedRows);
      }),
  };
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
  // What has ended proves nothing any more.
  await db
    .deleteFrom("sessions")
    .where("account", "=", account)
    .where("expires_at", "<=", now)
    .execute();
  await db
    .insertInto("sessions")
    .values({
      id_hash: idHash,
      id: session.id,
      account,
      wallet,
      wallet_kind: session.walletKind,
      chain_id: session.chainId,
      created_at: now,
      last_seen_at: session.lastSeenAt,
      expires_at: session.expiresAt,
      revoked_at: null,
    })
    .execute();
  return "opened";
}

/** An account's own address; as a contract it is the same owner on one chain only. */
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

/** A wallet that is linked as what it signed in as. */
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
