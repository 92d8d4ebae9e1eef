import { useState } from "react";
import { call } from "../../api/call.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { Form } from "../../components/field.tsx";
import { Problem } from "../../components/problem.tsx";
import { useChange, type Change } from "../../components/use-change.ts";
import { EventChoice } from "./event-choice.tsx";
import type { EventList } from "./webhook-events.ts";

/** Changes what is sent to a webhook or an e-mail address, which is at a path of the API. */
export function ChangeEvents({
  path,
  all,
  chosen,
  refreshes,
  onClose,
}: {
  readonly path: string;
  readonly all: EventList;
  readonly chosen: readonly string[];
  readonly refreshes: NonNullable<Change<void, unknown>["refreshes"]>;
  readonly onClose: () => void;
}) {
  const [events, setEvents] = useState(chosen);
  const save = useChange({
    send: () => call(path, { method: "PATCH", body: { events } }),
    refreshes,
    announces: "Events saved",
    done: onClose,
  });
  return (
    <Dialog title="Change the events" onClose={onClose}>
      <Form onSubmit={() => save.mutate()}>
        <EventChoice all={all} events={events} onChange={setEvents} />
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
