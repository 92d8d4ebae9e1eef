/** What was charged and claimed on channels per day as bars, with the same figures as a table. */
import type { ChannelListJson } from "@farthing/facilitator/api";
import { chartHeight, ChartFigure } from "../../components/chart-figure.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { dayText, daysAgo, usdcText } from "../../components/format.ts";
import { usdcColumn } from "../../components/usdc-column.tsx";

type Day = ChannelListJson["sums"]["days"][number];

const span = 30;

/** In units of the drawing. */
const step = 12;
const barWidth = 4;

/** In thousandths of the height. A day on which a reorganisation took a claim back may be below zero. */
function sizeOf(units: bigint, max: bigint): number {
  return Math.max(0, Number((units * 1_000n) / max) / 1_000) * chartHeight;
}

export function ChannelBars({ days }: { readonly days: readonly Day[] }) {
  const known = new Map(days.map((day) => [day.date, day]));
  const whole = Array.from({ length: span }, (_, index): Day => {
    const date = daysAgo(span - 1 - index);
    return known.get(date) ?? { date, charged: "0", claimed: "0" };
  });
  const sum = (of: "charged" | "claimed") =>
    whole.reduce((total, day) => total + BigInt(day[of]), 0n);
  const summary = `Last ${span} days: ${usdcText(sum("charged"))} USDC charged, ${usdcText(sum("claimed"))} USDC claimed`;
  const amounts = whole.flatMap(({ charged, claimed }) => [BigInt(charged), BigInt(claimed)]);
  const max = amounts.reduce((most, units) => (units > most ? units : most), 1n);
  return (
    <ChartFigure
      summary={summary}
      legend={
        <>
          <i className="pending" /> charged <i className="settled" /> claimed
        </>
      }
      max={usdcText(max)}
      width={span * step}
      days={whole.map(({ date }) => date)}
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
    >
      {whole.map(({ date, charged, claimed }, index) => (
        <g key={date} className="bar">
          {([charged, claimed] as const).map((units, place) => {
            const size = sizeOf(BigInt(units), max);
            return (
              <rect
                key={place}
                className={place === 0 ? "bar-pending" : "bar-settled"}
                x={index * step + 1 + place * (barWidth + 1)}
                y={chartHeight - size}
                width={barWidth}
                height={size}
              />
            );
          })}
        </g>
      ))}
    </ChartFigure>
  );
}
