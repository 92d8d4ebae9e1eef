import type { ApiKey } from "../../api/answers.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { When } from "../../parts/values.tsx";

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
        { title: "Name", cell: ({ label }) => <strong>{label || "Unnamed"}</strong> },
        {
          title: "Key",
          cell: ({ prefix, lastFour }) => (
            <code>
              {prefix}…{lastFour}
            </code>
          ),
        },
        { title: "For", cell: ({ mode }) => (mode === "live" ? "XDC" : "Apothem (test)") },
        { title: "Status", cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
        { title: "Last used", cell: ({ lastUsedAt }) => lastUsedAt ? <When at={lastUsedAt} /> : <span className="muted">never</span> },
        { title: "Created", cell: ({ createdAt }) => <When at={createdAt} /> },
        { title: "Expires", cell: ({ expiresAt }) => expiresAt ? <When at={expiresAt} /> : <span className="muted">never</span> },
        {
          title: "Actions",
          hasNoTitle: true,
          cell: (key) => {
            const isUsable = key.status === "active" || key.status === "expiring";
            const named = `key ${key.label || key.lastFour}`;
            return (
              isUsable && (
                <span className="row-actions">
                  {key.status === "active" && (
                    <button type="button" className="button quiet small" aria-label={`Rotate ${named}`} onClick={() => onRotate(key)}>
                      Rotate
                    </button>
                  )}
                  <button type="button" className="button quiet small danger" aria-label={`Revoke ${named}`} onClick={() => onRevoke(key)}>
                    Revoke
                  </button>
                </span>
              )
            );
          },
        },
      ]}
    />
  );
}
