import type { LedgerEntry } from "@farthing/facilitator/api";
import { ledgerPath, ledgerQuery } from "../../api/queries.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Empty, QueryBoundary, Section } from "../../components/page.tsx";
import { Link, CsvLink } from "../../components/link.tsx";
import { Pager } from "../../components/pager.tsx";
import { countText, shortText } from "../../components/format.ts";
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
  { title: "Time", inCard: "start", cell: ({ createdAt }) => <When at={createdAt} /> },
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
  {
    title: "Credits",
    inCard: "end",
    isNumber: true,
    cell: ({ credits }) => (
      <span className={credits > 0 ? "plus" : undefined}>
        {credits > 0 ? "+" : ""}
        {countText(credits)}
      </span>
    ),
  },
  { title: "Balance", isNumber: true, cell: ({ balanceAfter }) => countText(balanceAfter) },
];

function Cause({ entry }: { readonly entry: LedgerEntry }) {
  const { settlementId, purchaseId } = entry;
  if (settlementId !== null) {
    return <Link to={`settlements/${settlementId}`}>{shortText(settlementId)}</Link>;
  }
  if (purchaseId !== null) {
    return <Link to={`credits/purchases/${purchaseId}`}>{shortText(purchaseId)}</Link>;
  }
  return null;
}
