/** The tables of revenue: of an account's resources, routes and payers by the month of the claim, and of its customers. */
import type { ChainId } from "@farthing/protocol";
import {
  decimal,
  integer,
  smallInteger,
  table,
  text,
  walletAddress,
  type KyselyTable,
} from "@farthing/engine/storage";

/** What revenue is added up by. */
export const revenueBases = ["resource", "route", "payer"] as const;

export type RevenueBasis = (typeof revenueBases)[number];

/** Months are counted from year 0 in UTC. Units are those of confirmed settlements. */
export const revenueMonths = table("revenue_months", {
  account: walletAddress(),
  chainId: smallInteger<ChainId>(),
  basis: text<RevenueBasis>(),
  month: integer(),
  name: text(),
  settlements: integer(),
  units: decimal(),
});

/** Payers with confirmed settlements. Times are those of claims; a reorganisation leaves them. */
export const customers = table("customers", {
  account: walletAddress(),
  chainId: smallInteger<ChainId>(),
  payer: walletAddress(),
  settlements: integer(),
  units: decimal(),
  firstAt: integer(),
  lastAt: integer(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    revenue_months: KyselyTable<typeof revenueMonths>;
    customers: KyselyTable<typeof customers>;
  }
}
