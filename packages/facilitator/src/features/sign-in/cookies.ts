/**
 * The two cookies. `__Host-` binds them to this host and to HTTPS (with an exception for loopback),
 * and scripts cannot read them.
 */
import type { CookieSerializeOptions } from "@fastify/cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sessionCookie } from "../../http/access/session.ts";
import { isToken } from "./sessions.ts";
import { signRequestMs } from "./sign-requests.ts";

/** Ties a sign-in to the browser that began it. */
export const signInCookie = "__Host-farthing-signin";

const attributes = {
  httpOnly: true,
  secure: true,
  sameSite: "lax",
  path: "/",
} as const satisfies CookieSerializeOptions;

/** Returns undefined when the cookie cannot hold a token. */
export function tokenOf(request: FastifyRequest, name: string): string | undefined {
  const text = request.cookies[name];
  return isToken(text) ? text : undefined;
}

export function setSessionCookie(reply: FastifyReply, token: string, lifetimeMs: number): void {
  reply.setCookie(sessionCookie, token, {
    ...attributes,
    maxAge: Math.floor(lifetimeMs / 1000),
  });
}

export function setSignInCookie(reply: FastifyReply, token: string): void {
  reply.setCookie(signInCookie, token, { ...attributes, maxAge: signRequestMs / 1000 });
}

export function clearCookie(reply: FastifyReply, name: string): void {
  reply.clearCookie(name, attributes);
}
