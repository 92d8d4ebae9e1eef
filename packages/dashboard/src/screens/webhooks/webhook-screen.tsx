import { useState } from "react";
import type { WebhookEndpointJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { webhooksPath, webhooksQuery } from "../../api/queries.ts";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Empty, Facts, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Notice } from "../../components/notice.tsx";
import { Problem } from "../../components/problem.tsx";
import { When } from "../../components/values.tsx";
import { go } from "../../location.ts";
import { ChangeEvents } from "./change-events.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Button } from "../../components/button.tsx";
import { webhookEvents } from "./webhook-events.ts";
import { StatusBadge } from "./status-badge.tsx";
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

type DialogName = "events" | "pause" | "remove";

function Endpoint({ endpoint }: { readonly endpoint: WebhookEndpointJson }) {
  const [open, setOpen] = useState<DialogName>();
  const { id, url, events, createdAt, disabledAt, disabledBy } = endpoint;
  const test = useChange({
    send: () => call(`${webhooksPath}/${id}/test`, { method: "POST", body: {} }),
    refreshes: [{ queryKey: ["webhooks", id] }],
    announces: "Test message sent",
  });
  const disabled = (
    <>
      <StatusBadge endpoint={endpoint} /> <When at={disabledAt} />
    </>
  );
  return (
    <>
      {disabledBy !== null && <Disabled id={id} by={disabledBy} />}
      <Section
        title="Endpoint"
        actions={
          <>
            <Button
              look="small"
              needs="manage_webhooks"
              disabled={test.isPending || disabledAt !== null}
              onClick={() => test.mutate()}
            >
              Send a test
            </Button>
            <Button look="small" needs="manage_webhooks" onClick={() => setOpen("events")}>
              Change events
            </Button>
            {disabledAt === null && (
              <Button look="quiet small" needs="manage_webhooks" onClick={() => setOpen("pause")}>
                Pause
              </Button>
            )}
            <Button
              look="quiet small danger"
              needs="manage_webhooks"
              onClick={() => setOpen("remove")}
            >
              Remove
            </Button>
          </>
        }
      >
        {test.error && <Problem problem={test.error} />}
        <Facts
          rows={[
            ["Address", url, "breakable"],
            ["Status", disabledAt === null ? <StatusBadge endpoint={endpoint} /> : disabled],
            ["Events", events.join(", "), "breakable"],
            ["Added", <When at={createdAt} />],
          ]}
        />
      </Section>
      <Deliveries id={id} />
      {open && (
        <EndpointDialog what={open} endpoint={endpoint} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

interface EndpointDialogProps {
  readonly what: DialogName;
  readonly endpoint: WebhookEndpointJson;
  readonly onClose: () => void;
}

function EndpointDialog({ what, endpoint, onClose }: EndpointDialogProps) {
  const { id, url, events } = endpoint;
  const path = `${webhooksPath}/${id}`;
  if (what === "events") {
    const shown = { path, all: webhookEvents, chosen: events, refreshes: [webhooksQuery] };
    return <ChangeEvents {...shown} onClose={onClose} />;
  }
  if (what === "pause") {
    return (
      <ConfirmDialog
        title="Pause this endpoint?"
        action="Pause endpoint"
        onClose={onClose}
        send={() => call(`${webhooksPath}/${id}`, { method: "PATCH", body: { paused: true } })}
        refreshes={[webhooksQuery, { queryKey: ["webhooks", id] }]}
        announces="Endpoint paused"
        done={onClose}
      >
        <p className="breakable">
          {url} receives no messages until you resume it. Messages that wait can be sent again
          later; events that happen meanwhile are not kept.
        </p>
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title="Remove this endpoint?"
      action="Remove endpoint"
      onClose={onClose}
      send={() => call(`${webhooksPath}/${id}`, { method: "DELETE" })}
      leave={() => go("webhooks", { replace: true })}
      refreshes={[webhooksQuery]}
      announces="Endpoint removed"
    >
      <p className="breakable">
        {url} receives no more messages, including those still waiting to be sent.
      </p>
    </ConfirmDialog>
  );
}

/** Shown while nothing is sent: the owner paused it, or deliveries have failed for a day. */
function Disabled({ id, by }: { readonly id: string; readonly by: "owner" | "service" }) {
  const enable = useChange({
    send: () => call(`${webhooksPath}/${id}/enable`, { method: "POST", body: {} }),
    refreshes: [webhooksQuery],
    announces: "Endpoint enabled",
  });
  return (
    <>
      <Notice
        tone={by === "owner" ? "info" : "warn"}
        title="Deliveries to this endpoint are paused"
        actions={
          <Button
            look="small"
            needs="manage_webhooks"
            disabled={enable.isPending}
            onClick={() => enable.mutate()}
          >
            {by === "owner" ? "Resume" : "Enable"}
          </Button>
        }
      >
        <p>
          {by === "owner"
            ? "You paused it. Events that happen meanwhile are not sent later."
            : "No message has been delivered for a day. Check your server’s responses below, fix the problem, then enable the endpoint."}
        </p>
      </Notice>
      {enable.error && <Problem problem={enable.error} />}
    </>
  );
}
