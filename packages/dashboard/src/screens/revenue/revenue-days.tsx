/** The revenue of each day of a month beside the same day of the month before. */
import type { UsageDayJson } from "@farthing/facilitator/api";
import { useQuery } from "@tanstack/react-query";
import { usageQuery } from "../../api/queries.ts";
import { BarChart } from "../../components/bar-chart.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { dayText, lastDayOf, monthBefore, monthText, usdcText } from "../../components/format.ts";
import { QueryBoundary } from "../../components/page.tsx";
import { usdcColumn } from "../../components/usdc-column.tsx";

interface Month {
  readonly month: string;
  readonly network: string;
}

const daysOf = ({ month, network }: Month) => usageQuery(`${month}-01`, network, lastDayOf(month));

export function RevenueDays({ month, network }: Month) {
  const before = monthBefore(month);
  const { data } = useQuery(daysOf({ month: before, network }));
  return (
    <QueryBoundary query={daysOf({ month, network })} lines={5}>
      {({ days }) => (
        <Chart month={month} before={before} days={days} daysBefore={data?.days ?? []} />
      )}
    </QueryBoundary>
  );
}

/** A day of the month, and what was sold on it in both months. */
interface DayPair {
  readonly name: string;
  readonly amount: string;
  readonly before: string;
}

interface ChartProps {
  readonly month: string;
  readonly before: string;
  readonly days: readonly UsageDayJson[];
  readonly daysBefore: readonly UsageDayJson[];
}

function Chart({ month, before, days, daysBefore }: ChartProps) {
  const [now, then] = [monthText(month), monthText(before)];
  const pairs = Array.from(
    { length: Math.max(days.length, daysBefore.length) },
    (_, index): DayPair => ({
      // The month before may be longer.
      name: days[index] ? dayText(days[index].day) : `${index + 1}`,
      amount: days[index]?.amount ?? "0",
      before: daysBefore[index]?.amount ?? "0",
    }),
  );
  if (pairs.every((pair) => pair.amount === "0" && pair.before === "0")) return null;
  return (
    <BarChart
      summary={summaryOf(pairs, now, then)}
      series={[
        { title: then, look: "pending", values: pairs.map((pair) => Number(pair.before)) },
        { title: now, look: "settled", values: pairs.map((pair) => Number(pair.amount)) },
      ]}
      maxText={(max) => `${usdcText(BigInt(max))} USDC`}
      points={pairs.map(({ name }) => name)}
      sentenceOf={(index) => (pairs[index] ? sentenceOf(pairs[index], then) : "")}
      table={
        <DataTable
          caption={`Revenue per day (UTC) in ${now} and ${then}`}
          rows={pairs.filter((pair) => pair.amount !== "0" || pair.before !== "0")}
          keyOf={({ name }) => name}
          columns={[
            { title: "Day (UTC)", inCard: "whole", cell: ({ name }) => name },
            usdcColumn(pairs, { title: now, unitsOf: ({ amount }) => amount }),
            usdcColumn(pairs, { title: then, unitsOf: (pair) => pair.before }),
          ]}
        />
      }
    />
  );
}

const sentenceOf = ({ name, amount, before }: DayPair, then: string) =>
  `${name}: ${usdcText(amount)} USDC, in ${then} ${usdcText(before)} USDC`;

function summaryOf(pairs: readonly DayPair[], now: string, then: string): string {
  const [best] = pairs.toSorted((one, other) => Number(BigInt(other.amount) - BigInt(one.amount)));
  if (!best || best.amount === "0") return `Revenue per day: none in ${now}`;
  return `Revenue per day, beside ${then}: the best day was ${best.name} with ${usdcText(best.amount)} USDC`;
}
