import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { NewWebhookEndpoint, WebhookEndpoint } from "../../api/answers.ts";
import { webhooksQuery } from "../../api/queries.ts";
import { Badge } from "../../parts/badge.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Link } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { When } from "../../parts/values.tsx";
import { AddWebhook } from "./add-webhook.tsx";
import { HowToVerify } from "./how-to-verify.tsx";
import { eventsText } from "./webhook-events.ts";

/** Where events are sent to. */
export function WebhooksScreen() {
  const webhooks = useQuery(webhooksQuery);
  const [open, setOpen] = useState<"add" | NewWebhookEndpoint>();
  const add = (
    <button type="button" className="button primary" onClick={() => setOpen("add")}>
      Add endpoint
    </button>
  );
  return (
    <Page
      title="Webhooks"
      lead="Your server is told when something happens, so that it need not ask. Every message is signed, and sent again until your server answers 2xx."
      actions={add}
    >
      <Section title="Endpoints">
        <Loaded query={webhooks}>
          {({ webhooks: rows }) =>
            rows.length === 0 ? (
              <Empty title="No endpoint yet" action={add}>
                <p>
                  Without one, your server asks <code>GET /settlements/{"{id}"}?wait=</code>, which
                  works as well.
                </p>
              </Empty>
            ) : (
              <EndpointsTable rows={rows} />
            )
          }
        </Loaded>
      </Section>
      <Section title="How to check a message">
        <HowToVerify />
      </Section>
      {open === "add" && <AddWebhook onClose={() => setOpen(undefined)} onAdded={setOpen} />}
      {typeof open === "object" && (
        <ShownOnce
          title="The signing secret"
          secret={open.secret}
          what="signing secret"
          onSaved={() => setOpen(undefined)}
        >
          <p>
            Your server checks with it that a message comes from here. It cannot be shown again; a
            new endpoint gets a new one.
          </p>
        </ShownOnce>
      )}
    </Page>
  );
}

function EndpointsTable({ rows }: { readonly rows: readonly WebhookEndpoint[] }) {
  return (
    <DataTable
      caption="Webhook endpoints"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Address",
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
          cell: ({ disabledAt }) =>
            disabledAt === null ? (
              <Badge tone="good">active</Badge>
            ) : (
              <Badge tone="bad">disabled</Badge>
            ),
        },
        { title: "Added", cell: ({ createdAt }) => <When at={createdAt} /> },
      ]}
    />
  );
}
