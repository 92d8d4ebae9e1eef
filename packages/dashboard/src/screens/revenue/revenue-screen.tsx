import type { RevenueJson } from "@farthing/facilitator/api";
import { revenuePath, revenueQuery, usagePath, usageQuery } from "../../api/queries.ts";
import { useNetwork } from "../../chosen-network.ts";
import { Segments } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { ExampleRow } from "../../components/example-row.tsx";
import { Form, SelectField } from "../../components/field.tsx";
import {
  countText,
  dayText,
  lastDayOf,
  monthsAgo,
  monthText,
  shortText,
} from "../../components/format.ts";
import { CsvLink, Link } from "../../components/link.tsx";
import { Empty, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { ShareBar } from "../../components/share-bar.tsx";
import { usdcColumn } from "../../components/usdc-column.tsx";
import { go, useLocation, withSearch } from "../../location.ts";
import { Change, MonthTotal } from "./month-total.tsx";
import { RevenueDays } from "./revenue-days.tsx";

const monthsShown = 12;

const views = [
  ["route", "Route"],
  ["resource", "Endpoint"],
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
  const chosen = new URLSearchParams(search);
  const months = Array.from({ length: monthsShown }, (_, index) => monthsAgo(index));
  const [view, viewName] = views.find(([one]) => one === chosen.get("by")) ?? views[0];
  const month = months.find((one) => one === chosen.get("month")) ?? months[0] ?? "";
  const shown = useNetwork();
  const network = shown?.id ?? "";
  const by = view === "day" ? "route" : view;
  const choose = (change: { readonly month?: string; readonly by?: View }) =>
    go(withSearch("revenue", { by: view, month, ...change }), { replace: true });
  return (
    <Page
      title="Revenue"
      lead={`Confirmed payments and what was charged on channels, on ${shown?.label ?? "one network"}, by the month of the sale in UTC. Refunds are not taken off.`}
      actions={
        view === "day" ? (
          <CsvLink
            path={usagePath}
            filters={{ from: `${month}-01`, to: lastDayOf(month), network }}
            name={`revenue-${month}-by-day`}
            look="button"
          />
        ) : (
          <CsvLink
            path={revenuePath}
            filters={{ by, month, network }}
            name={`revenue-${month}-by-${by}`}
            look="button"
          />
        )
      }
    >
      <Form className="filters" role="search" aria-label="Revenue" onSubmit={() => {}}>
        <SelectField
          label="Month"
          value={month}
          options={months.map((one) => [one, monthText(one)] as const)}
          onText={(one) => choose({ month: one })}
        />
      </Form>
      <Section title={monthText(month)}>
        <RevenueMonth {...{ by, month, network }} />
      </Section>
      <Section
        title={`By ${viewName.toLowerCase()}`}
        actions={
          <Segments
            label="Revenue by"
            options={views}
            value={view}
            onChoose={(one) => choose({ by: one })}
          />
        }
      >
        {view === "day" ? (
          <Days month={month} network={network} />
        ) : (
          <Names {...{ by, month, network }} cursor={chosen.get("cursor") ?? ""} />
        )}
      </Section>
    </Page>
  );
}

/** A month that is over gets no more revenue, so it has neither an example nor a next step. */
function None({ month }: Pick<Choice, "month">) {
  return month < monthsAgo(0) ? <Empty title={`No revenue in ${monthText(month)}`} /> : noneYet;
}

const noneYet = (
  <Empty
    title="No revenue"
    link={["integrate", "Integrate"]}
    example={
      <ExampleRow
        of="route"
        cells={[
          ["Route", "GET /reports/:id", "whole"],
          ["Payments", "12"],
          ["Revenue (USDC)", "0.12"],
        ]}
      />
    }
  >
    <p>A payment appears here once it is confirmed.</p>
  </Empty>
);

interface NamesChoice extends Choice {
  readonly by: RevenueJson["by"];
}

/** The same first page as the list reads, so that both are read once. */
function RevenueMonth(choice: NamesChoice) {
  return (
    <>
      <QueryBoundary query={revenueQuery({ ...choice, cursor: "" })} lines={2}>
        {({ total, before }) => <MonthTotal total={total} before={before} />}
      </QueryBoundary>
      <RevenueDays month={choice.month} network={choice.network} />
    </>
  );
}

function Names({ cursor, ...choice }: NamesChoice & { readonly cursor: string }) {
  const { by, month } = choice;
  return (
    <QueryBoundary query={revenueQuery({ ...choice, cursor })} lines={6}>
      {({ total, names, next }) => (
        <>
          <NamesTable names={names} choice={choice} isEmpty={total.amount === "0"} />
          <Pager
            path="revenue"
            filters={{ by, month }}
            cursor={cursor}
            next={next}
            titles={["← First", "More →"]}
          />
        </>
      )}
    </QueryBoundary>
  );
}

/** Sellers who name no routes have addresses. */
function Unnamed({ by, month }: Pick<NamesChoice, "by" | "month">) {
  if (by !== "route") return <p className="muted">None of them has one.</p>;
  return (
    <p className="muted">
      No sale of this month names its route.{" "}
      <Link to={withSearch("revenue", { by: "resource", month })}>Show it by endpoint</Link>
    </p>
  );
}

function NamesTable({
  names,
  choice: { by, month, network },
  isEmpty,
}: {
  readonly names: RevenueJson["names"];
  readonly choice: NamesChoice;
  readonly isEmpty: boolean;
}) {
  const [, title] = views.find(([one]) => one === by) ?? views[0];
  const span = { from: `${month}-01`, to: lastDayOf(month), network };
  const isOver = month < monthsAgo(0);
  const amounts = names.map(({ amount }) => amount);
  return (
    <DataTable
      caption={`Revenue by ${title.toLowerCase()}`}
      rows={names}
      keyOf={({ name }) => name}
      empty={isEmpty ? <None month={month} /> : <Unnamed by={by} month={month} />}
      columns={[
        {
          title,
          inCard: "whole",
          cell: ({ name, amount }) => (
            <span className="with-share">
              <Link to={withSearch("settlements", { ...span, [by]: name })}>
                <code className="breakable" title={name}>
                  {by === "payer" ? shortText(name) : name}
                </code>
              </Link>
              <ShareBar units={amount} of={amounts} />
            </span>
          ),
        },
        {
          title: "Settlements",
          isNumber: true,
          cell: ({ settlements }) => countText(settlements),
        },
        usdcColumn(names, {
          title: "Revenue",
          unitsOf: ({ amount }) => amount,
          // A month that lasts is compared as a whole in the line above.
          ...(isOver && { note: (one) => <Change now={one} before={one.before} /> }),
        }),
        usdcColumn(names, { title: "Month before", unitsOf: ({ before }) => before.amount }),
      ]}
    />
  );
}

function Days({ month, network }: Choice) {
  return (
    <QueryBoundary query={usageQuery(`${month}-01`, network, lastDayOf(month))} lines={6}>
      {({ days }) => {
        const sold = days.filter(({ amount }) => amount !== "0").toReversed();
        return (
          <DataTable
            caption="Revenue by day"
            rows={sold}
            keyOf={({ day }) => day}
            empty={<None month={month} />}
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
              usdcColumn(sold, { title: "Revenue", unitsOf: ({ amount }) => amount }),
            ]}
          />
        );
      }}
    </QueryBoundary>
  );
}
