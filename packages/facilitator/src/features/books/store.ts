/** The books of settlements: by settlement, and an account's by what they name. */
import { textList, type Database, type Paging, type TimeCursor } from "@farthing/engine/storage";
import { defined, saleKinds, toLowerHex, type Address } from "@farthing/protocol";
import { sql } from "kysely";
import type { SettlementBooks } from "../../payments/books.ts";

export type BookStore = ReturnType<typeof createBookStore>;

/** The most selective first: an index finds the settlements by one of them. */
const leads = ["reference", "resource", "route"] as const;

/** What a list of an account's settlements may be narrowed by. */
export type BookFilter = { readonly [Name in (typeof leads)[number]]?: string | undefined };

export function createBookStore(database: Database) {
  return {
    /** The books of settlements by id; those without any are left out. */
    findBooks: findBooks.bind(undefined, database),
  };
}

export async function findBooks(
  { db, engine }: Pick<Database, "db" | "engine">,
  ids: readonly string[],
): Promise<Map<string, SettlementBooks>> {
  if (ids.length === 0) return new Map();
  const list = textList(engine, ids);
  const rows = await db
    .selectFrom("settlement_books")
    .selectAll()
    .where("settlement_id", "in", db.selectFrom(list).select("given.of"))
    .execute();
  return new Map(
    rows.map(({ settlement_id: id, resource, route, reference, opens: kept }) => {
      const opens = saleKinds.find((kind) => kind === kept);
      return [id, { resource, route, reference, ...defined({ opens }) }];
    }),
  );
}

export function isBookFilter(filter: BookFilter): boolean {
  return leads.some((name) => filter[name] !== undefined);
}

/** Ids of an account's settlements by the leading name of the filter, the newest first. */
export async function listBooked(
  { db }: Database,
  account: Address,
  filter: BookFilter & {
    readonly since?: number | undefined;
    readonly before?: number | undefined;
  },
  { from, limit }: Paging<TimeCursor>,
): Promise<string[]> {
  const lead = leads.find((name) => filter[name] !== undefined) ?? "reference";
  const { since, before } = filter;
  let query = db
    .selectFrom("settlement_books")
    .select("settlement_id")
    .where("account", "=", toLowerHex(account))
    .where(lead, "=", filter[lead] ?? "")
    .orderBy("created_at", "desc")
    .orderBy("settlement_id", "desc")
    .limit(limit);
  if (since !== undefined) query = query.where("created_at", ">=", since);
  if (before !== undefined) query = query.where("created_at", "<", before);
  if (from) {
    query = query.where(
      sql<boolean>`(created_at, settlement_id) <= (${from.createdAt}, ${from.id})`,
    );
  }
  return (await query.execute()).map(({ settlement_id: id }) => id);
}

/** Whether a settlement's books have everything that the filter names. */
export function isBookedAs(books: SettlementBooks | undefined, filter: BookFilter): boolean {
  return leads.every((name) => filter[name] === undefined || books?.[name] === filter[name]);
}
