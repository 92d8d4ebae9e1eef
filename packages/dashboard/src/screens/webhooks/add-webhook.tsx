import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import type { NewWebhookEndpoint } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { webhooksPath, webhooksQuery } from "../../api/queries.ts";
import { DialogActions } from "../../components/dialog-actions.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { useAccount } from "../../signed-in.ts";
import { prove } from "../../wallet/proof.ts";
import { useWalletTask } from "../../wallet/wallet-task.ts";
import { webhookEvents } from "./webhook-events.ts";

/** Asks for an address and events, has it signed, and hands on the endpoint with its secret. */
export function AddWebhook({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void;
  readonly onAdded: (endpoint: NewWebhookEndpoint) => void;
}) {
  const account = useAccount();
  const client = useQueryClient();
  const task = useWalletTask();
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<readonly string[]>(webhookEvents.map(([name]) => name));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    task.run(async (tools) => {
      const stepUp = await prove(account, "webhook_secret", { url }, tools);
      const endpoint = await call<NewWebhookEndpoint>(webhooksPath, {
        method: "POST",
        body: { url, events, stepUp },
      });
      await client.invalidateQueries(webhooksQuery);
      onAdded(endpoint);
    });
  };
  return (
    <Dialog title="Add an endpoint" onClose={onClose}>
      <form onSubmit={submit}>
        <fieldset className="plain" disabled={task.isWorking}>
          <Field label="Address" hint="HTTPS on port 443 or 8443, reachable from the internet.">
            {(props) => (
              <input
                {...props}
                type="url"
                value={url}
                required
                placeholder="https://api.example.com/hooks/farthing"
                onChange={(event) => setUrl(event.target.value.trim())}
              />
            )}
          </Field>
          <EventChoice events={events} onChange={setEvents} />
        </fieldset>
        <WalletTaskStatus task={task} />
        <DialogActions onClose={onClose}>
          <button
            type="submit"
            className="button primary"
            disabled={task.isWorking || events.length === 0}
          >
            Sign and add
          </button>
        </DialogActions>
      </form>
    </Dialog>
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
