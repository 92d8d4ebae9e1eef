/** What an address may do without a payment, and how often it may ask. */
import type { RouteConfig } from "./configuration/configuration.ts";
import { createCallerCounts } from "./caller-counts.ts";
import { errorResponse } from "./error-response.ts";
import { paymentHeaders, tokenHeaders } from "./headers/header-rules.ts";
import type { Incoming } from "./incoming.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export type RequestLimits = ReturnType<typeof createRequestLimits>;

/** Counts survive a reload of the configuration. */
export function createRequestLimits(nowMs?: () => number) {
  const options = nowMs ? { nowMs } : {};
  const minutes = createCallerCounts(minuteMs, options);
  const days = createCallerCounts(dayMs, options);
  return {
    /** The refusal for an address that asks too often. */
    refuse({ addresses: [address = ""] }: Incoming, perMinute: number | undefined) {
      if (perMinute === undefined) return undefined;
      const { isWithin, endsInMs } = minutes.take("", address, perMinute);
      if (isWithin) return undefined;
      const message = `This gateway takes ${perMinute} requests a minute from one address.`;
      const retryAfterSeconds = Math.ceil(endsInMs / 1000);
      return errorResponse(429, "rate_limited", message, { retryAfterSeconds });
    },
    /** Whether a paid route serves this request without a payment; if so, it is counted. */
    takeFree({ method, headers, addresses: [address = ""] }: Incoming, route: RouteConfig) {
      const { freeRequests, host = "", name } = route;
      // HEAD asks for the price, and who shows a payment or a token wants to use it.
      if (freeRequests === undefined || method === "HEAD") return false;
      const isPaying = [...paymentHeaders, ...tokenHeaders].some((one) => one in headers);
      return !isPaying && days.take(`${host} ${name}`, address, freeRequests).isWithin;
    },
  };
}
