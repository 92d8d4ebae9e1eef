/** The balance and the ledger of an account. */
import { Type } from "typebox";
import { timeText } from "@farthing/engine/base";
import { creditEntryKinds, type LedgerCursor } from "./model.ts";
import type { CreditEntry } from "./tables.ts";
import type { BookStore } from "../books/store.ts";
import { noBooks, type SettlementBooks } from "../../payments/books.ts";
import type { CreditStore } from "./store.ts";
import {
  AddressText,
  AmountText,
  Cursor,
  exactly,
  Limit,
  nullable,
  oneOf,
  pageOf,
  TimeText,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { Format, jsonOrCsv, sendCsv, wantsCsv, type CsvFile } from "../../http/messages/csv.ts";
import { readLimit } from "../../http/messages/cursor.ts";
import { ledgerCursor } from "./cursor.ts";
import { sessionOf } from "../../http/access/session.ts";
import { BalanceResponse, FeeSinceText, type ProfileDeps } from "../accounts/routes.ts";

export const EntryResponse = exactly({
  id: Type.Integer(),
  kind: oneOf(
    creditEntryKinds,
    "`hold` when a settlement is claimed, `charge` when it is confirmed, `release` when it failed, `reopen` when its block was reorganised away",
  ),
  credits: Type.Integer({ description: "Added to what is available; negative when it takes" }),
  balanceAfter: Type.Integer(),
  settlementId: nullable(Type.String()),
  cost: nullable(
    Type.Integer({
      description:
        "Credits that its settlement costs, which a failed one gets back; null without a settlement",
    }),
  ),
  resource: nullable(Type.String({ description: "What its settlement paid for" })),
  route: nullable(Type.String({ description: "The seller's name of that" })),
  reference: nullable(Type.String({ description: "The seller's own name of the sale" })),
  purchaseId: nullable(Type.String()),
  note: nullable(Type.String()),
  createdAt: TimeText,
});

export const CreditsResponse = exactly({
  ...BalanceResponse,
  perSettlement: Type.Integer({ description: "Credits that a settlement costs" }),
  perSettlementSince: FeeSinceText,
  freePerMonth: Type.Integer({
    description: "Added with the first settlement of each calendar month, in UTC",
  }),
  treasury: nullable(AddressText),
  minUnits: AmountText,
  reviewAboveUnits: AmountText,
});

/** An entry with what the books keep of its settlement. */
type BookedEntry = CreditEntry & SettlementBooks;

const ledgerFile: CsvFile<BookedEntry> = {
  name: "credits",
  columns: {
    id: ({ id }) => id,
    created_at: ({ createdAt }) => timeText(createdAt),
    kind: ({ kind }) => kind,
    credits: ({ credits }) => credits,
    balance_after: ({ balanceAfter }) => balanceAfter,
    settlement_id: ({ settlementId }) => settlementId,
    purchase_id: ({ purchaseId }) => purchaseId,
    note: ({ note }) => note,
    cost: ({ cost }) => cost,
    resource: ({ resource }) => resource,
    route: ({ route }) => route,
    reference: ({ reference }) => reference,
  },
};

export interface CreditTerms {
  /** In USDC base units. */
  readonly minUnits: bigint;
  /** The operator reviews larger purchases. USDC base units. */
  readonly reviewAboveUnits: bigint;
  /** The operator's contact address; null when it is not configured. */
  readonly contact: string | null;
}

export interface CreditRouteDeps extends Pick<
  ProfileDeps,
  "accounts" | "treasury" | "fee" | "feeSince"
> {
  readonly store: Pick<CreditStore, "findCredits" | "listCreditEntries"> &
    Pick<BookStore, "findBooks">;
  readonly creditTerms: CreditTerms;
  /** Credits of each calendar month. */
  readonly freeCredits: number;
}

export function registerCredits(server: TypedServer, deps: CreditRouteDeps): void {
  const { store, accounts, creditTerms } = deps;
  server.get("/v1/account/credits", {
    config: { permission: "read" },
    schema: {
      operationId: "readCredits",
      tags: ["Credits"],
      summary: "Read the credits",
      description: "1 credit is 0.001 USDC.",
      response: { 200: CreditsResponse, ...readProblems() },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      const [credits, { lowCreditsAt }] = await Promise.all([
        store.findCredits(account),
        accounts.find(account),
      ]);
      return {
        ...credits,
        lowAt: lowCreditsAt,
        perSettlement: deps.fee(),
        perSettlementSince: timeText(deps.feeSince()),
        freePerMonth: deps.freeCredits,
        treasury: deps.treasury ?? null,
        minUnits: creditTerms.minUnits.toString(),
        reviewAboveUnits: creditTerms.reviewAboveUnits.toString(),
      };
    },
  });
  server.get("/v1/account/credits/ledger", {
    config: { permission: "read" },
    schema: {
      operationId: "listLedger",
      tags: ["Credits"],
      summary: "List ledger entries",
      querystring: exactly({ cursor: Cursor, limit: Limit, format: Format }),
      response: { 200: jsonOrCsv(pageOf("entries", EntryResponse)), ...readProblems() },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      if (wantsCsv(request)) {
        return sendCsv<BookedEntry, LedgerCursor>(reply, ledgerFile, async (paging) => {
          const page = await store.listCreditEntries(account, paging);
          return { ...page, items: await booked(store, page.items) };
        });
      }
      const { cursor, limit } = request.query;
      const paging = { from: ledgerCursor.read(cursor), limit: readLimit(limit) };
      const { items, next } = await store.listCreditEntries(account, paging);
      const entries = (await booked(store, items)).map(entryResponse);
      return { entries, next: ledgerCursor.write(next) };
    },
  });
}

async function booked(
  store: Pick<BookStore, "findBooks">,
  entries: readonly CreditEntry[],
): Promise<BookedEntry[]> {
  const books = await store.findBooks(entries.flatMap(({ settlementId: id }) => id ?? []));
  return entries.map((entry) => ({ ...entry, ...noBooks, ...books.get(entry.settlementId ?? "") }));
}

function entryResponse(entry: BookedEntry) {
  const { id, kind, credits, balanceAfter, settlementId, purchaseId, note, cost } = entry;
  const { resource, route, reference } = entry;
  const createdAt = timeText(entry.createdAt) ?? "";
  const sold = { cost, resource, route, reference };
  return { id, kind, credits, balanceAfter, settlementId, ...sold, purchaseId, note, createdAt };
}
