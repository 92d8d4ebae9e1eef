import type { ApiKey } from "@farthing/facilitator/api";
import { Badge, type Tone } from "../../components/badge.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Day, When } from "../../components/values.tsx";

const tones: Readonly<Record<ApiKey["status"], Tone>> = {
  active: "good",
  expiring: "busy",
  expired: "plain",
  revoked: "bad",
};

/** The keys with what can be done to each. */
export function KeysTable({
  keys,
  onRotate,
  onRevoke,
}: {
  readonly keys: readonly ApiKey[];
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}) {
  return (
    <DataTable
      caption="API keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Name",
          inCard: "start",
          cell: ({ label, mode }) => (
            <span>
              <strong>{label || "Unnamed"}</strong>
              <br />
              <span className="muted">{mode === "live" ? "XDC" : "Apothem"}</span>
            </span>
          ),
        },
        {
          title: "Key",
          cell: ({ prefix, lastFour, createdAt }) => (
            <span>
              <code className="one-line">
                {prefix}…{lastFour}
              </code>
              <br />
              <span className="muted">
                created <Day at={createdAt} />
              </span>
            </span>
          ),
        },
        {
          title: "Status",
          inCard: "end",
          cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge>,
        },
        {
          title: "Last used",
          cell: ({ lastUsedAt }) =>
            lastUsedAt ? <When at={lastUsedAt} /> : <span className="muted">never</span>,
        },
        {
          title: "Expires",
          cell: ({ expiresAt, status }) => {
            if (!expiresAt) return <span className="muted">never</span>;
            // The hour counts where one has to be quicker than it.
            return status === "expiring" ? <When at={expiresAt} /> : <Day at={expiresAt} />;
          },
        },
        {
          title: "Actions",
          hasNoTitle: true,
          cell: (key) => <Actions apiKey={key} onRotate={onRotate} onRevoke={onRevoke} />,
        },
      ]}
    />
  );
}

function Actions({
  apiKey,
  onRotate,
  onRevoke,
}: {
  readonly apiKey: ApiKey;
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}) {
  const { status, label, lastFour } = apiKey;
  if (status !== "active" && status !== "expiring") return null;
  const named = `key ${label || lastFour}`;
  return (
    <span className="row-actions">
      {status === "active" && (
        <button
          type="button"
          className="button quiet small"
          aria-label={`Rotate ${named}`}
          onClick={() => onRotate(apiKey)}
        >
          Rotate
        </button>
      )}
      <button
        type="button"
        className="button quiet small danger"
        aria-label={`Revoke ${named}`}
        onClick={() => onRevoke(apiKey)}
      >
        Revoke
      </button>
    </span>
  );
}
