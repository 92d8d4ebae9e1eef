import type { UsageDayJson } from "@farthing/facilitator/api";
import { usagePath, usageQuery } from "../../api/queries.ts";
import { DayBars } from "../../components/day-bars.tsx";
import { QueryBoundary, Section } from "../../components/page.tsx";
import { countText, daysAgo, usdcText } from "../../components/format.ts";
import { go, useLocation, withSearch } from "../../location.ts";
import { useNetwork } from "../../chosen-network.ts";
import { Segments } from "../../components/button.tsx";
import { CsvLink } from "../../components/link.tsx";

const spans = [7, 30, 90] as const;

export function UsageSection() {
  const { search } = useLocation();
  const network = useNetwork();
  const chosen = new URLSearchParams(search);
  const asked = Number(chosen.get("days"));
  const choose = (changes: Readonly<Record<string, string>>) =>
    go(withSearch("", { ...Object.fromEntries(chosen), ...changes }), { replace: true });
  const span = spans.find((one) => one === asked) ?? 30;
  const from = daysAgo(span - 1);
  return (
    <Section
      title="Usage"
      actions={
        <>
          <Segments
            label="Days shown"
            options={spans.map((one) => [one, `${one} days`])}
            value={span}
            onChoose={(one) => choose({ days: `${one}` })}
          />
          <CsvLink
            path={usagePath}
            filters={{ from, network: network?.id ?? "" }}
            name="usage"
            look="button quiet small"
          />
        </>
      }
    >
      <QueryBoundary query={usageQuery(from, network?.id)} lines={5}>
        {({ days }) => {
          const whole = everyDay(days, span);
          return (
            <>
              <Sums days={whole} />
              <DayBars days={whole} />
            </>
          );
        }}
      </QueryBoundary>
    </Section>
  );
}

/** Days without a settlement included, oldest first. */
function everyDay(days: readonly UsageDayJson[], span: number): UsageDayJson[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: span }, (_, index) => {
    const day = daysAgo(span - 1 - index);
    return known.get(day) ?? { day, settled: 0, failed: 0, pending: 0, amount: "0", credits: 0 };
  });
}

function Sums({ days }: { readonly days: readonly UsageDayJson[] }) {
  const settled = days.reduce((sum, day) => sum + day.settled, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  const amount = days.reduce((sum, day) => sum + BigInt(day.amount), 0n);
  const credits = days.reduce((sum, day) => sum + day.credits, 0);
  const over = settled + failed;
  const share = over === 0 ? "–" : `${((settled / over) * 100).toFixed(failed === 0 ? 0 : 1)}%`;
  const volume = (
    <>
      {usdcText(amount)} <span className="unit">USDC</span>
    </>
  );
  const sums = [
    ["Volume", volume],
    ["Settled", countText(settled)],
    ["Success", share],
    ["Credits used", countText(credits)],
  ] as const;
  return (
    <dl className="sums">
      {sums.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
