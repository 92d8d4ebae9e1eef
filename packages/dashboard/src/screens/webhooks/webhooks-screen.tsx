import { useState } from "react";
import type { NewWebhookEndpoint, WebhookEndpointJson } from "@farthing/facilitator/api";
import { webhooksQuery } from "../../api/queries.ts";
import { StatusBadge } from "./status-badge.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Empty, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Link } from "../../components/link.tsx";
import { SecretReveal } from "../../components/dialog.tsx";
import { When } from "../../components/values.tsx";
import { AddWebhook } from "./add-webhook.tsx";
import { HowToVerify } from "./how-to-verify.tsx";
import { eventsText } from "./webhook-events.ts";
import { Button } from "../../components/button.tsx";

export function WebhooksScreen() {
  const [open, setOpen] = useState<"add" | NewWebhookEndpoint>();
  const add = (
    <Button look="primary" needs="manage_webhooks" onClick={() => setOpen("add")}>
      Add endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead="Get notified when something happens instead of polling. Every message is signed and retried until your server responds with 2xx."
      actions={add}
    >
      <Section title="Endpoints">
        <QueryBoundary query={webhooksQuery}>
          {({ webhooks: rows }) => (
            <DataTable
              caption="Webhook endpoints"
              rows={rows}
              keyOf={({ id }) => id}
              columns={columns}
              empty={
                <Empty title="No endpoints yet" action={add}>
                  <p>
                    Without an endpoint, your server can poll{" "}
                    <code>GET /settlements/{"{id}"}?wait=</code> instead.
                  </p>
                </Empty>
              }
            />
          )}
        </QueryBoundary>
      </Section>
      <Section title="Verify a message">
        <HowToVerify />
      </Section>
      {open === "add" && <AddWebhook onClose={() => setOpen(undefined)} onAdded={setOpen} />}
      {typeof open === "object" && (
        <SecretReveal
          title="Your signing secret"
          secret={open.secret}
          what="signing secret"
          onSaved={() => setOpen(undefined)}
        >
          <p>
            Your server uses it to verify that a message comes from this service. It is not shown
            again; add a new endpoint to get a new secret.
          </p>
        </SecretReveal>
      )}
    </Page>
  );
}

const columns: readonly Column<WebhookEndpointJson>[] = [
  {
    title: "Address",
    inCard: "whole",
    cell: ({ id, url }) => (
      <Link to={`webhooks/${id}`} className="breakable">
        {url}
      </Link>
    ),
  },
  {
    title: "Events",
    cell: ({ events }) => <span className="breakable">{eventsText(events)}</span>,
  },
  {
    title: "Status",
    cell: (endpoint) => <StatusBadge endpoint={endpoint} />,
  },
  { title: "Added", cell: ({ createdAt }) => <When at={createdAt} /> },
];
