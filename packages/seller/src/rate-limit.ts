/** How often a seller serves one payer: a token bucket for each, in bounded memory. */
import { isObject } from "@farthing/protocol";
import { ConfigurationError, parseInteger } from "./option-values.ts";

export interface RateLimit {
  /**
   * Requests of one payer in a minute, from 1 to 60,000. A payer can make as many at once, and after
   * that one each time a part of the minute has passed.
   */
  readonly perPayer: number;
  /** What has been counted, to be shared by several sellers; of this seller alone when absent. */
  readonly counts?: PayerCounts;
}

export type PayerCounts = ReturnType<typeof createPayerCounts>;

/** More than one payer can have served, and few enough that a count is no large number. */
const maxPerMinute = 60_000;

/**
 * About 16 MB. Beyond them the payer that was unseen for the longest time is forgotten and starts
 * anew. That many payers need that many wallets with money, because only valid payments count.
 */
const maxPayers = 100_000;

/** A request costs a minute, and each millisecond earns as many as there are requests in a minute. */
const minuteMs = 60_000;

/** Counts requests by payer. Nothing outlives the process. */
export function createPayerCounts({ max = maxPayers }: { readonly max?: number } = {}) {
  // In the order in which they were seen last. All numbers are whole, so that no fraction is lost.
  const payers = new Map<string, { readonly credit: number; readonly atMs: number }>();
  return {
    /**
     * Counts a request of a payer. Returns after how many milliseconds it can be made: 0 when it
     * was counted; otherwise nothing was.
     */
    take(payer: string, perMinute: number, nowMs: number): number {
      const name = payer.toLowerCase();
      const most = perMinute * minuteMs;
      const { credit: before, atMs } = payers.get(name) ?? { credit: most, atMs: nowMs };
      const earned = Math.max(0, nowMs - atMs) * perMinute;
      const credit = Math.min(most, before + earned);
      const isWithin = credit >= minuteMs;
      payers.delete(name);
      payers.set(name, { credit: isWithin ? credit - minuteMs : credit, atMs: nowMs });
      for (const oldest of payers.keys()) {
        if (payers.size <= max) break;
        payers.delete(oldest);
      }
      return isWithin ? 0 : Math.ceil((minuteMs - credit) / perMinute);
    },
  };
}

export function parseRateLimit(limit: RateLimit | undefined): Required<RateLimit> | undefined {
  if (limit === undefined) return undefined;
  if (!isObject(limit)) throw new ConfigurationError("rateLimit", "an object", "{ perPayer: 60 }");
  const { perPayer, counts = createPayerCounts() } = limit;
  return { perPayer: parseInteger("rateLimit.perPayer", perPayer, 0, 1, maxPerMinute), counts };
}
