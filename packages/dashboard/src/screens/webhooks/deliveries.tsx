import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { WebhookDelivery } from "../../api/answers.ts";
import { call } from "../../api/call.ts";
import { deliveriesQuery, webhooksPath } from "../../api/queries.ts";
import { announce } from "../../parts/announcer.tsx";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/page.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Short, When } from "../../parts/values.tsx";
import { usePlace, withSearch } from "../../place.ts";

const tones: Readonly<Record<WebhookDelivery["state"], Tone>> = {
  pending: "busy",
  delivered: "good",
  failed: "bad",
};

/** What was sent to an endpoint, and how it took it. */
export function Deliveries({ id }: { readonly id: string }) {
  const { search } = usePlace();
  const cursor = new URLSearchParams(search).get("cursor") ?? "";
  const deliveries = useQuery(deliveriesQuery(id, cursor));
  const client = useQueryClient();
  const resend = useMutation({
    mutationFn: (deliveryId: string) =>
      call(`${webhooksPath}/${id}/deliveries/${deliveryId}/resend`, { method: "POST", body: {} }),
    onSuccess: () => {
      announce("Sent again");
      return client.invalidateQueries({ queryKey: ["webhooks", id] });
    },
  });
  const place = `webhooks/${id}`;
  return (
    <Section title="Deliveries">
      {resend.error && <Problem problem={resend.error} />}
      <Loaded query={deliveries}>
        {({ deliveries: rows, next }) =>
          rows.length === 0 ? (
            <Empty title="Nothing sent yet">
              <p>Send a test to see whether your server takes it.</p>
            </Empty>
          ) : (
            <>
              <DeliveriesTable rows={rows} isBusy={resend.isPending} onResend={resend.mutate} />
              <Pager
                newest={cursor === "" ? undefined : place}
                older={next === null ? undefined : withSearch(place, { cursor: next })}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function DeliveriesTable({
  rows,
  isBusy,
  onResend,
}: {
  readonly rows: readonly WebhookDelivery[];
  readonly isBusy: boolean;
  readonly onResend: (id: string) => void;
}) {
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
        { title: "Answer", cell: (row) => <Answer row={row} /> },
        { title: "Id", inCard: "hidden", cell: ({ id }) => <Short text={id} what="message id" /> },
        {
          title: "Actions",
          hasNoTitle: true,
          cell: ({ id, type, state }) =>
            state !== "pending" && (
              <button
                type="button"
                className="button quiet small"
                disabled={isBusy}
                onClick={() => onResend(id)}
              >
                Send again<span className="unseen"> {type}</span>
              </button>
            ),
        },
      ]}
    />
  );
}

function Answer({ row }: { readonly row: WebhookDelivery }) {
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
