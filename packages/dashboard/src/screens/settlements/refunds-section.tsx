/** The refunds of a payment, and the button for another. */
import { useState } from "react";
import type { RefundJson, SettlementDetail } from "@farthing/facilitator/api";
import { Button } from "../../components/button.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { shortText } from "../../components/format.ts";
import { Link } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { Section } from "../../components/page.tsx";
import { usdcColumn } from "../../components/usdc-column.tsx";
import { Short } from "../../components/values.tsx";
import { useExplorer } from "../../signed-in.ts";
import { RefundDialog } from "./refund-dialog.tsx";
import { refundOffer } from "./refund-flow.ts";
import { SettlementBadge } from "./settlement-badge.tsx";

export function RefundsSection({ settlement }: { readonly settlement: SettlementDetail }) {
  const [isOpen, setOpen] = useState(false);
  const linkTo = useExplorer();
  const offer = refundOffer(settlement);
  const { id, refunds, network, opens } = settlement;
  const failed = refunds.find(
    ({ ordinal, state }) => state === "failed" && ordinal === offer?.payment.ordinal,
  );
  return (
    <Section
      title="Refunds"
      actions={
        offer && (
          <Button look="small" needs="refund" onClick={() => setOpen(true)}>
            Refund
          </Button>
        )
      }
    >
      {opens && (
        <Notice tone="info" title="Refund this payment in the code of your shop">
          <p>
            It has opened a {opens}, which a refund from here would leave open. Call{" "}
            <code>seller.refund</code> where the shop keeps its passes and balances.
          </p>
        </Notice>
      )}
      {failed && <FailedRefund refund={failed} />}
      <DataTable
        caption="Refunds"
        rows={refunds}
        keyOf={(refund) => refund.id}
        columns={columnsOf((transaction) => linkTo(network, transaction), refunds)}
        empty={<p className="muted">No refunds.</p>}
      />
      {isOpen && offer && (
        <RefundDialog settlementId={id} offer={offer} onClose={() => setOpen(false)} />
      )}
    </Section>
  );
}

function FailedRefund({ refund: { id } }: { readonly refund: RefundJson }) {
  return (
    <Notice
      tone="bad"
      title="The last refund failed"
      actions={
        <Link to={`settlements/${id}`} className="button small">
          View reason
        </Link>
      }
    >
      <p>
        It has not moved any money. Fix the reason, then refund again. For ten minutes after it was
        signed, only the same amount can be refunded, because the first signature is still valid.
      </p>
    </Notice>
  );
}

function columnsOf(
  linkTo: (transaction: string) => string | undefined,
  refunds: readonly RefundJson[],
): readonly Column<RefundJson>[] {
  return [
    {
      title: "Refund",
      inCard: "start",
      cell: ({ id }) => (
        <Link to={`settlements/${id}`}>
          <code>{shortText(id)}</code>
        </Link>
      ),
    },
    usdcColumn(refunds, { title: "Amount", inCard: "end", unitsOf: ({ amount }) => amount }),
    {
      title: "State",
      inCard: "start",
      cell: ({ state, finalized }) => <SettlementBadge state={state} isFinal={finalized} />,
    },
    {
      title: "Transaction",
      inCard: "end",
      cell: ({ transaction }) =>
        transaction ? (
          <Short text={transaction} what="transaction hash" href={linkTo(transaction)} />
        ) : (
          <span className="muted">–</span>
        ),
    },
  ];
}
