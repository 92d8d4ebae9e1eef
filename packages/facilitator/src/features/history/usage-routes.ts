/** GET /v1/account/usage: the settlements of an account by day. */
import { networkOfChain, type Address, type Network } from "@farthing/protocol";
import { Type } from "typebox";
import { dayMs } from "./participant.ts";
import type { HistoryStore } from "./store.ts";
import type { UsageDay } from "./model.ts";
import { OneNetworkQuery, readOneNetwork } from "./one-network.ts";
import type { UsageSpan } from "./usage-store.ts";
import { HttpProblem } from "../../http/messages/responses.ts";
import { AmountText, exactly, readProblems } from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { Clock } from "@farthing/engine/base";
import { Format, jsonOrCsv, sendCsv, wantsCsv, type CsvFile } from "../../http/messages/csv.ts";
import { sessionOf } from "../../http/access/session.ts";
import { DayOrTime, readFrom, readTo } from "../../http/messages/time-span.ts";

const daysDefault = 30;

/** The most days of one response: a leap year. */
const usageDaysMax = 366;

export const UsageResponse = exactly({
  network: Type.String({ description: "CAIP-2" }),
  days: Type.Array(
    exactly({
      day: Type.String({ format: "date", description: "In UTC" }),
      settled: Type.Integer({ description: "Settlements claimed that day and confirmed" }),
      failed: Type.Integer(),
      pending: Type.Integer(),
      amount: AmountText,
      credits: Type.Integer({ description: "Held or charged" }),
    }),
  ),
});

const usageFile: CsvFile<UsageDay & Pick<UsageSpan, "chainId">> = {
  name: "usage",
  columns: {
    network: ({ chainId }) => networkOfChain(chainId).id,
    day: ({ day }) => textOf(day),
    settled: ({ settled }) => settled,
    failed: ({ failed }) => failed,
    pending: ({ pending }) => pending,
    amount: ({ units }) => units.toString(),
    credits: ({ credits }) => credits,
  },
};

export interface UsageRouteDeps {
  readonly store: Pick<HistoryStore, "listUsage">;
  readonly clock: Clock;
  readonly networks: readonly Network[];
}

export function registerUsage(
  server: TypedServer,
  { store, clock, networks }: UsageRouteDeps,
): void {
  server.get("/v1/account/usage", {
    config: { permission: "read" },
    schema: {
      operationId: "readUsage",
      tags: ["Settlements"],
      summary: "Read settlements per day",
      description: `Every day from \`from\` to \`to\`, at most ${usageDaysMax}; the last ${daysDefault} when nothing is said. Live and test money are never one sum.`,
      querystring: exactly({
        from: DayOrTime,
        to: DayOrTime,
        network: OneNetworkQuery,
        format: Format,
      }),
      response: { 200: jsonOrCsv(UsageResponse), ...readProblems() },
    },
    handler: async (request, reply) => {
      const { from, to, network } = request.query;
      const lastDay = Math.floor(((readTo(to) ?? clock.nowMs() + 1) - 1) / dayMs);
      const since = readFrom(from);
      const firstDay = since === undefined ? lastDay - daysDefault + 1 : Math.floor(since / dayMs);
      if (lastDay - firstDay >= usageDaysMax) {
        throw new HttpProblem("invalid_request", `Ask for ${usageDaysMax} days at most.`);
      }
      const { account } = sessionOf(request);
      const { id, chainId } = readOneNetwork(network, networks);
      const days = await listUsageDays(store, account, { firstDay, lastDay, chainId });
      if (wantsCsv(request)) {
        const items = days.map((day) => ({ ...day, chainId }));
        return sendCsv(reply, usageFile, async () => ({ items, next: null }));
      }
      return { network: id, days: days.map(dayResponse) };
    },
  });
}

interface UsageDays extends Pick<UsageSpan, "chainId"> {
  readonly firstDay: number;
  readonly lastDay: number;
}

/** Lists the days from `firstDay` to `lastDay`, both included, oldest first. */
async function listUsageDays(
  store: Pick<HistoryStore, "listUsage">,
  account: Address,
  { firstDay, lastDay, chainId }: UsageDays,
): Promise<UsageDay[]> {
  const times = { since: firstDay * dayMs, before: (lastDay + 1) * dayMs, chainId };
  const known = new Map((await store.listUsage(account, times)).map((one) => [one.day, one]));
  const count = Math.max(0, lastDay - firstDay + 1);
  return Array.from({ length: count }, (_, index) => {
    const day = firstDay + index;
    return known.get(day) ?? { day, ...nothing };
  });
}

const nothing = { settled: 0, failed: 0, pending: 0, units: 0n, credits: 0 };

function dayResponse({ day, settled, failed, pending, units, credits }: UsageDay) {
  return { day: textOf(day), settled, failed, pending, amount: units.toString(), credits };
}

/** `2026-11-20` */
function textOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
