/** What was charged and claimed on channels per day as bars, with the same figures as a table. */
import type { ChannelListJson } from "@farthing/facilitator/api";
import { BarChart } from "../../components/bar-chart.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { dayText, daysAgo, usdcText } from "../../components/format.ts";
import { usdcColumn } from "../../components/usdc-column.tsx";

type Day = ChannelListJson["sums"]["days"][number];

const span = 30;

const sentenceOf = ({ date, charged, claimed }: Day) =>
  `${dayText(date)}: ${usdcText(charged)} USDC charged, ${usdcText(claimed)} USDC claimed`;

export function ChannelBars({ days }: { readonly days: readonly Day[] }) {
  const known = new Map(days.map((day) => [day.date, day]));
  const whole = Array.from({ length: span }, (_, index): Day => {
    const date = daysAgo(span - 1 - index);
    return known.get(date) ?? { date, charged: "0", claimed: "0" };
  });
  const sum = (of: "charged" | "claimed") =>
    whole.reduce((total, day) => total + BigInt(day[of]), 0n);
  return (
    <BarChart
      summary={`Last ${span} days: ${usdcText(sum("charged"))} USDC charged, ${usdcText(sum("claimed"))} USDC claimed`}
      // A day on which a reorganisation took a claim back may be below zero.
      series={[
        { title: "charged", look: "pending", values: whole.map((day) => Number(day.charged)) },
        { title: "claimed", look: "settled", values: whole.map((day) => Number(day.claimed)) },
      ]}
      maxText={(max) => usdcText(BigInt(max))}
      points={whole.map(({ date }) => dayText(date))}
      sentenceOf={(index) => (whole[index] ? sentenceOf(whole[index]) : "")}
      table={
        <DataTable
          caption="Charged and claimed per day (UTC)"
          rows={days.toReversed()}
          keyOf={({ date }) => date}
          empty={<p className="muted">Nothing was charged or claimed.</p>}
          columns={[
            { title: "Day (UTC)", inCard: "whole", cell: ({ date }) => dayText(date) },
            usdcColumn(days, { title: "Charged", unitsOf: ({ charged }) => charged }),
            usdcColumn(days, { title: "Claimed", unitsOf: ({ claimed }) => claimed }),
          ]}
        />
      }
    />
  );
}
