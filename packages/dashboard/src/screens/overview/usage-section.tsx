import type { UsageDayJson } from "@farthing/facilitator/api";
import { usagePath, usageQuery } from "../../api/queries.ts";
import { DayBars } from "../../components/day-bars.tsx";
import { QueryBoundary, Section } from "../../components/page.tsx";
import { changeText, countText, daysAgo, usdcText } from "../../components/format.ts";
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
      <QueryBoundary query={usageQuery(daysAgo(2 * span - 1), network?.id)} lines={5}>
        {({ days }) => {
          const whole = everyDay(days, 2 * span);
          const now = whole.slice(span);
          return (
            <>
              <Sums now={sumOf(now)} before={sumOf(whole.slice(0, span))} span={span} />
              <DayBars days={now} />
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

interface Sum {
  readonly settled: number;
  readonly failed: number;
  readonly amount: bigint;
  readonly credits: number;
}

function sumOf(days: readonly UsageDayJson[]): Sum {
  return {
    settled: days.reduce((sum, day) => sum + day.settled, 0),
    failed: days.reduce((sum, day) => sum + day.failed, 0),
    amount: days.reduce((sum, day) => sum + BigInt(day.amount), 0n),
    credits: days.reduce((sum, day) => sum + day.credits, 0),
  };
}

function successText({ settled, failed }: Sum): string {
  const over = settled + failed;
  return over === 0 ? "–" : `${((settled / over) * 100).toFixed(failed === 0 ? 0 : 1)}%`;
}

interface SumsProps {
  readonly now: Sum;
  readonly before: Sum;
  readonly span: number;
}

function Sums({ now, before, span }: SumsProps) {
  const volume = (
    <>
      {usdcText(now.amount)} <span className="unit">USDC</span>
    </>
  );
  const sums = [
    ["Volume", volume, changeText(`${now.amount}`, `${before.amount}`)],
    ["Settled", countText(now.settled), changeText(`${now.settled}`, `${before.settled}`)],
    ["Success", successText(now), undefined],
    ["Credits used", countText(now.credits), undefined],
  ] as const;
  const hasChange = before.settled > 0;
  return (
    <>
      <dl className="sums">
        {sums.map(([name, value, change]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value}{" "}
              {change !== undefined && (
                <span className={change.startsWith("−") ? "change down" : "change up"}>
                  {change}
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p className="muted">
        {hasChange
          ? `The ${span} days before: ${usdcText(before.amount)} USDC, ${countText(before.settled)} settled, ${successText(before)} success.`
          : `Nothing was settled in the ${span} days before.`}
      </p>
    </>
  );
}
