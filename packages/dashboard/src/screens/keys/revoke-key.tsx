import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { keysQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";

/** Asks once more, then ends a key. */
export function RevokeKey({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => call(`/v1/account/keys/${apiKey.id}`, { method: "DELETE" }),
    onSuccess: async () => {
      await client.invalidateQueries(keysQuery);
      announce("Key revoked");
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.label || "this key"}?`}
      action="Revoke key"
      mutation={revoke}
      onClose={onClose}
    >
      <p>
        Calls with{" "}
        <code>
          {apiKey.prefix}…{apiKey.lastFour}
        </code>{" "}
        will get 401 immediately, and servers that still use it stop selling. This cannot be undone.
        Settlements in progress are completed.
      </p>
    </ConfirmDialog>
  );
}
