/**
 * Limits by account for callers with a key, otherwise by address. Every response has the remaining
 * requests (draft-ietf-httpapi-ratelimit-headers), and a refusal has the time to wait.
 */
import { networkOfAddress, type Address, type Refusal, type RefusalCode } from "@farthing/protocol";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "@farthing/engine/base";
import { HttpProblem } from "../messages/responses.ts";

/** The window is short, so that a limited caller can soon continue. */
export const windowSeconds = 10;

/** Beyond this number of callers the oldest counts are dropped, in the callers' favour. */
const maxCallers = 10_000;

/** Counts a request of a caller. Throws 429 beyond the limit. */
export type Limit = (request: FastifyRequest, reply: FastifyReply, caller: string) => Promise<void>;

/** Counts a request by account if there is one, otherwise by address. */
export type Throttle = (
  request: FastifyRequest,
  reply: FastifyReply,
  caller: { readonly account: Address } | null,
) => Promise<void>;

export interface LimitTerms {
  readonly name: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
  /** Refunded requests, which may exceed the limit. */
  readonly refunds?: Refunds;
}

/** Creates limits with separate counts. */
export type MakeLimit = (terms: LimitTerms) => Limit;

export interface RouteLimits {
  readonly throttle: Throttle;
  /** Has its own count, so that other requests cannot keep a seller from settling. */
  readonly settleThrottle: Throttle;
  readonly makeLimit: MakeLimit;
}

/** Prepares a server for limits; when they are off, every request passes. */
export async function prepareLimits(
  server: FastifyInstance,
  isLimited: boolean,
): Promise<MakeLimit> {
  if (!isLimited) return () => async () => undefined;
  await server.register(rateLimit, { global: false, cache: maxCallers });
  return ({ name, requestsMax, windowSeconds: seconds, refunds }) => {
    const callers = new WeakMap<FastifyRequest, string>();
    const check = server.createRateLimit({
      max: requestsMax,
      timeWindow: seconds * 1000,
      keyGenerator: (request) => callers.get(request) ?? "",
    });
    return async (request, reply, caller) => {
      callers.set(request, caller);
      const limit = await check(request);
      if (limit.isAllowed || (limit.isExceeded && refunds?.take(caller))) return;
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
 * Factor for sellers with an API key: a paid request takes three or four requests, all buyers of a
 * seller share the limit, and the seller is known and pays.
 */
const keyedFactor = 10;

/** Refunded requests that have not been used. */
export interface Refunds {
  add(caller: string): void;
  /** Uses one; false when there is none. */
  take(caller: string): boolean;
}

/** Refunds of requests with an API key; each ends with its request. */
const refundsOfRequests = new WeakMap<FastifyRequest, () => void>();

/** Refusals of payments that are free to create: a random signature, an empty wallet. */
const junkCodes: ReadonlySet<RefusalCode> = new Set([
  "invalid_signature",
  "wallet_not_deployed",
  "self_payment",
  "insufficient_funds",
]);

/**
 * Refunds a request when its payment was junk: buyers write payments, and a third party's junk must
 * not use up a seller's limit. Callers without a key get no refund.
 */
export function refundJunk(request: FastifyRequest, { code }: Refusal): void {
  if (junkCodes.has(code)) refundsOfRequests.get(request)?.();
}

/**
 * Counts refunds. A caller gets at most as many refunds in a window as the limit allows, so the
 * work for one key stays below twice its limit.
 */
function createRefunds(maxRefunds: number, clock: Clock): Refunds {
  const callers = new Map<string, { endsAtMs: number; added: number; left: number }>();

  function find(caller: string) {
    const found = callers.get(caller);
    if (found && found.endsAtMs > clock.nowMs()) return found;
    callers.delete(caller);
    return undefined;
  }

  return {
    add(caller) {
      let window = find(caller);
      if (!window) {
        window = { endsAtMs: clock.nowMs() + windowSeconds * 1000, added: 0, left: 0 };
        const [oldest] = callers.keys();
        if (callers.size >= maxCallers && oldest !== undefined) callers.delete(oldest);
        callers.set(caller, window);
      }
      if (window.added >= maxRefunds) return;
      window.added++;
      window.left++;
    },
    take(caller) {
      const window = find(caller);
      if (!window || window.left === 0) return false;
      window.left--;
      return true;
    },
  };
}

/** Has its own count, so that other requests cannot keep a seller from settling. */
export function createThrottle(
  makeLimit: MakeLimit,
  requestsMax: number,
  { clock, isForSettle }: { readonly clock: Clock; readonly isForSettle: boolean },
): Throttle {
  const maxKeyed = requestsMax * keyedFactor;
  const refunds = createRefunds(maxKeyed, clock);
  const [openName, keyedName] = isForSettle ? ["settle", "key-settle"] : ["default", "key"];
  const open = makeLimit({ name: openName, requestsMax, windowSeconds });
  const keyed = makeLimit({ name: keyedName, requestsMax: maxKeyed, windowSeconds, refunds });
  return (request, reply, caller) => {
    if (!caller) return open(request, reply, networkOfAddress(request.ip));
    const name = `account:${caller.account}`;
    refundsOfRequests.set(request, () => refunds.add(name));
    return keyed(request, reply, name);
  };
}
