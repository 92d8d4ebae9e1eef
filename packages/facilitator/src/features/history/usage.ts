/** Usage for every day (UTC) of a span, including days without settlements. */
import type { Address } from "@farthing/protocol";
import type { HistoryStore } from "./store.ts";
import type { UsageDay } from "./model.ts";

export const dayMs = 24 * 60 * 60 * 1000;

/** The most days of one response: a leap year. */
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
