import type { ApiKeyJson } from "@farthing/facilitator/api";
import { isSameAddress, type Address } from "@farthing/protocol";
import { Badge, type Tone } from "../../components/badge.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { localDayText, shortText, timeText } from "../../components/format.ts";
import { When } from "../../components/values.tsx";
import { Button } from "../../components/button.tsx";
import { useAccount } from "../../signed-in.ts";

const tones: Readonly<Record<ApiKeyJson["status"], Tone>> = {
  active: "good",
  expiring: "busy",
  expired: "plain",
  revoked: "bad",
};

interface KeyActions {
  readonly onRotate: (key: ApiKeyJson) => void;
  readonly onRevoke: (key: ApiKeyJson) => void;
}

export function KeysTable({
  keys,
  ...actions
}: KeyActions & { readonly keys: readonly ApiKeyJson[] }) {
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
              <strong className="breakable">{label || "Unnamed"}</strong>
              <br />
              <span className="muted">{mode === "live" ? "XDC" : "Apothem"}</span>
            </span>
          ),
        },
        {
          title: "Key",
          cell: ({ prefix, lastFour, createdAt, createdBy }) => (
            <span>
              <code className="one-line">
                {prefix}…{lastFour}
              </code>
              <br />
              <span className="muted">
                created <When at={createdAt} text={localDayText} />
                {createdBy && <Creator address={createdBy} />}
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
            // The hour matters only when the end is near.
            return <When at={expiresAt} text={status === "expiring" ? timeText : localDayText} />;
          },
        },
        {
          title: "Actions",
          hasNoTitle: true,
          cell: (key) => <Actions apiKey={key} {...actions} />,
        },
      ]}
    />
  );
}

/** The wallet that signed for the key; keys that were bought or that the operator made have none. */
function Creator({ address }: { readonly address: Address }) {
  const { wallet } = useAccount();
  if (isSameAddress(address, wallet)) return " by you";
  return (
    <>
      {" by "}
      <code title={address}>{shortText(address)}</code>
    </>
  );
}

function Actions({ apiKey, onRotate, onRevoke }: KeyActions & { readonly apiKey: ApiKeyJson }) {
  const { status, label, lastFour } = apiKey;
  if (status !== "active" && status !== "expiring") return null;
  const named = `key ${label || lastFour}`;
  return (
    <span className="row-actions">
      {status === "active" && (
        <Button
          look="quiet small"
          needs="manage_keys"
          aria-label={`Rotate ${named}`}
          onClick={() => onRotate(apiKey)}
        >
          Rotate
        </Button>
      )}
      <Button
        look="quiet small danger"
        needs="manage_keys"
        aria-label={`Revoke ${named}`}
        onClick={() => onRevoke(apiKey)}
      >
        Revoke
      </Button>
    </span>
  );
}
