import { explorerLink, findNetwork } from "@farthing/protocol";
import type { SettlementRow } from "@farthing/facilitator/api";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Link } from "../../components/link.tsx";
import { Short, Usdc, When } from "../../components/values.tsx";
import { useAccount } from "../../signed-in.ts";
import { SettlementBadge } from "./settlement-badge.tsx";

export function transactionLink({ network, transaction }: SettlementRow): string | undefined {
  const known = findNetwork(network);
  return known && transaction ? explorerLink(known, transaction) : undefined;
}

/** Shown where there is more than one network. */
const networkColumn: Column<SettlementRow> = {
  title: "Network",
  inCard: "hidden",
  cell: ({ network }) => findNetwork(network)?.name ?? network,
};

export function SettlementsTable({ rows }: { readonly rows: readonly SettlementRow[] }) {
  const { networks } = useAccount();
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
        {
          title: "Amount",
          inCard: "end",
          isNumber: true,
          cell: ({ amount, refundOf }) => (
            <Usdc units={refundOf === null ? amount : `-${amount}`} />
          ),
        },
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
              {row.failure !== null && <code className="reason">{row.failure}</code>}
            </span>
          ),
        },
        {
          title: "Transaction",
          inCard: "hidden",
          cell: (row) =>
            row.transaction ? (
              <Short text={row.transaction} what="transaction hash" href={transactionLink(row)} />
            ) : (
              <span className="muted">–</span>
            ),
        },
        ...(networks.length > 1 ? [networkColumn] : []),
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
