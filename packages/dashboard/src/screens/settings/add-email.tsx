import { isRoutine } from "@farthing/protocol";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { emailsPath, emailsQuery } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { Form, TextField } from "../../components/field.tsx";
import { Problem } from "../../components/problem.tsx";
import { useChange } from "../../components/use-change.ts";
import { EventChoice } from "../webhooks/event-choice.tsx";
import { emailEvents } from "../webhooks/webhook-events.ts";

const usualEvents = emailEvents.map(([name]) => name).filter((name) => !isRoutine(name));

export function AddEmail({ onClose }: { readonly onClose: () => void }) {
  const [address, setAddress] = useState("");
  const [events, setEvents] = useState<readonly string[]>(usualEvents);
  const add = useChange({
    send: () => call(emailsPath, { method: "POST", body: { address, events } }),
    refreshes: [emailsQuery],
    announces: "Link sent; open it to confirm the address",
    done: onClose,
  });
  return (
    <Dialog title="Add an e-mail address" onClose={onClose}>
      <Form onSubmit={() => add.mutate()}>
        <TextField
          label="E-mail address"
          hint="A link is sent to it. Notices begin once the link is used, within 24 hours."
          type="email"
          value={address}
          required
          autoComplete="email"
          placeholder="anna@example.com"
          onText={(text) => setAddress(text.trim())}
        />
        <EventChoice all={emailEvents} events={events} onChange={setEvents} />
        {add.error && <Problem problem={add.error} />}
        <DialogActions onClose={onClose}>
          <Button look="primary" type="submit" disabled={events.length === 0 || add.isPending}>
            Send link
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
