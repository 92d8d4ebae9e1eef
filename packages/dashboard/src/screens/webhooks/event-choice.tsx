import { webhookEvents, type EventList } from "./webhook-events.ts";

export function EventChoice({
  all = webhookEvents,
  events,
  onChange,
}: {
  readonly all?: EventList;
  readonly events: readonly string[];
  readonly onChange: (events: readonly string[]) => void;
}) {
  return (
    <fieldset className="choice column">
      <legend>Events</legend>
      {all.map(([name, meaning]) => (
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
