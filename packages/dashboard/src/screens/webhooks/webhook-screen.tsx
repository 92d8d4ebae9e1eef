import { useState } from "react";
import type { WebhookEndpointJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { webhooksPath, webhooksQuery } from "../../api/queries.ts";
import { Badge } from "../../components/badge.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Empty, Facts, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Notice } from "../../components/notice.tsx";
import { Problem } from "../../components/problem.tsx";
import { When } from "../../components/values.tsx";
import { go } from "../../location.ts";
import { Deliveries } from "./deliveries.tsx";
import { Button } from "../../components/button.tsx";
import { useChange } from "../../components/use-change.ts";

export function WebhookScreen({ id }: { readonly id: string }) {
  return (
    <Page title="Webhook endpoint" back={["webhooks", "Webhooks"]}>
      <QueryBoundary query={webhooksQuery} lines={6}>
        {({ webhooks: all }) => {
          const endpoint = all.find((one) => one.id === id);
          return endpoint ? (
            <Endpoint endpoint={endpoint} />
          ) : (
            <Empty title="Endpoint not found" link={["webhooks", "All endpoints"]}>
              <p>It may have been removed.</p>
            </Empty>
          );
        }}
      </QueryBoundary>
    </Page>
  );
}

function Endpoint({ endpoint }: { readonly endpoint: WebhookEndpointJson }) {
  const [isRemoving, setRemoving] = useState(false);
  const { id, url, events, createdAt, disabledAt } = endpoint;
  const test = useChange({
    send: () => call(`${webhooksPath}/${id}/test`, { method: "POST", body: {} }),
    refreshes: [{ queryKey: ["webhooks", id] }],
    announces: "Test message sent",
  });
  const disabled = (
    <>
      <Badge tone="bad">disabled</Badge> <When at={disabledAt} />
    </>
  );
  return (
    <>
      {disabledAt !== null && <Disabled id={id} />}
      <Section
        title="Endpoint"
        actions={
          <>
            <Button
              look="small"
              disabled={test.isPending || disabledAt !== null}
              onClick={() => test.mutate()}
            >
              Send a test
            </Button>
            <Button look="quiet small danger" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          </>
        }
      >
        {test.error && <Problem problem={test.error} />}
        <Facts
          rows={[
            ["Address", url, "breakable"],
            ["Status", disabledAt === null ? <Badge tone="good">active</Badge> : disabled],
            ["Events", events.join(", "), "breakable"],
            ["Added", <When at={createdAt} />],
          ]}
        />
      </Section>
      <Deliveries id={id} />
      {isRemoving && (
        <ConfirmDialog
          title="Remove this endpoint?"
          action="Remove endpoint"
          onClose={() => setRemoving(false)}
          send={() => call(`${webhooksPath}/${id}`, { method: "DELETE" })}
          leave={() => go("webhooks", { replace: true })}
          refreshes={[webhooksQuery]}
          announces="Endpoint removed"
        >
          <p className="breakable">
            {url} receives no more messages, including those still waiting to be sent.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Shown after deliveries have failed for a day. */
function Disabled({ id }: { readonly id: string }) {
  const enable = useChange({
    send: () => call(`${webhooksPath}/${id}/enable`, { method: "POST", body: {} }),
    refreshes: [webhooksQuery],
    announces: "Endpoint enabled",
  });
  return (
    <>
      <Notice
        tone="warn"
        title="Deliveries to this endpoint are paused"
        actions={
          <Button look="small" disabled={enable.isPending} onClick={() => enable.mutate()}>
            Enable
          </Button>
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
