/** Usage per day, in UTC: every day of a span, also those on which nothing happened. */
import type { Address } from "@farthing/protocol";
import type { HistoryStore } from "./store.ts";
import type { UsageDay } from "./model.ts";

/** A day; days are counted from 1970-01-01 in UTC. */
export const dayMs = 24 * 60 * 60 * 1000;

/** Days of one answer: a year, a leap day included. */
export const usageDaysMax = 366;

/** Lists the days from `firstDay` to `lastDay`, both included, oldest first. */
export async function listUsageDays(
  store: Pick<HistoryStore, "listUsage">,
  account: Address,
  { firstDay, lastDay }: { readonly firstDay: number; readonly lastDay: number },
): Promise<UsageDay[]> {
  const times = { since: firstDay * dayMs, before: (lastDay + 1) * dayMs };
  const known = new Map((await store.listUsage(account, times)).map((one) => [one.day, one]));
  const count = Math.max(0, lastDay - firstDay + 1);
  return Array.from({ length: count }, (_, index) => {
    const day = firstDay + index;
    return known.get(day) ?? { day, ...nothing };
  });
}

const nothing = { settled: 0, failed: 0, pending: 0, units: 0n, credits: 0 };
