import { useMay } from "../../signed-in.ts";
import { purchasesQuery } from "../../api/queries.ts";
import { DataTable } from "../../components/data-table.tsx";
import { Empty, QueryBoundary, Section } from "../../components/page.tsx";
import { Link } from "../../components/link.tsx";
import { countText } from "../../components/format.ts";
import { usdcColumn } from "../../components/usdc-column.tsx";
import { When } from "../../components/values.tsx";
import { PurchaseBadge } from "./purchase-badge.tsx";

export function Purchases() {
  const mayBuy = useMay("buy_credits");
  return (
    <Section title="Purchases">
      <QueryBoundary query={purchasesQuery}>
        {({ purchases: rows }) => (
          <DataTable
            caption="Purchases"
            rows={rows}
            keyOf={({ id }) => id}
            empty={
              <Empty
                title="No purchases yet"
                {...(mayBuy && { link: ["credits/buy", "Buy credits"] as const })}
              >
                <p>Pay in USDC from your wallet. We pay the gas.</p>
              </Empty>
            }
            columns={[
              { title: "Time", inCard: "start", cell: ({ createdAt }) => <When at={createdAt} /> },
              { title: "Credits", isNumber: true, cell: ({ credits }) => countText(credits) },
              usdcColumn(rows, { title: "Paid", unitsOf: ({ amount }) => amount }),
              {
                title: "State",
                inCard: "end",
                cell: ({ state }) => <PurchaseBadge state={state} />,
              },
              { title: "Reason", inCard: "whole", cell: ({ reason }) => reason },
              {
                title: "Details",
                hasNoTitle: true,
                cell: ({ id, state }) => (
                  <Link to={`credits/purchases/${id}`} className="button quiet small">
                    {mayBuy && state === "awaiting_payment" ? "Pay" : "Details"}
                  </Link>
                ),
              },
            ]}
          />
        )}
      </QueryBoundary>
    </Section>
  );
}
