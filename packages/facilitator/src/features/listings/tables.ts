/** The tables of listings. */
import {
  decimal,
  integer,
  json,
  named,
  nullable,
  smallInteger,
  table,
  text,
  walletAddress,
  type KyselyTable,
  type Whole,
} from "@farthing/engine/storage";
import type { ChainId } from "@farthing/protocol";
import type { Selectable } from "kysely";
import type {
  CheckDay,
  CheckReason,
  ListingDifference,
  ListingMethod,
  ListingSample,
  ListingState,
  SeenChallenge,
} from "./model.ts";

export const ownColumns = table("listings", {
  id: text(),
  account: walletAddress(),
  seen: nullable(json<SeenChallenge>()),
  createdAt: integer(),
  updatedAt: integer(),
});

export const termColumns = table("listings", {
  resource: text(),
  method: text<ListingMethod>(),
  chainId: smallInteger<ChainId>(),
  amount: decimal(),
  title: text(),
  description: text(),
  tags: json<readonly string[]>(),
  mimeType: nullable(text()),
  sample: json<ListingSample>(),
});

export const checkColumns = table("listings", {
  state: text<ListingState>(),
  checkedAt: nullable(integer()),
  triedAt: nullable(integer()),
  passedAt: nullable(integer()),
  nextAt: integer(),
  failures: smallInteger(),
  reason: nullable(text<CheckReason>()),
  message: text(),
  differences: json<readonly ListingDifference[]>(),
  days: named("check_days", nullable(json<readonly CheckDay[]>())),
});

export const statColumns = table("listings", {
  settlements: named("settlements_30d", integer()),
  units: named("units_30d", decimal()),
  payers: named("payers_30d", integer()),
  lastSettledAt: nullable(integer()),
});

export type ListingTable = KyselyTable<typeof ownColumns> &
  KyselyTable<typeof termColumns> &
  KyselyTable<typeof checkColumns> &
  KyselyTable<typeof statColumns> & {
    /** Host and port of the resource. */
    host: string;
    search_text: string;
    lease_until: Whole;
    fence: Whole;
  };

/** A word of a public listing; searches match its beginning. */
export interface ListingWordTable {
  word: string;
  listing_id: string;
}

export type ListingRow = Selectable<ListingTable>;

declare module "@farthing/engine/storage" {
  interface Tables {
    listings: ListingTable;
    listing_words: ListingWordTable;
  }
}
