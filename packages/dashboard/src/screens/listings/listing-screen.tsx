import { findNetwork } from "@farthing/protocol";
import { useState } from "react";
import type { ListingJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { listingsPath, listingsQuery } from "../../api/queries.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Empty, Facts, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { countText } from "../../components/format.ts";
import { Short, Usdc, When } from "../../components/values.tsx";
import { go } from "../../location.ts";
import { ListingCheck } from "./listing-check.tsx";
import { ListingForm } from "./listing-form.tsx";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../components/button.tsx";

export function ListingScreen({ id }: { readonly id: string }) {
  const found = useQuery(listingsQuery).data?.listings.find((one) => one.id === id);
  return (
    <Page title={found?.title ?? "Listing"} back={["listings", "Listings"]}>
      <QueryBoundary query={listingsQuery} lines={6}>
        {() =>
          found ? (
            <Whole listing={found} />
          ) : (
            <Empty title="Listing not found" link={["listings", "All listings"]}>
              <p>It may have been removed.</p>
            </Empty>
          )
        }
      </QueryBoundary>
    </Page>
  );
}

function Whole({ listing }: { readonly listing: ListingJson }) {
  const [open, setOpen] = useState<"edit" | "remove">();
  const close = () => setOpen(undefined);
  const { lastSeen } = listing;
  return (
    <>
      <ListingCheck listing={listing} />
      <Section
        title="Listing details"
        actions={
          <>
            <Button look="small" needs="manage_listings" onClick={() => setOpen("edit")}>
              Change
            </Button>
            <Button
              look="quiet small danger"
              needs="manage_listings"
              onClick={() => setOpen("remove")}
            >
              Remove
            </Button>
          </>
        }
      >
        <Terms listing={listing} />
      </Section>
      <Sales listing={listing} />
      {lastSeen && (
        <Section title="Latest challenge">
          <p>
            What the endpoint asked for at <When at={lastSeen.at} />.{" "}
            {listing.check.isPublic && "This is what buyers see."}
          </p>
          <CodeBlock
            code={JSON.stringify(lastSeen.accepts, undefined, 2)}
            language="json"
            what="offers of the challenge"
          />
        </Section>
      )}
      {open === "edit" && <ListingForm listing={listing} onClose={close} onSaved={close} />}
      {open === "remove" && (
        <ConfirmDialog
          title="Remove this listing?"
          action="Remove listing"
          onClose={close}
          send={() => call(`${listingsPath}/${listing.id}`, { method: "DELETE" })}
          leave={() => go("listings", { replace: true })}
          refreshes={[listingsQuery]}
          announces="Listing removed"
        >
          <p className="breakable">
            Buyers can no longer find {listing.resource}. The endpoint itself is not affected.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Terms({ listing }: { readonly listing: ListingJson }) {
  const { resource, method, description, tags, advertised } = listing;
  return (
    <Facts
      rows={[
        ["Endpoint", `${method} ${resource}`, "breakable"],
        ["Price", <Usdc units={advertised.amount} />],
        ["Network", findNetwork(advertised.network)?.name ?? advertised.network],
        ["Payee", <Short text={advertised.payTo} what="payee" />],
        description !== "" && ["Description", description, "breakable"],
        tags.length > 0 && ["Tags", tags.join(", "), "breakable"],
      ]}
    />
  );
}

function Sales({ listing: { stats } }: { readonly listing: ListingJson }) {
  return (
    <Section title="Sales in the last 30 days">
      <Facts
        rows={[
          ["Settlements", countText(stats.settlements30d)],
          ["Volume", <Usdc units={stats.volume30d} />],
          ["Payers", countText(stats.payers30d)],
          ["Last sold", <When at={stats.lastSettledAt} />],
        ]}
      />
      <p className="hint">
        Settlements with this account’s keys at this price, updated with each check.
      </p>
    </Section>
  );
}
