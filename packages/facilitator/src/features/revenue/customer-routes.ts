/** GET /v1/account/customers: who paid the account, how much and when. */
import { networkOfChain } from "@farthing/protocol";
import { timeText } from "@farthing/engine/base";
import { Type } from "typebox";
import { OneNetworkQuery, readOneNetwork } from "../history/one-network.ts";
import { rankedCursor, readLimit, type RankedCursor } from "../../http/messages/cursor.ts";
import { Format, jsonOrCsv, sendCsv, wantsCsv, type CsvFile } from "../../http/messages/csv.ts";
import {
  AddressText,
  AmountText,
  exactly,
  Limit,
  oneOf,
  pageOf,
  readProblems,
  TimeText,
} from "../../http/messages/schemas.ts";
import { sessionOf } from "../../http/access/session.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { Customer } from "./customer-store.ts";
import type { RevenueRouteDeps } from "./routes.ts";

export const CustomerResponse = exactly({
  payer: AddressText,
  settlements: Type.Integer({ description: "Confirmed" }),
  amount: AmountText,
  firstAt: TimeText,
  lastAt: TimeText,
});

const customersFile: CsvFile<Customer> = {
  name: "customers",
  columns: {
    network: ({ chainId }) => networkOfChain(chainId).id,
    payer: ({ payer }) => payer,
    settlements: ({ settlements }) => settlements,
    amount: ({ units }) => units.toString(),
    first_at: ({ firstAt }) => timeText(firstAt),
    last_at: ({ lastAt }) => timeText(lastAt),
  },
};

export function registerCustomers(
  server: TypedServer,
  { store, networks }: Pick<RevenueRouteDeps, "store" | "networks">,
): void {
  server.get("/v1/account/customers", {
    config: { permission: "read" },
    schema: {
      operationId: "listCustomers",
      tags: ["Settlements"],
      summary: "Payers of one network, with their sums and their first and last payment",
      description:
        "Counts confirmed settlements since sums are kept; refunds are not subtracted. One who buys between two pages may be missing there or come twice. The file is in the order of the addresses and has each once.",
      querystring: exactly({
        network: OneNetworkQuery,
        order: Type.Optional(
          oneOf(["amount", "recent"], "The highest revenue or the latest payment first"),
        ),
        cursor: rankedCursor.schema,
        limit: Limit,
        format: Format,
      }),
      response: { 200: jsonOrCsv(pageOf("customers", CustomerResponse)), ...readProblems() },
    },
    handler: async (request, reply) => {
      const { network, order = "amount", cursor, limit } = request.query;
      const { account } = sessionOf(request);
      const { chainId } = readOneNetwork(network, networks);
      if (wantsCsv(request)) {
        return sendCsv<Customer, RankedCursor>(reply, customersFile, (paging) =>
          store.listCustomers(account, { chainId, order: "payer" }, paging),
        );
      }
      const paging = { from: rankedCursor.read(cursor), limit: readLimit(limit) };
      const { items, next } = await store.listCustomers(account, { chainId, order }, paging);
      return { customers: items.map(customerResponse), next: rankedCursor.write(next) };
    },
  });
}

function customerResponse({ payer, settlements, units, firstAt, lastAt }: Customer) {
  return {
    payer,
    settlements,
    amount: units.toString(),
    firstAt: timeText(firstAt) ?? "",
    lastAt: timeText(lastAt) ?? "",
  };
}
