/**
 * The two cookies. `__Host-` binds them to this host and to HTTPS (browsers make an exception for
 * loopback), and no script can read them.
 */
import type { CookieSerializeOptions } from "@fastify/cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sessionCookie } from "../../http/session.ts";
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

/** The token in one of the cookies; undefined when there is none that could be one. */
export function tokenOf(request: FastifyRequest, name: string): string | undefined {
  const text = request.cookies[name];
  return isToken(text) ? text : undefined;
}

/** Gives the browser its session. */
export function giveSession(reply: FastifyReply, token: string, lifetimeMs: number): void {
  reply.setCookie(sessionCookie, token, {
    ...attributes,
    maxAge: Math.floor(lifetimeMs / 1000),
  });
}

/** Gives the browser what ties it to the text that it asked for; for as long as that lives. */
export function giveSignIn(reply: FastifyReply, token: string): void {
  reply.setCookie(signInCookie, token, { ...attributes, maxAge: signRequestMs / 1000 });
}

/** Takes a cookie back. */
export function takeBack(reply: FastifyReply, name: string): void {
  reply.clearCookie(name, attributes);
}
