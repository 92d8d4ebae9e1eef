/**
 * Browser sessions: 256 random bits in a cookie, stored as a hash. A session ends after a day
 * without use, after a week, when it is revoked, and when its wallet is unlinked.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Address } from "@farthing/protocol";
import type { Runtime } from "@farthing/engine/base";
import { permits } from "../../http/access/permissions.ts";
import type { MemberSession, Session } from "./model.ts";
import type { SessionOwner, SessionStore } from "./session-store.ts";

const hourMs = 60 * 60 * 1000;

/** A browser left open over night stays signed in, one left for a day does not. */
export const idleMsMax = 24 * hourMs;

/** After this long the wallet signs again. */
export const lifetimeMs = 7 * 24 * hourMs;

/** The session that was unused for longest makes room for another one. */
const runningMax = 50;

/** Limits how often "last seen" is written. */
const touchEveryMs = 60_000;

/** 32 bytes as base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** The token goes into the cookie and is not stored. */
export interface OpenedSession {
  readonly token: string;
  readonly session: Session;
}

export type SignedInWallet = Pick<Session, "account" | "wallet" | "walletKind" | "chainId">;

export type Sessions = ReturnType<typeof createSessions>;

/** Returns 256 random bits as cookies carry them. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

export function isToken(text: string | undefined): text is string {
  return text !== undefined && tokenPattern.test(text);
}

export function createSessions(deps: Runtime & { readonly store: SessionStore }) {
  const { store, clock, log } = deps;

  /** The account's running sessions, the latest seen first. */
  function list(account: Address): Promise<Session[]> {
    const now = clock.nowMs();
    return store.listSessions(account, { now, seenSince: now - idleMsMax });
  }

  return {
    /** Returns the reason when the wallet may not sign in. */
    async open(who: SignedInWallet) {
      const now = clock.nowMs();
      const token = newToken();
      const session: Session = {
        id: `ses_${randomBytes(12).toString("hex")}`,
        ...who,
        createdAt: now,
        lastSeenAt: now,
        expiresAt: now + lifetimeMs,
      };
      const secrets = { idHash: hashOf(token), runningMax };
      let result = await store.openSession(session, secrets);
      if (result === "too_many") {
        const oldest = (await store.listSessions(who.account, { now, seenSince: 0 })).at(-1);
        if (oldest) await store.revokeSession({ account: who.account }, oldest.id, now);
        result = await store.openSession(session, secrets);
      }
      if (result !== "opened") return result;
      log.info({ event: "session_opened", ...who, sessionId: session.id }, "Signed in");
      return { token, session };
    },
    /** Finds the running session of a cookie; undefined without a reason. */
    async find(token: string | undefined) {
      if (!isToken(token)) return undefined;
      const now = clock.nowMs();
      const session = await store.findSession(hashOf(token), now);
      if (!session || session.lastSeenAt + idleMsMax <= now) return undefined;
      if (now - session.lastSeenAt > touchEveryMs) await store.touchSession(session.id, now);
      return session;
    },
    list,
    /** Returns false when there is no such session that this member may end. */
    async revoke(member: MemberSession, id: string) {
      const isRevoked = await store.revokeSession(ownerOf(member), id, clock.nowMs());
      const { account } = member;
      if (isRevoked) log.info({ event: "session_ended", account, sessionId: id }, "Session ended");
      return isRevoked;
    },
    /** Ends all other sessions that this member may end. */
    async revokeOthers(member: MemberSession) {
      const { account, id } = member;
      const now = clock.nowMs();
      const ended = await store.revokeSessions(ownerOf(member), { exceptId: id, now });
      log.info({ event: "other_sessions_ended", account, sessions: ended }, "Other sessions ended");
      return ended;
    },
  };
}

/** Owners end the sessions of the whole account, other members those of their wallet. */
function ownerOf({ account, wallet, role }: MemberSession): SessionOwner {
  return permits(role, "manage_members") ? { account } : { account, wallet };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
