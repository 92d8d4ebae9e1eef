/** Which vouchers are claimed now. */
import type { ChainId } from "@farthing/protocol";
import { claimAboveUnits, claimDueAt, unclaimedOf, type KeptVoucher } from "./model.ts";
import type { VoucherStore } from "./store.ts";

/** Channels that one look considers; what is left comes with the next one. */
const considerMax = 2_000;

/** Accounts that one look considers beside those, because of what they have gathered. */
const accountsMax = 20;

/** What a look considers. Whatever else is open, what has to be claimed first is among it. */
export async function listConsidered(
  store: Pick<VoucherStore, "listUnclaimed" | "listUnclaimedOf" | "listAccountsAtRisk">,
  chainId: ChainId,
  now: number,
): Promise<readonly KeptVoucher[]> {
  const first = await store.listUnclaimed(chainId, now, considerMax);
  if (first.length < considerMax) return first;
  const atRisk = await store.listAccountsAtRisk(chainId, claimAboveUnits, accountsMax);
  const page = { now, limit: considerMax };
  const more = await store.listUnclaimedOf(chainId, atRisk, page);
  return [...new Map([...first, ...more].map((row) => [row.channelId, row])).values()];
}

/**
 * All of an account whose sum is worth a claim, of which one has waited for long, or a payer withdraws: a
 * claim of many rows costs little more than of one.
 */
export function chooseDue(open: readonly KeptVoucher[], now: number): readonly KeptVoucher[] {
  const due: KeptVoucher[] = [];
  for (const rows of Map.groupBy(open, (row) => row.account).values()) {
    const sum = rows.reduce((total, row) => total + unclaimedOf(row), 0n);
    const isDue =
      sum >= claimAboveUnits ||
      rows.some((row) => row.withdrawRequestedAt > 0 || claimDueAt(row) <= now);
    if (isDue) due.push(...rows.filter((row) => unclaimedOf(row) > 0n));
  }
  return due;
}
