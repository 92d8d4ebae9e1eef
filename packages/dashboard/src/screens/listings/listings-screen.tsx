import { useState, type ReactNode } from "react";
import type { ListingJson } from "@farthing/facilitator/api";
import { listingsQuery } from "../../api/queries.ts";
import { DataTable } from "../../components/data-table.tsx";
import { Empty, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Link } from "../../components/link.tsx";
import { usdcColumn } from "../../components/usdc-column.tsx";
import { When } from "../../components/values.tsx";
import { useNetwork } from "../../chosen-network.ts";
import { go } from "../../location.ts";
import { ListingBadge, NextCheck } from "./listing-badge.tsx";
import { ListingForm } from "./listing-form.tsx";
import { Button } from "../../components/button.tsx";

export function ListingsScreen() {
  const [isAdding, setAdding] = useState(false);
  const network = useNetwork();
  const add = (
    <Button look="primary" needs="manage_listings" onClick={() => setAdding(true)}>
      List an endpoint
    </Button>
  );
  return (
    <Page
      title="Listings"
      lead="Agents and people find your endpoints here. We re-check prices regularly. A listing that does not match its endpoint is hidden until it does."
      actions={add}
    >
      <Section title="Endpoints">
        <QueryBoundary query={listingsQuery}>
          {({ listings }) => (
            <ListingsTable
              rows={listings.filter(({ advertised }) => advertised.network === network?.id)}
              empty={
                <Empty title="No listings yet" action={add}>
                  <p>
                    List an endpoint that responds with 402 and pays this account. Buyers find it at{" "}
                    <code>/discovery/resources</code> and with <code>farthing find</code>.
                  </p>
                </Empty>
              }
            />
          )}
        </QueryBoundary>
      </Section>
      {isAdding && (
        <ListingForm
          onClose={() => setAdding(false)}
          onSaved={({ id }) => {
            setAdding(false);
            go(`listings/${id}`);
          }}
        />
      )}
    </Page>
  );
}

function ListingsTable({
  rows,
  empty,
}: {
  readonly rows: readonly ListingJson[];
  readonly empty: ReactNode;
}) {
  return (
    <DataTable
      caption="Listed endpoints"
      rows={rows}
      keyOf={({ id }) => id}
      empty={empty}
      columns={[
        {
          title: "Endpoint",
          inCard: "whole",
          cell: ({ id, title, method, resource }) => (
            <div>
              <Link to={`listings/${id}`} className="breakable">
                {title}
              </Link>
              <div className="muted breakable">
                {method} {resource}
              </div>
            </div>
          ),
        },
        usdcColumn(rows, { title: "Price", unitsOf: ({ advertised }) => advertised.amount }),
        { title: "State", cell: ({ check }) => <ListingBadge state={check.state} /> },
        { title: "Last check", cell: ({ check }) => <When at={check.checkedAt} /> },
        { title: "Next check", cell: ({ check }) => <NextCheck check={check} /> },
      ]}
    />
  );
}
