import type { SettlementRow } from "@farthing/facilitator/api";
import { DataTable } from "../../components/data-table.tsx";
import { Link } from "../../components/link.tsx";
import { failureName } from "../../components/failure-names.ts";
import { Sold } from "../../components/sold.tsx";
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
        { title: "Sold", inCard: "start", cell: (row) => <SoldCell row={row} /> },
        { title: "Time", inCard: "start", cell: ({ createdAt }) => <When at={createdAt} /> },
        usdcColumn(rows, {
          title: "Amount",
          inCard: "end",
          unitsOf: ({ amount, refundOf }) => (refundOf === null ? amount : `-${amount}`),
        }),
        { title: "Counterparty", inCard: "start", cell: (row) => <Counterparty row={row} /> },
        { title: "State", inCard: "end", cell: (row) => <State row={row} /> },
        {
          title: "Transaction",
          inCard: "hidden",
          cell: ({ transaction, network }) =>
            transaction ? (
              <Short
                text={transaction}
                what="transaction hash"
                href={linkTo(network, transaction)}
              />
            ) : (
              <span className="muted">–</span>
            ),
        },
      ]}
    />
  );
}

interface Row {
  readonly row: SettlementRow;
}

function SoldCell({ row }: Row) {
  const to = `settlements/${row.id}`;
  if (row.refundOf === null) return <Sold {...row} to={to} unnamed="Unnamed sale" />;
  return (
    <span>
      <Link to={to}>Refund</Link>
      <span className="reason">
        of <Link to={`settlements/${row.refundOf}`}>this payment</Link>
      </span>
    </span>
  );
}

/** Who paid; in a refund, who gets the money back. */
function Counterparty({ row: { payer, payTo, refundOf } }: Row) {
  if (refundOf === null) return <Short text={payer} what="payer" />;
  return (
    <span>
      to <Short text={payTo} what="recipient" />
    </span>
  );
}

function State({ row: { state, finalizedAt, recoveredAt, failure } }: Row) {
  return (
    <span>
      <SettlementBadge state={state} isFinal={finalizedAt !== null} />
      {recoveredAt !== null && <span className="reason">recovered</span>}
      {failure !== null && (
        <span className="reason" title={failure}>
          {failureName(failure)}
        </span>
      )}
    </span>
  );
}
