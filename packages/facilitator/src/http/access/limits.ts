/**
 * Limits by account for callers with a key, otherwise by address. Every response has the remaining
 * requests (draft-ietf-httpapi-ratelimit-headers), and a refusal has the time to wait.
 */
import {
  networkOfAddress,
  type Address,
  type ChannelCode,
  type ChannelRefusal,
  type Refusal,
  type RefusalCode,
} from "@farthing/protocol";
import type { Clock } from "@farthing/engine/base";
import { HttpProblem } from "../messages/responses.ts";
import type { CallerRequest, ResponseHead } from "./caller.ts";

/** The window is short, so that a limited caller can soon continue. */
export const windowSeconds = 10;

/** Beyond this number of callers the oldest counts are dropped, in the callers' favour. */
const maxCallers = 10_000;

/** Counts a request of a caller. Throws 429 beyond the limit. */
export type Limit = (request: CallerRequest, head: ResponseHead, caller: string) => Promise<void>;

/** Counts a request by account if there is one, otherwise by address. */
export type Throttle = (
  request: CallerRequest,
  head: ResponseHead,
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

/** Creates the maker of limits; when they are off, every request passes. */
export function prepareLimits(clock: Clock, isLimited: boolean): MakeLimit {
  if (!isLimited) return () => async () => undefined;
  return ({ name, requestsMax, windowSeconds: seconds, refunds }) => {
    const count = createCounts(seconds * 1000, clock);
    return async (_request, head, caller) => {
      const { requests, leftMs } = count(caller);
      const isExceeded = requests > requestsMax;
      if (isExceeded && refunds?.take(caller)) return;
      const leftSeconds = Math.ceil(leftMs / 1000);
      const remaining = Math.max(0, requestsMax - requests);
      head.header("RateLimit-Policy", `"${name}";q=${requestsMax};w=${seconds}`);
      head.header("RateLimit", `"${name}";r=${remaining};t=${leftSeconds}`);
      if (isExceeded) {
        throw new HttpProblem(
          "rate_limited",
          `More than ${requestsMax} requests in ${seconds} seconds; wait ${leftSeconds} seconds.`,
          Math.max(1, leftSeconds),
        );
      }
    };
  };
}

/** Counts the requests of each caller in windows that begin with the first request. */
function createCounts(windowMs: number, clock: Clock) {
  const callers = new Map<string, { requests: number; readonly startedMs: number }>();
  return (caller: string): { readonly requests: number; readonly leftMs: number } => {
    const now = clock.nowMs();
    let window = callers.get(caller);
    if (window && window.startedMs + windowMs > now) window.requests++;
    else window = { requests: 1, startedMs: now };
    // The caller becomes the newest, and the one that has asked for the longest time is dropped.
    callers.delete(caller);
    callers.set(caller, window);
    const [oldest] = callers.size > maxCallers ? callers.keys() : [];
    if (oldest !== undefined) callers.delete(oldest);
    return { requests: window.requests, leftMs: window.startedMs + windowMs - now };
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
const refundsOfRequests = new WeakMap<CallerRequest, () => void>();

/** Refusals of payments that are free to create: a random signature, an empty wallet. */
const junkCodes: ReadonlySet<RefusalCode | ChannelCode> = new Set<RefusalCode | ChannelCode>([
  "invalid_signature",
  "wallet_not_deployed",
  "self_payment",
  "insufficient_funds",
  // Of channels: one without a deposit, or a deposit that nobody has signed or can pay.
  "channel_not_found",
  "voucher_signature",
  "receive_authorization_signature",
  "insufficient_balance",
]);

/**
 * Refunds a request when its payment was junk: buyers write payments, and a third party's junk must
 * not use up a seller's limit. Callers without a key get no refund.
 */
export function refundJunk(
  request: CallerRequest,
  { code }: Pick<Refusal | ChannelRefusal, "code">,
): void {
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
  return (request, head, caller) => {
    if (!caller) return open(request, head, networkOfAddress(request.ip));
    const name = `account:${caller.account}`;
    refundsOfRequests.set(request, () => refunds.add(name));
    return keyed(request, head, name);
  };
}
