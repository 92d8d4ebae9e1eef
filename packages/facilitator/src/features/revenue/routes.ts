/** GET /v1/account/revenue: what sold in a month, by resource, route or payer. */
import { parseAddress } from "@farthing/protocol";
import type { Clock } from "@farthing/engine/base";
import { Type } from "typebox";
import { readNetwork } from "../history/routes.ts";
import type { HistoryStore } from "../history/store.ts";
import { AmountText, exactly, Limit, oneOf, readProblems } from "../../http/schemas.ts";
import { readLimit } from "../../http/cursor.ts";
import { sessionOf } from "../../http/session.ts";
import type { TypedServer } from "../../http/type-provider.ts";
import { monthOf } from "./participant.ts";
import type { RevenueStore } from "./store.ts";
import { revenueBases, type RevenueBasis } from "./tables.ts";

const counted = {
  settlements: Type.Integer({ description: "Confirmed" }),
  amount: AmountText,
};

const BasisText = oneOf(revenueBases, "What the revenue is added up by");

export const RevenueResponse = exactly({
  month: Type.String({ description: "`2026-11`, in UTC" }),
  by: BasisText,
  total: exactly(counted),
  names: Type.Array(exactly({ name: Type.String(), ...counted })),
});

export interface RevenueRouteDeps {
  readonly store: RevenueStore & Pick<HistoryStore, "listUsage">;
  readonly clock: Clock;
}

export function registerRevenue(server: TypedServer, { store, clock }: RevenueRouteDeps): void {
  server.get("/v1/account/revenue", {
    schema: {
      operationId: "readRevenue",
      tags: ["Settlements"],
      summary: "Revenue of a month on one network, by resource, route or payer",
      description:
        "The names with the most revenue come first. `total` is the month's whole revenue, with what has no name. A settlement counts in the month of its claim, in UTC, once it is confirmed; refunds are not subtracted.",
      querystring: exactly({
        network: Type.String({ maxLength: 32, description: "`eip155:50` or its name" }),
        by: Type.Optional(BasisText),
        month: Type.Optional(
          Type.String({
            pattern: "^2[0-9]{3}-(0[1-9]|1[0-2])$",
            description: "`2026-11`; the current month when absent",
          }),
        ),
        limit: Limit,
      }),
      response: { 200: RevenueResponse, ...readProblems() },
    },
    handler: async (request) => {
      const { network, by = "resource", month: text, limit } = request.query;
      const { account } = sessionOf(request);
      const chainId = readNetwork(network);
      const month = monthOf(text === undefined ? clock.nowMs() : Date.parse(`${text}-01`));
      const span = { since: startOf(month), before: startOf(month + 1), chainId };
      const days = await store.listUsage(account, span);
      const query = { chainId, basis: by, month };
      const names = await store.listRevenue(account, query, readLimit(limit));
      return {
        month: new Date(span.since).toISOString().slice(0, "2026-11".length),
        by,
        total: {
          settlements: days.reduce((sum, { settled }) => sum + settled, 0),
          amount: days.reduce((sum, { units }) => sum + units, 0n).toString(),
        },
        names: names.map(({ name, settlements, units }) => ({
          name: shownAs(by, name),
          settlements,
          amount: units.toString(),
        })),
      };
    },
  });
}

function startOf(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12);
}

function shownAs(basis: RevenueBasis, name: string): string {
  return basis === "payer" ? (parseAddress(name) ?? name) : name;
}
