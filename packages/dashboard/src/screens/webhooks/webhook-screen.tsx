import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { WebhookEndpoint } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { webhooksPath, webhooksQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { Badge } from "../../components/badge.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Empty } from "../../components/empty.tsx";
import { Link } from "../../components/link.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { When } from "../../components/values.tsx";
import { go } from "../../location.ts";
import { Deliveries } from "./deliveries.tsx";

/** One endpoint: what it gets, what it got, and a test. */
export function WebhookScreen({ id }: { readonly id: string }) {
  const webhooks = useQuery(webhooksQuery);
  return (
    <Page title="Webhook endpoint" back={["webhooks", "Webhooks"]}>
      <QueryBoundary query={webhooks} lines={6}>
        {({ webhooks: all }) => {
          const endpoint = all.find((one) => one.id === id);
          return endpoint ? (
            <Endpoint endpoint={endpoint} />
          ) : (
            <Empty
              title="Endpoint not found"
              action={
                <Link to="webhooks" className="button">
                  All endpoints
                </Link>
              }
            >
              <p>It may have been removed.</p>
            </Empty>
          );
        }}
      </QueryBoundary>
    </Page>
  );
}

function Endpoint({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const client = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const { id, url, events, createdAt, disabledAt } = endpoint;
  const test = useMutation({
    mutationFn: () => call(`${webhooksPath}/${id}/test`, { method: "POST", body: {} }),
    onSuccess: () => {
      announce("Test message sent");
      return client.invalidateQueries({ queryKey: ["webhooks", id] });
    },
  });
  return (
    <>
      {disabledAt !== null && <Disabled id={id} />}
      <Section
        title="Endpoint"
        actions={
          <>
            <button
              type="button"
              className="button small"
              disabled={test.isPending || disabledAt !== null}
              onClick={() => test.mutate()}
            >
              Send a test
            </button>
            <button
              type="button"
              className="button quiet small danger"
              onClick={() => setRemoving(true)}
            >
              Remove
            </button>
          </>
        }
      >
        {test.error && <Problem problem={test.error} />}
        <dl className="facts">
          <dt>Address</dt>
          <dd className="breakable">{url}</dd>
          <dt>Status</dt>
          <dd>
            {disabledAt === null ? (
              <Badge tone="good">active</Badge>
            ) : (
              <>
                <Badge tone="bad">disabled</Badge> <When at={disabledAt} />
              </>
            )}
          </dd>
          <dt>Events</dt>
          <dd className="breakable">{events.join(", ")}</dd>
          <dt>Added</dt>
          <dd>
            <When at={createdAt} />
          </dd>
        </dl>
      </Section>
      <Deliveries id={id} />
      {isRemoving && <RemoveWebhook endpoint={endpoint} onClose={() => setRemoving(false)} />}
    </>
  );
}

/** An endpoint that nothing reached for long, and the way to have it go on. */
function Disabled({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const enable = useMutation({
    mutationFn: () => call(`${webhooksPath}/${id}/enable`, { method: "POST", body: {} }),
    onSuccess: () => {
      announce("Endpoint enabled");
      return client.invalidateQueries(webhooksQuery);
    },
  });
  return (
    <>
      <Notice
        tone="warn"
        title="Deliveries to this endpoint are paused"
        actions={
          <button
            type="button"
            className="button small"
            disabled={enable.isPending}
            onClick={() => enable.mutate()}
          >
            Enable
          </button>
        }
      >
        <p>
          No message has been delivered for a day. Check your server’s responses below, fix the
          problem, then enable the endpoint.
        </p>
      </Notice>
      {enable.error && <Problem problem={enable.error} />}
    </>
  );
}

function RemoveWebhook({
  endpoint,
  onClose,
}: {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call(`${webhooksPath}/${endpoint.id}`, { method: "DELETE" }),
    onSuccess: async () => {
      announce("Endpoint removed");
      go("webhooks", { replace: true });
      await client.invalidateQueries(webhooksQuery);
    },
  });
  return (
    <ConfirmDialog
      title="Remove this endpoint?"
      action="Remove endpoint"
      mutation={remove}
      onClose={onClose}
    >
      <p className="breakable">
        {endpoint.url} receives no more messages, including those still waiting to be sent.
      </p>
    </ConfirmDialog>
  );
}
