import { useState } from "react";
import type { NewWebhookEndpoint } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { webhooksPath, webhooksQuery } from "../../api/queries.ts";
import { TextField } from "../../components/field.tsx";
import { SignedDialog } from "../../components/signed-dialog.tsx";
import { EventChoice } from "./event-choice.tsx";
import { webhookEvents } from "./webhook-events.ts";

export function AddWebhook({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void;
  readonly onAdded: (endpoint: NewWebhookEndpoint) => void;
}) {
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<readonly string[]>(webhookEvents.map(([name]) => name));
  return (
    <SignedDialog
      title="Add an endpoint"
      action="webhook_secret"
      details={{ url }}
      send={(stepUp) =>
        call<NewWebhookEndpoint>(webhooksPath, { method: "POST", body: { url, events, stepUp } })
      }
      refreshes={webhooksQuery}
      onDone={onAdded}
      onClose={onClose}
      label="Sign and add"
      isReady={events.length > 0}
    >
      <TextField
        label="Address"
        hint="HTTPS on port 443 or 8443, reachable from the internet."
        type="url"
        value={url}
        required
        placeholder="https://api.example.com/hooks/farthing"
        onText={(text) => setUrl(text.trim())}
      />
      <EventChoice events={events} onChange={setEvents} />
    </SignedDialog>
  );
}
