import type { SettlementRow } from "@farthing/facilitator/api";
import { DataTable } from "../../components/data-table.tsx";
import { Link } from "../../components/link.tsx";
import { failureName } from "../../components/failure-names.ts";
import { usdcColumn } from "../../components/usdc-column.tsx";
import { Short, When } from "../../components/values.tsx";
import { useExplorer } from "../../signed-in.ts";
import { SettlementBadge } from "./settlement-badge.tsx";

export function SettlementsTable({ rows }: { readonly rows: readonly SettlementRow[] }) {
  const linkTo = useExplorer();
  return (
    <DataTable
      caption="Settlements"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Time",
          inCard: "start",
          cell: ({ id, createdAt }) => (
            <Link to={`settlements/${id}`}>
              <When at={createdAt} />
            </Link>
          ),
        },
        usdcColumn(rows, {
          title: "Amount",
          inCard: "end",
          unitsOf: ({ amount, refundOf }) => (refundOf === null ? amount : `-${amount}`),
        }),
        {
          title: "Counterparty",
          inCard: "start",
          cell: (row) => <Counterparty row={row} />,
        },
        {
          title: "State",
          inCard: "end",
          cell: (row) => (
            <span>
              <SettlementBadge state={row.state} isFinal={row.finalizedAt !== null} />
              {row.recoveredAt !== null && <span className="reason">recovered</span>}
              {row.failure !== null && (
                <span className="reason" title={row.failure}>
                  {failureName(row.failure)}
                </span>
              )}
            </span>
          ),
        },
        {
          title: "Transaction",
          inCard: "hidden",
          cell: (row) =>
            row.transaction ? (
              <Short
                text={row.transaction}
                what="transaction hash"
                href={linkTo(row.network, row.transaction)}
              />
            ) : (
              <span className="muted">–</span>
            ),
        },
      ]}
    />
  );
}

/** Who paid; in a refund, who gets the money back, and for which payment. */
function Counterparty({ row: { payer, payTo, refundOf } }: { readonly row: SettlementRow }) {
  if (refundOf === null) return <Short text={payer} what="payer" />;
  return (
    <>
      <Link to={`settlements/${refundOf}`}>Refund</Link> to <Short text={payTo} what="recipient" />
    </>
  );
}
