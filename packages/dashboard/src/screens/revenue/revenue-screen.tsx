import type { RevenueJson } from "@farthing/facilitator/api";
import { revenueQuery, usageQuery } from "../../api/queries.ts";
import { Segments } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Form, SelectField } from "../../components/field.tsx";
import {
  countText,
  dayText,
  monthsAgo,
  plural,
  shortText,
  usdcText,
} from "../../components/format.ts";
import { Link } from "../../components/link.tsx";
import { Empty, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Usdc } from "../../components/values.tsx";
import { go, useLocation, withSearch } from "../../location.ts";
import { useAccount } from "../../signed-in.ts";

const mainnet = 50;
const monthsShown = 12;

const views = [
  ["resource", "Endpoint"],
  ["route", "Route"],
  ["payer", "Payer"],
  ["day", "Day"],
] as const;

type View = (typeof views)[number][0];

interface Choice {
  readonly month: string;
  readonly network: string;
}

export function RevenueScreen() {
  const { search } = useLocation();
  const { networks } = useAccount();
  const chosen = new URLSearchParams(search);
  const months = Array.from({ length: monthsShown }, (_, index) => monthsAgo(index));
  const [view] = views.find(([one]) => one === chosen.get("by")) ?? views[0];
  const month = months.find((one) => one === chosen.get("month")) ?? months[0] ?? "";
  // Live and test money are never one sum.
  const shown =
    networks.find(({ id }) => id === chosen.get("network")) ??
    networks.find(({ chainId }) => chainId === mainnet) ??
    networks[0];
  const network = shown?.id ?? "";
  const choose = (change: Partial<Choice> & { readonly by?: View }) =>
    go(withSearch("revenue", { by: view, month, network, ...change }), { replace: true });
  return (
    <Page
      title="Revenue"
      lead={`Confirmed payments on ${shown?.label ?? "one network"}, by the month of the sale in UTC. Refunds are not taken off.`}
    >
      <Form className="filters" role="search" aria-label="Revenue" onSubmit={() => {}}>
        <SelectField
          label="Month"
          value={month}
          options={months.map((one) => [one, one] as const)}
          onText={(one) => choose({ month: one })}
        />
        {networks.length > 1 && (
          <SelectField
            label="Network"
            value={network}
            options={networks.map(({ id, label }) => [id, label] as const)}
            onText={(id) => choose({ network: id })}
          />
        )}
      </Form>
      <Section
        title={month}
        actions={
          <Segments
            label="Revenue by"
            options={views}
            value={view}
            onChoose={(by) => choose({ by })}
          />
        }
      >
        {view === "day" ? (
          <Days month={month} network={network} />
        ) : (
          <Names by={view} month={month} network={network} />
        )}
      </Section>
    </Page>
  );
}

const none = (
  <Empty title="No revenue" link={["integrate", "Integrate"]}>
    <p>A payment appears here once it is confirmed.</p>
  </Empty>
);

function Names({ by, month, network }: Choice & { readonly by: RevenueJson["by"] }) {
  const [, title] = views.find(([one]) => one === by) ?? views[0];
  const span = { from: `${month}-01`, to: lastDayOf(month), network };
  return (
    <QueryBoundary query={revenueQuery({ by, month, network })} lines={6}>
      {({ total, names }) => (
        <>
          <p>
            <strong>{usdcText(total.amount)} USDC</strong> in{" "}
            {plural(total.settlements, "settlement")}
          </p>
          <DataTable
            caption={`Revenue by ${title.toLowerCase()}`}
            rows={names}
            keyOf={({ name }) => name}
            empty={total.settlements === 0 ? none : <p className="muted">None of them has one.</p>}
            columns={[
              {
                title,
                inCard: "whole",
                cell: ({ name }) => (
                  <Link to={withSearch("settlements", { ...span, [by]: name })}>
                    <code title={name}>{by === "payer" ? shortText(name) : name}</code>
                  </Link>
                ),
              },
              {
                title: "Settlements",
                isNumber: true,
                cell: ({ settlements }) => countText(settlements),
              },
              {
                title: "Revenue",
                isNumber: true,
                cell: ({ amount }) => <Usdc units={amount} />,
              },
            ]}
          />
        </>
      )}
    </QueryBoundary>
  );
}

function Days({ month, network }: Choice) {
  return (
    <QueryBoundary query={usageQuery(`${month}-01`, network, lastDayOf(month))} lines={6}>
      {({ days }) => (
        <DataTable
          caption="Revenue by day"
          rows={days.filter(({ settled }) => settled > 0).toReversed()}
          keyOf={({ day }) => day}
          empty={none}
          columns={[
            {
              title: "Day",
              inCard: "whole",
              cell: ({ day }) => (
                <Link to={withSearch("settlements", { from: day, to: day, network })}>
                  {dayText(day)}
                </Link>
              ),
            },
            { title: "Settlements", isNumber: true, cell: ({ settled }) => countText(settled) },
            { title: "Revenue", isNumber: true, cell: ({ amount }) => <Usdc units={amount} /> },
          ]}
        />
      )}
    </QueryBoundary>
  );
}

/** The last UTC day of a month such as `2026-11`. */
function lastDayOf(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}
