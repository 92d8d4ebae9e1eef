import { useState } from "react";
import type { NewWebhookEndpoint } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { webhooksPath, webhooksQuery } from "../../api/queries.ts";
import { TextField } from "../../components/field.tsx";
import { SignedDialog } from "../../components/signed-dialog.tsx";
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

function EventChoice({
  events,
  onChange,
}: {
  readonly events: readonly string[];
  readonly onChange: (events: readonly string[]) => void;
}) {
  return (
    <fieldset className="choice column">
      <legend>Events</legend>
      {webhookEvents.map(([name, meaning]) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={events.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...events, name] : events.filter((one) => one !== name))
            }
          />
          <span>
            <code>{name}</code>
            <span className="muted"> · {meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
