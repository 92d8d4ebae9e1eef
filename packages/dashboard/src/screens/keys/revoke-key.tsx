import type { ApiKeyJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { keysQuery } from "../../api/queries.ts";
import { ConfirmDialog } from "../../components/dialog.tsx";

export function RevokeKey({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKeyJson;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.label || "this key"}?`}
      action="Revoke key"
      onClose={onClose}
      send={() => call(`/v1/account/keys/${apiKey.id}`, { method: "DELETE" })}
      refreshes={[keysQuery]}
      announces="Key revoked"
      done={onClose}
    >
      <p>
        Calls with{" "}
        <code>
          {apiKey.prefix}…{apiKey.lastFour}
        </code>{" "}
        are refused immediately, and servers that still use it stop selling. This cannot be undone.
        Settlements in progress are completed.
      </p>
    </ConfirmDialog>
  );
}
