import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Listing } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { listingsPath, listingsQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Empty } from "../../components/empty.tsx";
import { Link } from "../../components/link.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Page, Section } from "../../components/page.tsx";
import { countText } from "../../components/format.ts";
import { Short, Usdc, When } from "../../components/values.tsx";
import { go } from "../../location.ts";
import { ListingCheck } from "./listing-check.tsx";
import { ListingForm } from "./listing-form.tsx";

/** One listing: where it stands and why, what is advertised, what is sold. */
export function ListingScreen({ id }: { readonly id: string }) {
  const listings = useQuery(listingsQuery);
  const found = listings.data?.listings.find((one) => one.id === id);
  return (
    <Page title={found?.title ?? "Listing"} back={["listings", "Listings"]}>
      <QueryBoundary query={listings} lines={6}>
        {() =>
          found ? (
            <Whole listing={found} />
          ) : (
            <Empty
              title="Listing not found"
              action={
                <Link to="listings" className="button">
                  All listings
                </Link>
              }
            >
              <p>It may have been removed.</p>
            </Empty>
          )
        }
      </QueryBoundary>
    </Page>
  );
}

function Whole({ listing }: { readonly listing: Listing }) {
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
            <button type="button" className="button small" onClick={() => setOpen("edit")}>
              Change
            </button>
            <button
              type="button"
              className="button quiet small danger"
              onClick={() => setOpen("remove")}
            >
              Remove
            </button>
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
            what="offers of the challenge"
          />
        </Section>
      )}
      {open === "edit" && <ListingForm listing={listing} onClose={close} onSaved={close} />}
      {open === "remove" && <RemoveListing listing={listing} onClose={close} />}
    </>
  );
}

function Terms({ listing }: { readonly listing: Listing }) {
  const { resource, method, description, tags, advertised } = listing;
  return (
    <dl className="facts">
      <dt>Endpoint</dt>
      <dd className="breakable">
        {method} {resource}
      </dd>
      <dt>Price</dt>
      <dd>
        <Usdc units={advertised.amount} />
      </dd>
      <dt>Network</dt>
      <dd>{advertised.network}</dd>
      <dt>Payee</dt>
      <dd>
        <Short text={advertised.payTo} what="payee" />
      </dd>
      {description !== "" && (
        <>
          <dt>Description</dt>
          <dd className="breakable">{description}</dd>
        </>
      )}
      {tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd className="breakable">{tags.join(", ")}</dd>
        </>
      )}
    </dl>
  );
}

function Sales({ listing: { stats } }: { readonly listing: Listing }) {
  return (
    <Section title="Sales in the last 30 days">
      <dl className="facts">
        <dt>Settlements</dt>
        <dd>{countText(stats.settlements30d)}</dd>
        <dt>Volume</dt>
        <dd>
          <Usdc units={stats.volume30d} />
        </dd>
        <dt>Payers</dt>
        <dd>{countText(stats.payers30d)}</dd>
        <dt>Last sold</dt>
        <dd>
          <When at={stats.lastSettledAt} />
        </dd>
      </dl>
      <p className="hint">
        Settlements with this account’s keys at this price, updated with each check.
      </p>
    </Section>
  );
}

function RemoveListing({
  listing,
  onClose,
}: {
  readonly listing: Listing;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call(`${listingsPath}/${listing.id}`, { method: "DELETE" }),
    onSuccess: async () => {
      announce("Listing removed");
      go("listings", { replace: true });
      await client.invalidateQueries(listingsQuery);
    },
  });
  return (
    <ConfirmDialog
      title="Remove this listing?"
      action="Remove listing"
      mutation={remove}
      onClose={onClose}
    >
      <p className="breakable">
        Buyers can no longer find {listing.resource}. The endpoint itself is not affected.
      </p>
    </ConfirmDialog>
  );
}
