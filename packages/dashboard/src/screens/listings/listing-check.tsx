import type { ListingJson, ListingDifferenceJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { listingsPath, listingsQuery } from "../../api/queries.ts";
import { DataTable } from "../../components/data-table.tsx";
import { Notice } from "../../components/notice.tsx";
import { Section, Facts } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { usdcText } from "../../components/format.ts";
import { When } from "../../components/values.tsx";
import { ListingBadge, NextCheck } from "./listing-badge.tsx";
import { Button } from "../../components/button.tsx";
import { useChange } from "../../components/use-change.ts";

export function ListingCheck({ listing }: { readonly listing: ListingJson }) {
  const { id, check } = listing;
  const recheck = useChange({
    send: () => call<ListingJson>(`${listingsPath}/${id}/check`, { method: "POST", body: {} }),
    refreshes: [listingsQuery],
    announces: (after) => `Checked: the listing is ${after.check.state}`,
  });
  const state = (
    <>
      <ListingBadge state={check.state} />{" "}
      {check.isPublic ? "Visible to buyers." : "Hidden from buyers."}
    </>
  );
  return (
    <Section
      title="State"
      actions={
        <Button
          look="small"
          needs="manage_listings"
          disabled={recheck.isPending || check.state === "blocked"}
          onClick={() => recheck.mutate()}
        >
          {recheck.isPending ? "Checking…" : "Check now"}
        </Button>
      }
    >
      {recheck.error && <Problem problem={recheck.error} />}
      <Reason listing={listing} />
      {check.differences.length > 0 && <Differences rows={check.differences} />}
      <Facts
        rows={[
          ["State", state],
          ["Last check", <When at={check.checkedAt} />],
          ["Next check", <NextCheck check={check} />],
        ]}
      />
    </Section>
  );
}

function Reason({ listing: { check } }: { readonly listing: ListingJson }) {
  const { state, message, checkedAt, triedAt } = check;
  const isStale = checkedAt !== null && triedAt !== null && triedAt > checkedAt;
  return (
    <>
      {isStale && (
        <Notice tone="info" title="The last check could not run">
          <p>
            Not checked since <When at={checkedAt} />. This counts as neither passed nor failed, and
            is retried automatically.
          </p>
        </Notice>
      )}
      {state === "blocked" && (
        <Notice tone="bad" title="This listing was blocked by the operator">
          <p>It is neither shown nor checked. Contact the operator.</p>
        </Notice>
      )}
      {(state === "failing" || state === "hidden") && (
        <Notice
          tone={state === "hidden" ? "bad" : "warn"}
          title={state === "hidden" ? "Hidden until a check passes" : "The last check failed"}
        >
          <p>
            {check.differences.length > 0
              ? "The endpoint’s terms do not match the listing:"
              : message}
          </p>
          {state === "failing" && check.isPublic && (
            <p>It is still shown. If the next check also fails, it is hidden.</p>
          )}
        </Notice>
      )}
    </>
  );
}

const fieldNames: Readonly<Record<ListingDifferenceJson["field"], string>> = {
  scheme: "Scheme",
  network: "Network",
  asset: "Asset",
  payTo: "Payee",
  amount: "Price",
  resourceHost: "Host",
  entry: "Offer",
};

function Differences({ rows }: { readonly rows: readonly ListingDifferenceJson[] }) {
  return (
    <DataTable
      caption="Difference"
      rows={rows}
      keyOf={({ field }) => field}
      columns={[
        { title: "Difference", inCard: "whole", cell: ({ field }) => fieldNames[field] },
        { title: "Listed", cell: ({ field, advertised }) => valueOf(field, advertised) },
        { title: "Seen", cell: ({ field, seen }) => valueOf(field, seen) },
      ]}
    />
  );
}

function valueOf(field: ListingDifferenceJson["field"], text: string) {
  const isUnits = field === "amount" && /^\d{1,30}$/.test(text);
  return <span className="breakable">{isUnits ? `${usdcText(text)} USDC` : text}</span>;
}
