import type { CustomerJson } from "@farthing/facilitator/api";
import { customersPath, customersQuery } from "../../api/queries.ts";
import { useNetwork } from "../../chosen-network.ts";
import { Segments } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { countText, shortText } from "../../components/format.ts";
import { ExampleRow } from "../../components/example-row.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { CsvLink, Link } from "../../components/link.tsx";
import { Empty, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { ShareBar } from "../../components/share-bar.tsx";
import { usdcColumn } from "../../components/usdc-column.tsx";
import { When } from "../../components/values.tsx";
import { go, useLocation, withSearch } from "../../location.ts";

const orders = [
  ["amount", "Revenue"],
  ["recent", "Last payment"],
] as const;

export function CustomersScreen() {
  const chosen = new URLSearchParams(useLocation().search);
  const network = useNetwork()?.id ?? "";
  const [order] = orders.find(([one]) => one === chosen.get("order")) ?? orders[0];
  const cursor = chosen.get("cursor") ?? "";
  return (
    <Page
      title="Customers"
      lead="The wallets that paid you, with their confirmed payments. Refunds are not subtracted."
      actions={
        <CsvLink path={customersPath} filters={{ network }} name="customers" look="button" />
      }
    >
      <Section
        title="Payers"
        actions={
          <Segments
            label="Order"
            options={orders}
            value={order}
            onChoose={(one) => go(withSearch("customers", { order: one }), { replace: true })}
          />
        }
      >
        <QueryBoundary query={customersQuery({ order, network, cursor })} lines={6}>
          {({ customers, next }) => (
            <>
              <CustomersTable rows={customers} network={network} />
              <Pager
                path="customers"
                filters={{ order }}
                cursor={cursor}
                next={next}
                titles={["← First", "More →"]}
              />
            </>
          )}
        </QueryBoundary>
      </Section>
    </Page>
  );
}

const example = (
  <ExampleRow
    of="customer"
    cells={[
      ["Payer", "0x7099…79C8", "whole"],
      ["Payments", "12"],
      ["Revenue (USDC)", "0.12"],
      ["Last payment", "2 minutes ago"],
    ]}
  />
);

function CustomersTable({
  rows,
  network,
}: {
  readonly rows: readonly CustomerJson[];
  readonly network: string;
}) {
  const amounts = rows.map(({ amount }) => amount);
  return (
    <DataTable
      caption="Customers"
      rows={rows}
      keyOf={({ payer }) => payer}
      empty={
        <Empty title="No customers yet" link={["integrate", "Integrate"]} example={example}>
          <p>A wallet appears here once its first payment is confirmed.</p>
        </Empty>
      }
      columns={[
        {
          title: "Payer",
          inCard: "whole",
          cell: ({ payer, amount }) => (
            <span className="with-share">
              <span className="short">
                <Link to={withSearch("settlements", { payer, network })}>
                  <code title={payer}>{shortText(payer)}</code>
                </Link>
                <CopyButton text={payer} what="payer" />
              </span>
              <ShareBar units={amount} of={amounts} />
            </span>
          ),
        },
        {
          title: "Payments",
          isNumber: true,
          cell: ({ settlements }) => countText(settlements),
        },
        usdcColumn(rows, { title: "Revenue", unitsOf: ({ amount }) => amount }),
        { title: "First payment", cell: ({ firstAt }) => <When at={firstAt} /> },
        { title: "Last payment", cell: ({ lastAt }) => <When at={lastAt} /> },
      ]}
    />
  );
}
