/** The balance and the ledger of an account. */
import { Type } from "typebox";
import { timeText } from "@farthing/engine/base";
import { creditEntryKinds, type LedgerCursor } from "./model.ts";
import type { CreditEntry } from "./tables.ts";
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

const ledgerFile: CsvFile<CreditEntry> = {
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
  readonly store: Pick<CreditStore, "findCredits" | "listCreditEntries">;
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
        return sendCsv<CreditEntry, LedgerCursor>(reply, ledgerFile, (paging) =>
          store.listCreditEntries(account, paging),
        );
      }
      const { cursor, limit } = request.query;
      const paging = { from: ledgerCursor.read(cursor), limit: readLimit(limit) };
      const { items, next } = await store.listCreditEntries(account, paging);
      return { entries: items.map(entryResponse), next: ledgerCursor.write(next) };
    },
  });
}

function entryResponse(entry: CreditEntry) {
  const { id, kind, credits, balanceAfter, settlementId, purchaseId, note } = entry;
  const createdAt = timeText(entry.createdAt) ?? "";
  return { id, kind, credits, balanceAfter, settlementId, purchaseId, note, createdAt };
}
