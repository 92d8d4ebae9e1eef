/** Keeps the books of an account's settlements in the transaction that claims them. */
import type { Claim, Settlement } from "@farthing/engine";
import {
  createLocal,
  textList,
  unchanged,
  type AnnotationChanges,
  type ClaimDenial,
  type EngineTransaction,
  type PruneReview,
  type PruneTransaction,
  type SettlementParticipant,
} from "@farthing/engine/storage";
import { sql } from "kysely";
import type { SettlementBooks } from "../../payments/books.ts";
import { findBooks } from "./store.ts";
import { bookTable } from "./tables.ts";

/** The books of a batch's claims by id, which are stored once the claims are made. */
const booksOfClaims = createLocal(() => new Map<string, SettlementBooks>());

export const booksParticipant: SettlementParticipant = {
  name: "books",
  beforeClaim: noteBooks,
  onClaimed: storeBooks,
  beforePrune: exportBooks,
  async onPruned({ db, engine }, ids) {
    await sql`delete from settlement_books
      where settlement_id in (select given.of from ${textList(engine, ids)})`.execute(db);
  },
};

/** Denies nothing. */
async function noteBooks(
  tx: EngineTransaction,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, ClaimDenial>> {
  for (const { id, owner, terms } of claims) {
    const { books } = terms;
    if (owner && books) booksOfClaims(tx).set(id, books);
  }
  return new Map();
}

async function storeBooks(
  tx: EngineTransaction,
  created: readonly Settlement[],
): Promise<AnnotationChanges> {
  const rows = created.flatMap(({ id, owner, createdAt }) => {
    const books = booksOfClaims(tx).get(id);
    if (!books || !owner) return [];
    const isCounted = false;
    const { opens = null, ...values } = books;
    return [
      bookTable.write({ settlementId: id, account: owner, createdAt, isCounted, ...values, opens }),
    ];
  });
  if (rows.length === 0) return unchanged;
  const list = tx.engine.list(rows, bookTable.types);
  await tx.db
    .insertInto("settlement_books")
    .columns(bookTable.names)
    .expression(tx.db.selectFrom(list).select(bookTable.names))
    .execute();
  return unchanged;
}

async function exportBooks(tx: PruneTransaction, ids: readonly string[]): Promise<PruneReview> {
  const books = await findBooks(tx, ids);
  return { exported: new Map([...books].map(([id, kept]) => [id, { books: kept }])) };
}
