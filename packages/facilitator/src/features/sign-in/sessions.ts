/**
 * Sessions of browsers: 256 random bits in a cookie, kept here as a hash. A session ends after a
 * day without use, after a week in any case, when it is signed out or revoked, and when the wallet
 * that opened it is unlinked.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Address, ChainId } from "@farthing/protocol";
import type { Clock, Log } from "@farthing/engine/base";
import type { WalletKind } from "@farthing/engine";
import type { Session } from "./model.ts";
import type { OpenSessionResult, SessionStore } from "./session-store.ts";

const hourMs = 60 * 60 * 1000;

/** Without use: a browser left open over night is still signed in, one left for a day is not. */
export const idleMsMax = 24 * hourMs;

/** In any case: then the wallet signs again. */
export const lifetimeMs = 7 * 24 * hourMs;

/** Sessions of one account at once; the one that was unused for longest makes room for another. */
const runningMax = 50;

/** How often "last seen" is written at most. */
const touchEveryMs = 60_000;

/** What is put into the cookie: 32 bytes as base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** A session just opened; the token goes into the cookie and is kept nowhere. */
export interface OpenedSession {
  readonly token: string;
  readonly session: Session;
}

/** The wallet that signed, and the account that it acts for. */
export interface SignedInWallet {
  readonly account: Address;
  readonly wallet: Address;
  readonly walletKind: WalletKind;
  readonly chainId: ChainId;
}

/** Sessions. */
export interface Sessions {
  /** Opens one; else tells why the wallet may not. */
  open(who: SignedInWallet): Promise<OpenedSession | Exclude<OpenSessionResult, "opened">>;
  /** The session of a cookie; undefined when there is none that runs, never why. */
  find(token: string | undefined): Promise<Session | undefined>;
  /** The account's running ones, the latest seen first. */
  list(account: Address): Promise<Session[]>;
  /** Ends one of an account's; false when there is none such. */
  revoke(account: Address, id: string): Promise<boolean>;
  /** Ends all of an account's but this one. */
  revokeOthers(session: Session): Promise<number>;
}

/** A new random token of 256 bits, as cookies carry it. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Tells whether a cookie holds what could be a token. */
export function isToken(text: string | undefined): text is string {
  return text !== undefined && tokenPattern.test(text);
}

/** Creates the sessions of a store. */
export function createSessions(deps: {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Log;
}): Sessions {
  const { store, clock, log } = deps;

  function list(account: Address): Promise<Session[]> {
    const now = clock.nowMs();
    return store.listSessions(account, { now, seenSince: now - idleMsMax });
  }

  return {
    async open(who) {
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
        if (oldest) await store.revokeSession(who.account, oldest.id, now);
        result = await store.openSession(session, secrets);
      }
      if (result !== "opened") return result;
      log.info({ event: "session_opened", ...who, sessionId: session.id }, "Signed in");
      return { token, session };
    },
    async find(token) {
      if (!isToken(token)) return undefined;
      const now = clock.nowMs();
      const session = await store.findSession(hashOf(token), now);
      if (!session || session.lastSeenAt + idleMsMax <= now) return undefined;
      if (now - session.lastSeenAt > touchEveryMs) await store.touchSession(session.id, now);
      return session;
    },
    list,
    async revoke(account, id) {
      const isRevoked = await store.revokeSession(account, id, clock.nowMs());
      if (isRevoked) log.info({ event: "session_ended", account, sessionId: id }, "Session ended");
      return isRevoked;
    },
    async revokeOthers({ account, id }) {
      const ended = await store.revokeSessions(account, { exceptId: id, now: clock.nowMs() });
      log.info({ event: "other_sessions_ended", account, sessions: ended }, "Other sessions ended");
      return ended;
    },
  };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
