import { parseJson } from "@farthing/protocol";
import { useState } from "react";
import type { WebhookDeliveryJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { deliveriesQuery, webhooksPath } from "../../api/queries.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Empty, QueryBoundary, Section } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { Problem } from "../../components/problem.tsx";
import { When, Whole } from "../../components/values.tsx";
import { useLocation } from "../../location.ts";
import { Button } from "../../components/button.tsx";
import { useChange } from "../../components/use-change.ts";

const tones: Readonly<Record<WebhookDeliveryJson["state"], Tone>> = {
  pending: "busy",
  delivered: "good",
  failed: "bad",
};

export function Deliveries({ id }: { readonly id: string }) {
  const { search } = useLocation();
  const cursor = new URLSearchParams(search).get("cursor") ?? "";
  const [shown, setShown] = useState<WebhookDeliveryJson>();
  const resend = useChange({
    send: (deliveryId: string) =>
      call(`${webhooksPath}/${id}/deliveries/${deliveryId}/resend`, { method: "POST", body: {} }),
    refreshes: [{ queryKey: ["webhooks", id] }],
    announces: "Sent again",
  });
  return (
    <Section title="Deliveries">
      {resend.error && <Problem problem={resend.error} />}
      <QueryBoundary query={deliveriesQuery(id, cursor)}>
        {({ deliveries: rows, next }) =>
          rows.length === 0 ? (
            <Empty title="No deliveries yet">
              <p>Send a test message to check that your server accepts it.</p>
            </Empty>
          ) : (
            <>
              <DeliveriesTable
                rows={rows}
                isBusy={resend.isPending}
                onResend={resend.mutate}
                onShow={setShown}
              />
              <Pager path={`webhooks/${id}`} cursor={cursor} next={next} />
            </>
          )
        }
      </QueryBoundary>
      {shown && <Message delivery={shown} onClose={() => setShown(undefined)} />}
    </Section>
  );
}

interface DeliveriesTableProps {
  readonly rows: readonly WebhookDeliveryJson[];
  readonly isBusy: boolean;
  readonly onResend: (id: string) => void;
  readonly onShow: (delivery: WebhookDeliveryJson) => void;
}

function DeliveriesTable({ rows, isBusy, onResend, onShow }: DeliveriesTableProps) {
  return (
    <DataTable
      caption="Deliveries"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: "Time", inCard: "start", cell: ({ createdAt }) => <When at={createdAt} /> },
        { title: "Event", cell: ({ type }) => <code>{type}</code> },
        {
          title: "State",
          inCard: "end",
          cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge>,
        },
        { title: "Attempts", inCard: "hidden", isNumber: true, cell: ({ attempts }) => attempts },
        { title: "Response", cell: (row) => <ResponseCell row={row} /> },
        {
          title: "Actions",
          hasNoTitle: true,
          cell: (row) => (
            <span className="row-actions">
              <Button look="quiet small" onClick={() => onShow(row)}>
                Show<span className="unseen"> {row.type}</span>
              </Button>
              {row.state !== "pending" && (
                <Button
                  look="quiet small"
                  needs="manage_webhooks"
                  disabled={isBusy}
                  onClick={() => onResend(row.id)}
                >
                  Send again<span className="unseen"> {row.type}</span>
                </Button>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

function ResponseCell({ row }: { readonly row: WebhookDeliveryJson }) {
  const { lastStatus, lastError, nextAt, state } = row;
  return (
    <span className="breakable">
      {lastStatus === null ? (lastError ?? "–") : `HTTP ${lastStatus}`}
      {state === "pending" && nextAt !== null && (
        <span className="muted">
          {" "}
          · next <When at={nextAt} />
        </span>
      )}
    </span>
  );
}

function Message({
  delivery: { id, type, body },
  onClose,
}: {
  readonly delivery: WebhookDeliveryJson;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={type} onClose={onClose}>
      <p>
        <Whole text={id} what="webhook-id" />
      </p>
      <CodeBlock code={indented(body)} language="json" what="message" />
    </Dialog>
  );
}

function indented(json: string): string {
  const parsed = parseJson(json);
  return parsed ? JSON.stringify(parsed.value, null, 2) : json;
}
