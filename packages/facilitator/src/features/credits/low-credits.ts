/** Tells accounts that their credits have fallen below the threshold that they have set. */
import type { Database } from "@farthing/engine/storage";
import type { Address } from "@farthing/protocol";
import { putIntoOutbox } from "../webhooks/participant.ts";
import type { Funds } from "./funds-store.ts";

/** `funds`: what was available before; `spent`: what was taken of it, by account in lower case. */
export async function tellLowCredits(
  database: Database,
  funds: Funds,
  spent: ReadonlyMap<Address, number>,
  now: number,
): Promise<void> {
  const low = [...spent].flatMap(([account, credits]) => {
    const { available = 0, lowCreditsAt = null } = funds.get(account) ?? {};
    const left = available - credits;
    // Only an account that crosses the threshold is notified, not every one below it.
    if (lowCreditsAt === null || available < lowCreditsAt || left >= lowCreditsAt) return [];
    return [
      { account, type: "credits.low" as const, data: { available: left, lowAt: lowCreditsAt } },
    ];
  });
  await putIntoOutbox(database, low, now);
}
