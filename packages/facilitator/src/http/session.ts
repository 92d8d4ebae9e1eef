/** The session of a request to the account API, which the guard sets before the body is read. */
import type { FastifyRequest } from "fastify";
import type { Address } from "@farthing/protocol";
import { HttpProblem } from "./responses.ts";

/** A session as requests carry it; the feature that stores sessions adds what else it knows. */
export interface RequestSession {
  readonly account: Address;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null on routes that need no session. */
    session: RequestSession | null;
  }

  interface FastifyContextConfig {
    /** Of the account API: needs no session. All others do. */
    readonly isOpen?: boolean;
    /** Never refused for asking too often: what ends an attack must always work. */
    readonly isUnlimited?: boolean;
  }
}

/** The cookie that holds the session's token. */
export const sessionCookie = "__Host-farthing";

/** The response to a request without a session, and to one whose session has ended. */
export const noSession = "Sign in with your wallet first: POST /v1/account/sign-in.";

/** The session of a request to a guarded route. */
export function sessionOf({ session }: FastifyRequest): RequestSession {
  if (!session) throw new HttpProblem("unauthorized", noSession);
  return session;
}
