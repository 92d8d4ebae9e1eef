/** GET /v1/account/revenue: what sold in a month, by resource, route or payer. */
import { networkOfChain, parseAddress, type Address, type Network } from "@farthing/protocol";
import type { Clock } from "@farthing/engine/base";
import { Type } from "typebox";
import { OneNetworkQuery, readOneNetwork } from "../history/one-network.ts";
import type { HistoryStore } from "../history/store.ts";
import { rankedCursor, readLimit, type RankedCursor } from "../../http/messages/cursor.ts";
import { Format, jsonOrCsv, sendCsv, wantsCsv, type CsvFile } from "../../http/messages/csv.ts";
import {
  AmountText,
  exactly,
  Limit,
  nullable,
  oneOf,
  readProblems,
} from "../../http/messages/schemas.ts";
import { sessionOf } from "../../http/access/session.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { dayMs } from "../history/participant.ts";
import { monthOf } from "./participant.ts";
import type { NamedRevenue, RevenueQuery, RevenueStore } from "./store.ts";
import { revenueBases, type RevenueBasis } from "./tables.ts";

const counted = {
  settlements: Type.Integer({ description: "Confirmed" }),
  amount: AmountText,
};

const BasisText = oneOf(revenueBases, "What the revenue is added up by");

export const RevenueResponse = exactly({
  month: Type.String({ description: "`2026-11`, in UTC" }),
  network: Type.String({ description: "CAIP-2" }),
  by: BasisText,
  total: exactly(counted),
  before: exactly(
    {
      ...counted,
      from: Type.String({ format: "date" }),
      to: Type.String({ format: "date", description: "Inclusive" }),
    },
    "The month before; while a month lasts, as many of its first days",
  ),
  names: Type.Array(
    exactly({
      name: Type.String(),
      ...counted,
      before: exactly(counted, "In the whole month before"),
    }),
  ),
  next: nullable(Type.String({ description: "For `cursor`, to read on; null at the end" })),
});

interface RevenueLine extends NamedRevenue {
  readonly query: RevenueQuery;
}

const revenueFile: CsvFile<RevenueLine> = {
  name: "revenue",
  columns: {
    month: ({ query }) => monthText(query.month),
    network: ({ query }) => networkOfChain(query.chainId).id,
    by: ({ query }) => query.basis,
    name: ({ query, name }) => shownAs(query.basis, name),
    settlements: ({ settlements }) => settlements,
    amount: ({ units }) => units.toString(),
  },
};

export interface RevenueRouteDeps {
  readonly store: RevenueStore & Pick<HistoryStore, "listUsage">;
  readonly clock: Clock;
  readonly networks: readonly Network[];
}

export function registerRevenue(server: TypedServer, deps: RevenueRouteDeps): void {
  const { store, clock, networks } = deps;
  server.get("/v1/account/revenue", {
    config: { permission: "read" },
    schema: {
      operationId: "readRevenue",
      tags: ["Settlements"],
      summary: "Read the revenue of a month",
      description:
        "The names with the most revenue come first; one whose revenue changes between two pages may be missing there or come twice. The file is in the order of the names and has each once. `total` is the month's whole revenue, with what has no name. A settlement counts in the month of its claim, in UTC, once it is confirmed; refunds are not subtracted.",
      querystring: exactly({
        network: OneNetworkQuery,
        by: Type.Optional(BasisText),
        month: Type.Optional(
          Type.String({
            pattern: "^2[0-9]{3}-(0[1-9]|1[0-2])$",
            description: "`2026-11`; the current month when absent",
          }),
        ),
        cursor: rankedCursor.schema,
        limit: Limit,
        format: Format,
      }),
      response: { 200: jsonOrCsv(RevenueResponse), ...readProblems() },
    },
    handler: async (request, reply) => {
      const { network, by = "resource", month: text, cursor, limit } = request.query;
      const { account } = sessionOf(request);
      const { id, chainId } = readOneNetwork(network, networks);
      const month = monthOf(text === undefined ? clock.nowMs() : Date.parse(`${text}-01`));
      const query = { chainId, basis: by, month };
      if (wantsCsv(request)) {
        return sendCsv<RevenueLine, RankedCursor>(reply, revenueFile, async (paging) => {
          const { items, next } = await store.listRevenueByName(account, query, paging);
          return { items: items.map((item) => ({ ...item, query })), next };
        });
      }
      const paging = { from: rankedCursor.read(cursor), limit: readLimit(limit) };
      const { items, next } = await store.listRevenue(account, query, paging);
      const names = items.map(({ name }) => name);
      const before = await store.findRevenue(account, { ...query, month: month - 1 }, names);
      const spans = spansOf(month, clock.nowMs());
      return {
        month: monthText(month),
        network: id,
        by,
        total: await addUp(store, account, { ...spans.month, chainId }),
        before: {
          ...(await addUp(store, account, { ...spans.before, chainId })),
          from: dayText(spans.before.since),
          to: dayText(spans.before.before - dayMs),
        },
        names: items.map((item) => ({
          name: shownAs(by, item.name),
          ...countsOf(item),
          before: countsOf(before.get(item.name) ?? { settlements: 0, units: 0n }),
        })),
        next: rankedCursor.write(next),
      };
    },
  });
}

/** The days of a month and those to compare it with: as many of the month before as have begun. */
export function spansOf(month: number, now: number) {
  const [first, since, end] = [startOf(month - 1), startOf(month), startOf(month + 1)];
  const begun =
    now < end ? Math.max(1, Math.floor((now - since) / dayMs) + 1) * dayMs : end - since;
  const before = now < end ? Math.min(since, first + begun) : since;
  return { month: { since, before: end }, before: { since: first, before } };
}

async function addUp(
  store: Pick<HistoryStore, "listUsage">,
  account: Address,
  span: Parameters<HistoryStore["listUsage"]>[1],
) {
  const days = await store.listUsage(account, span);
  return countsOf({
    settlements: days.reduce((sum, { settled }) => sum + settled, 0),
    units: days.reduce((sum, { units }) => sum + units, 0n),
  });
}

function countsOf({ settlements, units }: Pick<NamedRevenue, "settlements" | "units">) {
  return { settlements, amount: units.toString() };
}

function startOf(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12);
}

/** `2026-11` */
function monthText(month: number): string {
  return dayText(startOf(month)).slice(0, "2026-11".length);
}

/** `2026-11-20` */
function dayText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, "2026-11-20".length);
}

function shownAs(basis: RevenueBasis, name: string): string {
  return basis === "payer" ? (parseAddress(name) ?? name) : name;
}
