import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import type { ApiKey, NewApiKey } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { keysQuery } from "../../api/queries.ts";
import { DialogActions } from "../../components/dialog-actions.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { useAccount } from "../../signed-in.ts";
import { prove } from "../../wallet/proof.ts";
import { useWalletTask } from "../../wallet/wallet-task.ts";

const overlaps = [
  ["24h", "For 24 hours", "time to deploy the new key"],
  ["1h", "For an hour", ""],
  ["7d", "For 7 days", "when several teams need to switch"],
  ["0", "Not at all", "the old key has leaked"],
] as const;

/** Makes a key that replaces another one, which goes on for a while. */
export function RotateKey({
  apiKey,
  onClose,
  onCreated,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
}) {
  const account = useAccount();
  const client = useQueryClient();
  const task = useWalletTask();
  const [overlap, setOverlap] = useState<string>(overlaps[0][0]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    task.run(async (tools) => {
      const stepUp = await prove(account, "rotate_key", { id: apiKey.id, overlap }, tools);
      const key = await call<NewApiKey>(`/v1/account/keys/${apiKey.id}/rotate`, {
        method: "POST",
        body: { overlap, stepUp },
      });
      await client.invalidateQueries(keysQuery);
      onCreated(key);
    });
  };
  return (
    <Dialog title={`Rotate ${apiKey.label || "key"}`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          A new key with the same name replaces{" "}
          <code>
            {apiKey.prefix}…{apiKey.lastFour}
          </code>
          .
        </p>
        <fieldset className="choice column" disabled={task.isWorking}>
          <legend>Keep the old key working</legend>
          {overlaps.map(([value, title, why]) => (
            <label key={value}>
              <input
                type="radio"
                name="overlap"
                checked={value === overlap}
                onChange={() => setOverlap(value)}
              />
              <span>
                {title}
                {why !== "" && <span className="muted"> · {why}</span>}
              </span>
            </label>
          ))}
        </fieldset>
        <WalletTaskStatus task={task} />
        <DialogActions onClose={onClose}>
          <button type="submit" className="button primary" disabled={task.isWorking}>
            Sign and rotate
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
