/** Settlements per day as bars, with the same figures as a table. */
import { useState, type PointerEvent } from "react";
import type { UsageDayJson } from "@farthing/facilitator/api";
import { chartHeight, ChartFigure } from "./chart-figure.tsx";
import { DataTable } from "./data-table.tsx";
import { countText, dayText, plural, roughText, usdcText } from "./format.ts";

/** In units of the drawing. */
const step = 10;
const barWidth = 7;

const totalOf = ({ settled, failed, pending }: UsageDayJson) => settled + failed + pending;

function sentenceOf(day: UsageDayJson): string {
  const others = [
    day.pending > 0 ? `${countText(day.pending)} pending` : "",
    day.failed > 0 ? `${countText(day.failed)} failed` : "",
  ].filter(Boolean);
  return [
    `${dayText(day.day)}: ${countText(day.settled)} settled`,
    ...others,
    `${usdcText(day.amount)} USDC`,
  ].join(", ");
}

/** Whole days, oldest first. */
export function DayBars({ days }: { readonly days: readonly UsageDayJson[] }) {
  const [pointed, setPointed] = useState<number>();
  const sum = (of: (day: UsageDayJson) => number) =>
    days.reduce((total, day) => total + of(day), 0);
  const summary = `Last ${plural(days.length, "day")}: ${countText(sum((day) => day.settled))} settled, ${countText(sum((day) => day.failed))} failed`;
  const max = Math.max(1, ...days.map(totalOf));
  const point = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * days.length);
    setPointed(Math.min(days.length - 1, Math.max(0, at)));
  };
  const day = pointed === undefined ? undefined : days[pointed];
  return (
    <ChartFigure
      summary={summary}
      pointed={day && sentenceOf(day)}
      legend={
        <>
          <i className="settled" /> settled <i className="pending" /> pending{" "}
          <i className="failed" /> failed
        </>
      }
      max={roughText(max)}
      width={days.length * step}
      days={days.map((one) => one.day)}
      onPointerMove={point}
      onPointerLeave={() => setPointed(undefined)}
      table={<DayTable days={days} />}
    >
      {days.map((one, index) => (
        <Bar key={one.day} day={one} index={index} max={max} isPointed={index === pointed} />
      ))}
    </ChartFigure>
  );
}

interface BarProps {
  readonly day: UsageDayJson;
  readonly index: number;
  readonly max: number;
  readonly isPointed: boolean;
}

function Bar({ day, index, max, isPointed }: BarProps) {
  let top = chartHeight;
  const parts = (["settled", "pending", "failed"] as const).map((what) => {
    const size = (day[what] / max) * chartHeight;
    top -= size;
    return { what, size, top };
  });
  return (
    <g className={isPointed ? "bar pointed" : "bar"}>
      <rect className="bar-back" x={index * step} y={0} width={step} height={chartHeight} />
      {parts.map(({ what, size, top }) => (
        <rect
          key={what}
          className={`bar-${what}`}
          x={index * step + (step - barWidth) / 2}
          y={top}
          width={barWidth}
          height={size}
        />
      ))}
    </g>
  );
}

function DayTable({ days }: { readonly days: readonly UsageDayJson[] }) {
  return (
    <DataTable
      caption="Settlements per day (UTC)"
      rows={days.filter((day) => totalOf(day) > 0).toReversed()}
      keyOf={({ day }) => day}
      columns={[
        { title: "Day (UTC)", cell: ({ day }) => dayText(day) },
        { title: "Settled", isNumber: true, cell: ({ settled }) => countText(settled) },
        { title: "Pending", isNumber: true, cell: ({ pending }) => countText(pending) },
        { title: "Failed", isNumber: true, cell: ({ failed }) => countText(failed) },
        { title: "USDC", isNumber: true, cell: ({ amount }) => usdcText(amount) },
        { title: "Credits", isNumber: true, cell: ({ credits }) => countText(credits) },
      ]}
    />
  );
}
