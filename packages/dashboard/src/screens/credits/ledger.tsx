import type { LedgerEntry } from "@farthing/facilitator/api";
import { ledgerPath, ledgerQuery } from "../../api/queries.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Empty, QueryBoundary, Section } from "../../components/page.tsx";
import { Link, CsvLink } from "../../components/link.tsx";
import { Pager } from "../../components/pager.tsx";
import { countText, shortText } from "../../components/format.ts";
import { Sold } from "../../components/sold.tsx";
import { When } from "../../components/values.tsx";
import { useLocation } from "../../location.ts";

const kinds: Readonly<Record<LedgerEntry["kind"], string>> = {
  purchase: "Bought",
  grant: "Granted",
  hold: "Reserved for",
  charge: "Spent on",
  release: "Returned from",
  reopen: "Reserved again for",
  adjustment: "Adjusted",
};

export function Ledger() {
  const { search } = useLocation();
  const cursor = new URLSearchParams(search).get("cursor") ?? "";
  return (
    <Section
      title="Ledger"
      actions={<CsvLink path={ledgerPath} name="ledger" look="button quiet small" />}
    >
      <QueryBoundary query={ledgerQuery(cursor)} lines={6}>
        {({ entries, next }) => (
          <>
            <DataTable
              caption="Ledger of credits"
              rows={entries}
              keyOf={({ id }) => id}
              columns={columns}
              empty={
                <Empty title="No entries yet">
                  <p>
                    Purchases and settlements appear here. Entries are never changed or removed.
                  </p>
                </Empty>
              }
            />
            <Pager path="credits" cursor={cursor} next={next} />
          </>
        )}
      </QueryBoundary>
    </Section>
  );
}

const columns: readonly Column<LedgerEntry>[] = [
  {
    title: "What",
    inCard: "whole",
    cell: (entry) => (
      <span>
        {kinds[entry.kind]} <Cause entry={entry} />
        {entry.note !== null && <span className="muted"> · {entry.note}</span>}
      </span>
    ),
  },
  { title: "Time", inCard: "start", cell: ({ createdAt }) => <When at={createdAt} /> },
  { title: "Change", inCard: "end", isNumber: true, cell: (entry) => <Change entry={entry} /> },
  { title: "Balance", isNumber: true, cell: ({ balanceAfter }) => countText(balanceAfter) },
];

/** What a settlement cost was taken from the balance when it was reserved. */
function Change({ entry: { kind, credits, cost } }: { readonly entry: LedgerEntry }) {
  if (credits > 0) return <span className="plus">+{countText(credits)}</span>;
  if (credits < 0) return countText(credits);
  if (kind !== "charge" || cost === null) return <span className="muted">–</span>;
  return (
    <span className="muted">
      {cost === 0 ? "free" : `cost ${countText(cost)}, reserved before`}
    </span>
  );
}

function Cause({ entry }: { readonly entry: LedgerEntry }) {
  const { settlementId, purchaseId } = entry;
  if (settlementId !== null) {
    return <Sold {...entry} to={`settlements/${settlementId}`} unnamed="an unnamed sale" />;
  }
  if (purchaseId !== null) {
    return <Link to={`credits/purchases/${purchaseId}`}>{shortText(purchaseId)}</Link>;
  }
  return null;
}
