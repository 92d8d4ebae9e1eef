/**
 * How often one caller may ask: by account where a key was shown, else by address. Says in every
 * answer what is left (draft-ietf-httpapi-ratelimit-headers) and in a refusal when to come back.
 */
import { isIPv6 } from "node:net";
import type { Address } from "@farthing/protocol";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HttpProblem } from "./answer.ts";

/** Length of the window. Short, so that a caller who hit the limit is back soon. */
export const windowSeconds = 10;

/** Callers remembered at once; beyond it the oldest are forgotten, which only helps them. */
const callersMax = 10_000;

/** Counts a request of a caller; throws 429 when he has none left. */
export type Limit = (request: FastifyRequest, reply: FastifyReply, caller: string) => Promise<void>;

/** Counts a request, by the account where one is known, else by the address it comes from. */
export type Throttle = (
  request: FastifyRequest,
  reply: FastifyReply,
  caller: { readonly account: Address } | null,
) => Promise<void>;

/** How many requests in how long. */
export interface LimitTerms {
  readonly name: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
}

/** Makes limits; each counts for itself. */
export type MakeLimit = (terms: LimitTerms) => Limit;

/** Prepares a server for limits; if it is not to have any, all of them let everything pass. */
export async function prepareLimits(
  server: FastifyInstance,
  isLimited: boolean,
): Promise<MakeLimit> {
  if (!isLimited) return () => async () => undefined;
  await server.register(rateLimit, { global: false, cache: callersMax });
  return ({ name, requestsMax, windowSeconds: seconds }) => {
    const callers = new WeakMap<FastifyRequest, string>();
    const check = server.createRateLimit({
      max: requestsMax,
      timeWindow: seconds * 1000,
      keyGenerator: (request) => callers.get(request) ?? "",
    });
    return async (request, reply, caller) => {
      callers.set(request, caller);
      const limit = await check(request);
      if (limit.isAllowed) return;
      reply.header("RateLimit-Policy", `"${name}";q=${requestsMax};w=${seconds}`);
      reply.header("RateLimit", `"${name}";r=${limit.remaining};t=${limit.ttlInSeconds}`);
      if (limit.isExceeded) {
        throw new HttpProblem(
          "rate_limited",
          `More than ${requestsMax} requests in ${seconds} seconds; wait ${limit.ttlInSeconds} seconds.`,
          Math.max(1, limit.ttlInSeconds),
        );
      }
    };
  };
}

/**
 * How much more a seller with an API key may ask: a sale takes three or four requests, all of his
 * buyers come through him, and he is known and pays for what is settled.
 */
const keyedFactor = 10;

/** Creates the throttle of a server, for all of its routes together. */
export function createThrottle(makeLimit: MakeLimit, requestsMax: number): Throttle {
  const open = makeLimit({ name: "default", requestsMax, windowSeconds });
  const keyed = makeLimit({ name: "key", requestsMax: requestsMax * keyedFactor, windowSeconds });
  return (request, reply, caller) =>
    caller
      ? keyed(request, reply, `account:${caller.account}`)
      : open(request, reply, networkOf(request.ip));
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
