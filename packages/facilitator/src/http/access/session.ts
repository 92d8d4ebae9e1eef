/** The session of a request to the account API, which the guard sets before the body is read. */
import type { FastifyRequest } from "fastify";
import type { Address } from "@farthing/protocol";
import { roleMessage, permits, type Permission, type Role } from "./permissions.ts";
import { HttpProblem } from "../messages/responses.ts";

/** The part of a session that requests carry; the feature that stores sessions has the rest. */
export interface RequestSession {
  readonly account: Address;
  /** Of the wallet in the account, as it is at this request. */
  readonly role: Role;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null on routes that need no session. */
    session: RequestSession | null;
  }

  interface FastifyContextConfig {
    /** What the role of the session must allow; every route with a session names it. */
    readonly permission?: Permission;
    /** True for routes of the account API that need no session. */
    readonly isOpen?: boolean;
    /** True for routes of the account API that also take an API key. */
    readonly takesKeys?: boolean;
    /** Exempt from limits: requests that end an attack must always work. */
    readonly isUnlimited?: boolean;
  }
}

export const sessionCookie = "__Host-farthing";

/** The response to a request without a session, and to one whose session has ended. */
export const noSession = "Sign in with your wallet first: POST /v1/account/sign-in.";

export function sessionOf({ session }: Pick<FastifyRequest, "session">): RequestSession {
  if (!session) throw new HttpProblem("unauthorized", noSession);
  return session;
}

/** The account of a request that may have a key instead of a session. Throws 401. */
export function accountOf(request: Pick<FastifyRequest, "session" | "apiKey">): Address {
  return (request.apiKey ?? sessionOf(request)).account;
}

/** Throws 403 unless the role of the session allows this. */
export function demandPermission({ role }: RequestSession, permission: Permission): void {
  if (!permits(role, permission)) {
    throw new HttpProblem("role_not_allowed", roleMessage(role, permission));
  }
}

/** The response when the role of an owner was taken away while the request ran. */
export function notOwner(): HttpProblem {
  return new HttpProblem("role_not_allowed", roleMessage("read_only", "manage_members"));
}
