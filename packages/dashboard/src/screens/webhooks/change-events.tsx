import { useState } from "react";
import type { WebhookEndpointJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { webhooksPath, webhooksQuery } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { Form } from "../../components/field.tsx";
import { Problem } from "../../components/problem.tsx";
import { useChange } from "../../components/use-change.ts";
import { EventChoice } from "./event-choice.tsx";

export function ChangeEvents({
  endpoint,
  onClose,
}: {
  readonly endpoint: WebhookEndpointJson;
  readonly onClose: () => void;
}) {
  const [events, setEvents] = useState<readonly string[]>(endpoint.events);
  const save = useChange({
    send: () => call(`${webhooksPath}/${endpoint.id}`, { method: "PATCH", body: { events } }),
    refreshes: [webhooksQuery],
    announces: "Events saved",
    done: onClose,
  });
  return (
    <Dialog title="Change the events" onClose={onClose}>
      <Form onSubmit={() => save.mutate()}>
        <EventChoice events={events} onChange={setEvents} />
        {save.error && <Problem problem={save.error} />}
        <DialogActions onClose={onClose}>
          <Button look="primary" type="submit" disabled={events.length === 0 || save.isPending}>
            Save events
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
