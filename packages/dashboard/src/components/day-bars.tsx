/** Settlements per day as bars, with the same figures as a table. */
import type { UsageDayJson } from "@farthing/facilitator/api";
import { BarChart } from "./bar-chart.tsx";
import { DataTable } from "./data-table.tsx";
import { countText, dayText, plural, roughText, usdcText } from "./format.ts";

const looks = ["settled", "pending", "failed"] as const;

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
  const sum = (of: (day: UsageDayJson) => number) =>
    days.reduce((total, day) => total + of(day), 0);
  return (
    <BarChart
      isStacked
      summary={`Last ${plural(days.length, "day")}: ${countText(sum((day) => day.settled))} settled, ${countText(sum((day) => day.failed))} failed`}
      series={looks.map((look) => ({ title: look, look, values: days.map((day) => day[look]) }))}
      maxText={roughText}
      points={days.map(({ day }) => dayText(day))}
      sentenceOf={(index) => (days[index] ? sentenceOf(days[index]) : "")}
      table={<DayTable days={days} />}
    />
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
