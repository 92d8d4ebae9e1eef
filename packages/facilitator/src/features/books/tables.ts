/** The table of what books keep of settlements. */
import {
  flag,
  integer,
  nullable,
  table,
  text,
  walletAddress,
  type KyselyTable,
} from "@farthing/engine/storage";

export const bookTable = table("settlement_books", {
  settlementId: text(),
  account: walletAddress(),
  createdAt: integer(),
  resource: nullable(text()),
  route: nullable(text()),
  reference: nullable(text()),
  opens: nullable(text()),
  /** Whether the settlement is in the sums of revenue. */
  isCounted: flag(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    settlement_books: KyselyTable<typeof bookTable>;
  }
}
