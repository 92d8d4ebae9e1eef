/**
 * How often one caller may ask: by account where a key was shown, else by address. Says in every
 * answer what is left (draft-ietf-httpapi-ratelimit-headers) and in a refusal when to come back.
 */
import { isIPv6 } from "node:net";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiKey } from "../model/api-key.ts";
import { HttpProblem } from "./answer.ts";

/** Length of the window. Short, so that a caller who hit the limit is back soon. */
export const windowSeconds = 10;

/** Callers remembered at once; beyond it the oldest are forgotten, which only helps them. */
const callersMax = 10_000;

/** Counts a request; throws 429 when the caller has none left. */
export type Throttle = (
  request: FastifyRequest,
  reply: FastifyReply,
  key: ApiKey | null,
) => Promise<void>;

/** Creates the throttle of a server; 0 lets everything pass. */
export async function createThrottle(
  server: FastifyInstance,
  requestsMax: number,
): Promise<Throttle> {
  if (requestsMax === 0) return async () => undefined;
  await server.register(rateLimit, { global: false, cache: callersMax });
  const callers = new WeakMap<FastifyRequest, string>();
  const check = server.createRateLimit({
    max: requestsMax,
    timeWindow: windowSeconds * 1000,
    keyGenerator: (request) => callers.get(request) ?? networkOf(request.ip),
  });
  return async (request, reply, key) => {
    if (key) callers.set(request, `account:${key.account}`);
    const limit = await check(request);
    if (limit.isAllowed) return;
    reply.header("RateLimit-Policy", `"default";q=${requestsMax};w=${windowSeconds}`);
    reply.header("RateLimit", `"default";r=${limit.remaining};t=${limit.ttlInSeconds}`);
    if (limit.isExceeded) {
      throw new HttpProblem(
        "rate_limited",
        `More than ${requestsMax} requests in ${windowSeconds} seconds; wait ${limit.ttlInSeconds} seconds.`,
        Math.max(1, limit.ttlInSeconds),
      );
    }
  };
}

/** An address as one caller: IPv6 by /64, since one connection usually has that many. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined || !isIPv6(ip)) return mapped ?? ip;
  const [head = "", tail] = ip.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: zeros }, () => "0"), ...right].slice(0, 4).join(":");
}
