/**
 * Money over channels is revenue when the vault is told that it was charged: it is in the sums of the
 * day and the month of that moment, for its payer, and for the resources and routes that the seller says
 * it was for. Deposits, claims and refunds are not. Calls are not counted, since the vault knows totals
 * only.
 */
import { newestParts, toLowerHex } from "@farthing/protocol";
import type { Database } from "@farthing/engine/storage";
import { addUsageDays, dayOf } from "../history/participant.ts";
import { withBoundedNames } from "../revenue/bounded-names.ts";
import { addCustomers, addRevenueMonths, monthOf } from "../revenue/participant.ts";
import { addChannelChanges } from "./sums-store.ts";
import type { NewVoucher } from "./model.ts";

/** What was charged on a channel since the vault was told last. */
export type Charged = Pick<NewVoucher, "account" | "chainId" | "config" | "sold"> & {
  readonly units: bigint;
  /** What was found to be claimed when the voucher was checked, beyond what was known. */
  readonly newlyClaimed: bigint;
  /** What its claim costs the account. */
  readonly credits: number;
};

export async function countCharged(
  inside: Database,
  charged: readonly Charged[],
  now: number,
): Promise<void> {
  await addChannelChanges(
    inside,
    charged.map(({ units, newlyClaimed, ...row }) => ({
      ...row,
      charged: units,
      claimed: newlyClaimed,
    })),
    now,
  );
  await addUsageDays(
    inside,
    charged.map(({ account, chainId, units, credits }) => ({
      account: toLowerHex(account),
      day: dayOf(now),
      chain_id: chainId,
      outcome: "confirmed" as const,
      settlements: 0,
      units,
      credits,
    })),
  );
  const sold = charged.map(({ account, chainId, config, units }) => ({
    account,
    chainId,
    payer: config.payer,
    units,
    settlements: 0,
  }));
  const months = charged.flatMap((row) => monthsOf(row, monthOf(now)));
  await addRevenueMonths(inside, await withBoundedNames(inside, months));
  await addCustomers(
    inside,
    sold.map((row) => ({ ...row, firstAt: now, lastAt: now })),
  );
}

/**
 * A seller that was not answered hands its parts over again with newer ones, so only the newest count, up
 * to what is new of the total. What it does not name is in the sums of the payer alone.
 */
function monthsOf({ account, chainId, config, units, sold }: Charged, month: number) {
  const row = { account, chainId, month, settlements: 0 };
  const payer = { ...row, basis: "payer" as const, name: toLowerHex(config.payer), units };
  const named = newestParts(sold, units).flatMap((part) =>
    (["resource", "route"] as const).flatMap((basis) => {
      const name = part[basis];
      return name === undefined ? [] : [{ ...row, basis, name, units: part.units }];
    }),
  );
  return [payer, ...named];
}
