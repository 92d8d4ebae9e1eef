/** The settlements of an account: a list with filters, and each settlement with its history. */
import type { TimeCursor } from "@farthing/engine/storage";
import {
  defined,
  bookedResourceCharsMax,
  bookedRouteCharsMax,
  networkOfChain,
  referenceCharsMax,
  type RefusalCode,
} from "@farthing/protocol";
import { Type, type Static } from "typebox";
import type { History, SettlementStory, StoryStep } from "./service.ts";
import { creditsOf, type Settlement, type Waiters } from "@farthing/engine";
import { timeText } from "@farthing/engine/base";
import { linkTo, type Explorers } from "../../http/site/explorers.ts";
import type { HistoryFilter } from "./model.ts";
import { readOneNetwork } from "./one-network.ts";
import type { BookStore } from "../books/store.ts";
import type { HistoryStore } from "./store.ts";
import { noBooks, type SettlementBooks } from "../../payments/books.ts";
import { found } from "../../http/messages/responses.ts";
import { refundMembersOf } from "../../http/messages/settlement-response.ts";
import { parseWait } from "../../http/messages/prefer.ts";
import type { RefundContext } from "../../payments/refunds.ts";
import { RecoveredAt, refundMembers, SaleKindText } from "../../payments/schemas.ts";
import {
  AddressText,
  AmountText,
  Cursor,
  exactly,
  AddressInput,
  HashText,
  LogIndex,
  Limit,
  nullable,
  oneOf,
  pageOf,
  TimeText,
  Wait,
  KeyId,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { Format, jsonOrCsv, sendCsv, wantsCsv, type CsvFile } from "../../http/messages/csv.ts";
import { readLimit, timeCursor } from "../../http/messages/cursor.ts";
import { readAddress } from "../../http/messages/address-input.ts";
import { sessionOf } from "../../http/access/session.ts";
import { DayOrTime, readFrom, readTo } from "../../http/messages/time-span.ts";

const StateText = oneOf(["queued", "submitted", "confirmed", "failed"]);

const row = {
  id: Type.String(),
  state: StateText,
  network: Type.String({ description: "CAIP-2" }),
  payer: AddressText,
  payTo: AddressText,
  amount: AmountText,
  transaction: nullable(HashText),
  keyId: nullable(Type.String()),
  credits: Type.Integer({ description: "Held or charged for it; 0 when it failed" }),
  createdAt: TimeText,
  confirmedAt: nullable(TimeText),
  finalizedAt: nullable(TimeText),
  failure: nullable(Type.String({ description: "The refusal's code" })),
  resource: nullable(Type.String({ description: "What was paid for: scheme, host and path" })),
  route: nullable(Type.String({ description: "The seller's name of it" })),
  reference: nullable(Type.String({ description: "The seller's own name of the sale" })),
  refundOf: refundMembers.refundOf,
  recoveredAt: RecoveredAt,
};

export const RowResponse = exactly(row);

export const StoryResponse = exactly({
  ...row,
  ...refundMembers,
  opens: Type.Optional(SaleKindText),
  asset: AddressText,
  nonce: HashText,
  timeline: Type.Array(
    exactly({
      what: oneOf([
        "queued",
        "recovered",
        "submitted",
        "transaction",
        "confirmed",
        "finalized",
        "failed",
      ]),
      at: TimeText,
      transaction: Type.Optional(nullable(HashText)),
      nonce: Type.Optional(nullable(Type.Integer())),
      gasPriceWei: Type.Optional(nullable(Type.String())),
    }),
  ),
  gasUsed: nullable(Type.Integer({ description: "Its share of the transaction, once final" })),
  gasPaidWei: nullable(Type.String({ description: "Paid by the facilitator" })),
  sharedBy: nullable(Type.Integer({ description: "Payments that its transaction carried" })),
  blockNumber: nullable(Type.Integer()),
  logIndex: nullable(LogIndex),
  settledBy: nullable(oneOf(["relayer", "other"])),
  requestId: nullable(Type.String()),
  failureMessage: nullable(Type.String()),
  nextStep: nullable(Type.String({ description: "What to do about a failure" })),
  explorer: nullable(Type.String({ format: "uri" })),
});

/** A settlement with what its books keep. */
type BookedSettlement = Settlement & SettlementBooks;

const settlementsFile: CsvFile<BookedSettlement> = {
  name: "settlements",
  columns: {
    id: ({ id }) => id,
    created_at: ({ createdAt }) => timeText(createdAt),
    state: ({ state }) => state,
    network: ({ chainId }) => networkOfChain(chainId).id,
    payer: ({ payer }) => payer,
    pay_to: ({ payTo }) => payTo,
    amount: ({ amount }) => amount.toString(),
    credits: creditsOf,
    transaction: ({ transaction }) => transaction,
    block: ({ blockNumber }) => blockNumber,
    log_index: ({ logIndex }) => logIndex,
    confirmed_at: ({ confirmedAt }) => timeText(confirmedAt),
    finalized_at: ({ finalizedAt }) => timeText(finalizedAt),
    failure: ({ failure }) => failure,
    key_id: ({ keyId }) => keyId,
    request_id: ({ requestId }) => requestId,
    resource: ({ resource }) => resource,
    route: ({ route }) => route,
    reference: ({ reference }) => reference,
    refund_of: ({ refundOf }) => refundOf,
    recovered_at: ({ recoveredAt: at }) => timeText(at),
  },
};

const path = "/v1/account/settlements";

const NetworkQuery = Type.Optional(
  Type.String({ maxLength: 32, description: "`eip155:50` or its name" }),
);

/** What books keep, see `isBookText`. */
const printable = { pattern: "^[ -~]+$" };

const FilterQuery = exactly({
  state: Type.Optional(StateText),
  payer: Type.Optional(AddressInput),
  from: DayOrTime,
  to: DayOrTime,
  key: Type.Optional(KeyId),
  network: NetworkQuery,
  transaction: Type.Optional(HashText),
  resource: Type.Optional(
    Type.String({
      ...printable,
      maxLength: bookedResourceCharsMax,
      description: "Without a query",
    }),
  ),
  route: Type.Optional(Type.String({ ...printable, maxLength: bookedRouteCharsMax })),
  reference: Type.Optional(Type.String({ ...printable, maxLength: referenceCharsMax })),
});

export interface HistoryRouteDeps {
  readonly store: Pick<HistoryStore, "listAccountSettlements"> & Pick<BookStore, "findBooks">;
  readonly history: History;
  readonly waiters: Waiters;
  readonly explorers: Explorers;
  readonly payments: Pick<RefundContext, "limits">;
}

export function registerAccountSettlements(server: TypedServer, deps: HistoryRouteDeps): void {
  const { store, history, waiters } = deps;
  server.get(path, {
    config: { permission: "read" },
    schema: {
      operationId: "listSettlements",
      tags: ["Settlements"],
      summary: "List settlements",
      description:
        "Pages stay in place while new settlements arrive: a cursor names the row after which to read on.",
      querystring: exactly({
        ...FilterQuery.properties,
        cursor: Cursor,
        limit: Limit,
        format: Format,
      }),
      response: { 200: jsonOrCsv(pageOf("settlements", RowResponse)), ...readProblems() },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      const filter = readFilter(request.query);
      if (wantsCsv(request)) {
        return sendCsv<BookedSettlement, TimeCursor>(reply, settlementsFile, async (paging) => {
          const page = await store.listAccountSettlements(account, filter, paging);
          return { ...page, items: await booked(store, page.items) };
        });
      }
      const { cursor, limit } = request.query;
      const paging = { from: timeCursor.read(cursor), limit: readLimit(limit) };
      const { items, next } = await store.listAccountSettlements(account, filter, paging);
      return {
        settlements: (await booked(store, items)).map(rowResponse),
        next: timeCursor.write(next),
      };
    },
  });
  server.get(`${path}/:id`, {
    config: { permission: "read" },
    schema: {
      operationId: "readSettlementStory",
      tags: ["Settlements"],
      summary: "Read a settlement with its history",
      description: "`wait` holds the answer until something is new, final settlements apart.",
      params: exactly({ id: Type.String({ pattern: "^stl_[0-9a-f]{32}$" }) }),
      querystring: exactly({ wait: Wait }),
      response: { 200: StoryResponse, ...readProblems("not_found") },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      const { id } = request.params;
      const waitMs = parseWait(request.query.wait) ?? 0;
      // The waiter is registered before the read, so that no change in between is missed.
      const waiting = waiters.wait(id, "change", waitMs);
      let settlement = await history.find(account, id);
      if (settlement && waitMs > 0 && !isOver(settlement)) {
        await waiting.done;
        settlement = await history.find(account, id);
      }
      waiting.cancel();
      const story = await history.describe(found(settlement, "settlement"));
      const [known] = await booked(store, [story.settlement]);
      return storyResponse(deps, story, known ?? { ...story.settlement, ...noBooks });
    },
  });
}

async function booked(
  store: HistoryRouteDeps["store"],
  settlements: readonly Settlement[],
): Promise<BookedSettlement[]> {
  const books = await store.findBooks(settlements.map(({ id }) => id));
  return settlements.map((one) => ({ ...one, ...(books.get(one.id) ?? noBooks) }));
}

/** Returns whether the settlement can no longer change. */
function isOver({ state, finalizedAt }: Settlement): boolean {
  return state === "failed" || finalizedAt !== null;
}

function readFilter(query: Static<typeof FilterQuery>): HistoryFilter {
  const { state, payer, key, network, transaction } = query;
  return {
    state,
    payer: payer === undefined ? undefined : readAddress(payer),
    keyId: key,
    chainId: network === undefined ? undefined : readOneNetwork(network, []).chainId,
    transaction: transaction === undefined ? undefined : `0x${transaction.slice(2).toLowerCase()}`,
    since: readFrom(query.from),
    before: readTo(query.to),
    resource: query.resource,
    route: query.route,
    reference: query.reference,
  };
}

function rowResponse(settlement: BookedSettlement) {
  const { id, state, chainId, payer, payTo, transaction, keyId, failure } = settlement;
  return {
    id,
    state,
    network: networkOfChain(chainId).id,
    payer,
    payTo,
    amount: settlement.amount.toString(),
    transaction,
    keyId,
    credits: creditsOf(settlement),
    createdAt: timeText(settlement.createdAt) ?? "",
    confirmedAt: timeText(settlement.confirmedAt),
    finalizedAt: timeText(settlement.finalizedAt),
    failure,
    resource: settlement.resource,
    route: settlement.route,
    reference: settlement.reference,
    refundOf: settlement.refundOf,
    recoveredAt: timeText(settlement.recoveredAt),
  };
}

function storyResponse(
  { payments, explorers }: Pick<HistoryRouteDeps, "explorers" | "payments">,
  { refunds, steps, gasUsed, gasPaid }: SettlementStory,
  settlement: BookedSettlement,
) {
  const { chainId, transaction, failure } = settlement;
  const carrier = steps.find(({ carrier: one }) => one && one.hash === transaction)?.carrier;
  return {
    ...rowResponse(settlement),
    ...refundMembersOf(settlement, refunds, { unitsMin: payments.limits.unitsMin() }),
    ...defined({ opens: settlement.opens }),
    asset: settlement.asset,
    nonce: settlement.nonce,
    timeline: steps.map(stepResponse),
    gasUsed,
    gasPaidWei: gasPaid === null ? null : gasPaid.toString(),
    sharedBy: carrier?.settlements ?? null,
    blockNumber: settlement.blockNumber,
    logIndex: settlement.logIndex,
    settledBy: settlement.settledBy,
    requestId: settlement.requestId,
    failureMessage: settlement.failureMessage,
    nextStep: failure === null ? null : nextStepOf(failure, settlement),
    explorer: linkTo(explorers, chainId, transaction),
  };
}

function stepResponse({ what, at, carrier }: StoryStep) {
  return {
    what,
    at: timeText(at) ?? "",
    ...(carrier && {
      transaction: carrier.hash,
      nonce: carrier.nonce,
      gasPriceWei: carrier.gasPrice.toString(),
    }),
  };
}

/** Advice for the seller. The credits are released and no money moved. */
function nextStepOf(failure: RefusalCode, { refundOf }: Settlement): string {
  if (refundOf !== null) {
    return failure === "authorization_canceled" || failure === "nonce_already_used"
      ? "The nonce of this refund is already used, so no more of this payment can be refunded here. Its transaction shows what happened; if the money did not go back, send it yourself."
      : "No money went back. Sign the refund again.";
  }
  switch (failure) {
    case "authorization_expired":
      return "Do not deliver. Respond with 402 again, so that the buyer signs a new payment; a longer maxTimeoutSeconds leaves more time to settle.";
    case "insufficient_funds":
      return "Do not deliver. The payer spent the money between verification and settlement. Respond with 402 again; the buyer can pay once the wallet holds enough USDC.";
    case "authorization_canceled":
    case "nonce_already_used":
      return "Do not deliver. The payer canceled this payment or used its nonce elsewhere. Respond with 402 again, and be careful with a payer who does this often.";
    case "payer_blocked":
    case "payee_blocked":
    case "token_paused":
      return "Do not deliver. Circle, the issuer of USDC, blocks this transfer. Another address may work, or the same one later.";
    default:
      return "Do not deliver. Respond with 402 again, so that the buyer signs a new payment.";
  }
}
