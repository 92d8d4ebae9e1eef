/** The tables of listings. */
import type { Whole, WholeOrNull } from "@farthing/engine/storage";
import type { Address, ChainId } from "@farthing/protocol";
import type { Selectable } from "kysely";
import type { CheckReason, ListingMethod, ListingState } from "./model.ts";

export interface ListingTable {
  id: string;
  account: Address;
  resource: string;
  /** Host and port of the resource. */
  host: string;
  method: ListingMethod;
  chain_id: ChainId;
  amount: string;
  title: string;
  description: string;
  /** JSON: texts. */
  tags: string;
  mime_type: string | null;
  /** JSON. */
  sample: string;
  search_text: string;
  state: ListingState;
  checked_at: WholeOrNull;
  tried_at: WholeOrNull;
  passed_at: WholeOrNull;
  next_at: Whole;
  failures: number;
  reason: CheckReason | null;
  message: string;
  /** JSON: `[{ field, advertised, seen }]`. */
  differences: string;
  /** JSON: the challenge as it was seen last. */
  seen: string | null;
  lease_until: Whole;
  fence: Whole;
  settlements_30d: Whole;
  units_30d: string;
  payers_30d: Whole;
  last_settled_at: WholeOrNull;
  created_at: Whole;
  updated_at: Whole;
}

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
