/** The history of accounts: settlements, their transactions, and usage by day. */
import {
  type Page,
  type Paging,
  type TimeCursor,
  type Database,
  listed,
  settlements,
  fromCursor,
  hasMonths,
  textList,
  toPage,
} from "@farthing/engine/storage";
import { networks, toLowerHex, type Address, type Hex } from "@farthing/protocol";
import { sql } from "kysely";
import { findBooks, isBookedAs, isBookFilter, listBooked } from "../books/store.ts";
import type { CarriedBy, HistoryFilter } from "./model.ts";
import { type Settlement, settlementStates } from "@farthing/engine";
import { carrierColumns } from "./tables.ts";
import { forgetSales, listUsage, readListingStats, sumUsage } from "./usage-store.ts";

/** A settlement belongs to the account of its key. */
export type HistoryStore = ReturnType<typeof createHistoryStore>;

export function createHistoryStore(database: Database) {
  return {
    /** Newest first. */
    listAccountSettlements: listAccountSettlements.bind(undefined, database),
    /** Oldest first, each with the number of its settlements. */
    listCarriers: listCarriers.bind(undefined, database),
    recordGas: recordGas.bind(undefined, database),
    /** Days with settlements, oldest first, from `since` to before `before`. */
    listUsage: listUsage.bind(undefined, database),
    sumUsage: sumUsage.bind(undefined, database),
    readListingStats: readListingStats.bind(undefined, database),
    forgetSales: forgetSales.bind(undefined, database),
  };
}

/**
 * Bounds the rows that one page reads where one filter selects by index and the others narrow it
 * down: a rare state among a payer's many payments must not read all of these.
 */
const examinedMax = 1_000;

/** Splits the filter into the part with an index of its own and the rest. */
function splitFilter(filter: HistoryFilter): {
  readonly lead: HistoryFilter;
  readonly rest: HistoryFilter;
} {
  const { transaction, payer, keyId, state, chainId } = filter;
  // One transaction carries at most a batch of settlements.
  if (transaction !== undefined) return { lead: { transaction }, rest: filter };
  if (payer !== undefined) return { lead: { payer }, rest: { keyId, state, chainId } };
  if (keyId !== undefined) return { lead: { keyId }, rest: { state, chainId } };
  return { lead: { state, chainId }, rest: {} };
}

async function listAccountSettlements(
  database: Database,
  account: Address,
  filter: HistoryFilter,
  { from, limit }: Paging<TimeCursor>,
): Promise<Page<Settlement, TimeCursor>> {
  if (isBookFilter(filter))
    return listBookedSettlements(database, account, filter, { from, limit });
  const { lead, rest } = splitFilter(filter);
  const { since, before } = filter;
  const page = (query: HistoryQuery, count: number) => {
    let part = query
      .where("settlements.account", "=", toLowerHex(account))
      .where(fromCursor(from))
      // Ordered by the history's index only where that leads; SQLite would otherwise read all of
      // it.
      .orderBy(lead.transaction === undefined ? "created_at" : sql`+created_at`, "desc")
      .orderBy("id", "desc")
      .limit(count);
    if (since !== undefined) part = part.where("created_at", ">=", since);
    if (before !== undefined) part = part.where("created_at", "<", before);
    return part;
  };
  if (lead.state !== undefined || lead.chainId !== undefined) {
    const parts = await Promise.all(
      combinationsOf(lead).map((part) =>
        listed(page(narrowed(settlements(database), part), limit + 1)),
      ),
    );
    return toPage(parts.flat().toSorted(newestFirst), limit);
  }
  const isNarrowed = Object.values(rest).some((value) => value !== undefined);
  const count = isNarrowed ? examinedMax + 1 : limit + 1;
  const found = await listed(page(narrowed(settlements(database), lead), count));
  if (!isNarrowed) return toPage(found, limit);
  const fitting = found.slice(0, examinedMax).filter((settlement) => fits(settlement, rest));
  // A page with few matches ends early; the next one continues behind the rows that were read.
  const looked = toPage(found, examinedMax);
  return fitting.length > limit ? toPage(fitting, limit) : { items: fitting, next: looked.next };
}

/** Found by one name of the books; the rest of the filter narrows a bounded page. */
async function listBookedSettlements(
  database: Database,
  account: Address,
  filter: HistoryFilter,
  { from, limit }: Paging<TimeCursor>,
): Promise<Page<Settlement, TimeCursor>> {
  const { since: _since, before: _before, ...names } = filter;
  const isNarrowed = Object.values(names).filter((value) => value !== undefined).length > 1;
  const examined = isNarrowed ? examinedMax : limit;
  const ids = await listBooked(database, account, filter, { from, limit: examined + 1 });
  const list = textList(database.engine, ids);
  const chosen = settlements(database).where(
    "id",
    "in",
    database.db.selectFrom(list).select("given.of"),
  );
  const found = (await listed(chosen)).toSorted(newestFirst);
  const looked = toPage(found, examined);
  const books = await findBooks(
    database,
    looked.items.map(({ id }) => id),
  );
  const { transaction } = filter;
  const fitting = looked.items.filter(
    (settlement) =>
      fits(settlement, filter) &&
      isBookedAs(books.get(settlement.id), filter) &&
      (transaction === undefined || settlement.transaction === transaction),
  );
  return fitting.length > limit ? toPage(fitting, limit) : { items: fitting, next: looked.next };
}

type HistoryQuery = ReturnType<typeof settlements>;

function narrowed(
  query: HistoryQuery,
  { state, payer, keyId, chainId, transaction }: HistoryFilter,
): HistoryQuery {
  let part = query;
  if (state !== undefined) part = part.where("state", "=", state);
  if (payer !== undefined) part = part.where("payer", "=", toLowerHex(payer));
  if (keyId !== undefined) part = part.where("key_id", "=", keyId);
  if (chainId !== undefined) part = part.where("chain_id", "=", chainId);
  if (transaction !== undefined) {
    part = part.where("transaction_hash", "=", toLowerHex(transaction));
  }
  return part;
}

/** Every combination of state and network is a list of its own in the index. */
function combinationsOf({ state, chainId }: HistoryFilter): HistoryFilter[] {
  const states = state === undefined ? settlementStates : [state];
  const chainIds = chainId === undefined ? networks.map((network) => network.chainId) : [chainId];
  return chainIds.flatMap((chain) => states.map((one) => ({ chainId: chain, state: one })));
}

function fits(settlement: Settlement, { state, payer, keyId, chainId }: HistoryFilter): boolean {
  return (
    (state === undefined || settlement.state === state) &&
    (payer === undefined || toLowerHex(settlement.payer) === toLowerHex(payer)) &&
    (keyId === undefined || settlement.keyId === keyId) &&
    (chainId === undefined || settlement.chainId === chainId)
  );
}

function newestFirst(one: Settlement, other: Settlement): number {
  return other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1);
}

/**
 * How much earlier a transaction may seem than the claim of its settlement, in milliseconds: the clocks
 * of two processes. It spares months before the claim.
 */
const clockMarginMs = 60 * 60_000;

async function listCarriers(
  { db }: Database,
  { id, createdAt }: Pick<Settlement, "id" | "createdAt">,
): Promise<CarriedBy[]> {
  const rows = await db
    .selectFrom("transaction_settlements as link")
    .innerJoin("all_transactions as carrier", "carrier.id", "link.transaction_id")
    .select(carrierColumns.names.map((name) => `carrier.${name}` as const))
    .select(({ selectFrom }) =>
      selectFrom("transaction_settlements as other")
        .select(({ fn }) => fn.countAll<number | string>().as("count"))
        .whereRef("other.transaction_id", "=", "carrier.id")
        .as("settlements"),
    )
    .where("link.settlement_id", "=", id)
    .where("carrier.created_at", ">=", createdAt - clockMarginMs)
    .orderBy("carrier.id")
    .execute();
  return rows.map((row) => ({
    ...carrierColumns.read(row),
    settlements: Number(row.settlements),
  }));
}

async function recordGas(
  database: Database,
  receipts: readonly { readonly hash: Hex; readonly gasUsed: number; readonly gasPrice: bigint }[],
): Promise<void> {
  if (receipts.length === 0) return;
  const { db, engine } = database;
  const list = engine.list(
    receipts.map(({ hash, gasUsed, gasPrice }) => ({
      given_hash: toLowerHex(hash),
      used: gasUsed,
      paid: gasPrice.toString(),
    })),
    { given_hash: "text", used: "bigint", paid: "text" },
  );
  const record = (table: "relayer_transactions" | "closed_transactions") =>
    db
      .updateTable(table)
      .from(list)
      .set(({ ref }) => ({ gas_used: ref("given.used"), gas_price_paid: ref("given.paid") }))
      .whereRef(`${table}.hash`, "=", "given.given_hash")
      .executeTakeFirst();
  const { numUpdatedRows } = await record("relayer_transactions");
  if (numUpdatedRows < receipts.length && hasMonths(database)) await record("closed_transactions");
}
