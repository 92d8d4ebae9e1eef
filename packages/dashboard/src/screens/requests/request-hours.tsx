/** The calls of the last 24 hours: how many, and how many of them were refused or failed. */
import type { CallHourJson } from "@farthing/facilitator/api";
import { BarChart } from "../../components/bar-chart.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { countText, plural, roughText, timeText } from "../../components/format.ts";

const series = [
  { title: "answered", look: "settled", of: "answered" },
  { title: "refused", look: "pending", of: "refused" },
  { title: "failed", look: "failed", of: "failed" },
] as const;

const totalOf = ({ answered, refused, failed }: CallHourJson) => answered + refused + failed;

/** `14:00`, in local time. */
function hourText(from: string): string {
  return new Date(from).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

function sentenceOf(hour: CallHourJson): string {
  return `${timeText(hour.from).replace(/:\d\d$/, "")}: ${countText(hour.answered)} answered, ${countText(hour.refused)} refused, ${countText(hour.failed)} failed`;
}

export function RequestHours({ hours }: { readonly hours: readonly CallHourJson[] }) {
  const sum = (of: (hour: CallHourJson) => number) =>
    hours.reduce((total, one) => total + of(one), 0);
  const [refused, failed] = [sum((one) => one.refused), sum((one) => one.failed)];
  return (
    <BarChart
      isStacked
      summary={`Last 24 hours: ${plural(sum(totalOf), "request")}, ${countText(refused)} refused, ${countText(failed)} failed`}
      series={series.map(({ title, look, of }) => ({
        title,
        look,
        values: hours.map((hour) => hour[of]),
      }))}
      maxText={roughText}
      points={hours.map(({ from }) => hourText(from))}
      sentenceOf={(index) => (hours[index] ? sentenceOf(hours[index]) : "")}
      table={
        <DataTable
          caption="Requests per hour"
          rows={hours.filter((hour) => totalOf(hour) > 0).toReversed()}
          keyOf={({ from }) => from}
          columns={[
            { title: "Hour", inCard: "whole", cell: ({ from }) => timeText(from) },
            { title: "Answered", isNumber: true, cell: (hour) => countText(hour.answered) },
            { title: "Refused", isNumber: true, cell: (hour) => countText(hour.refused) },
            { title: "Failed", isNumber: true, cell: (hour) => countText(hour.failed) },
          ]}
        />
      }
    />
  );
}
