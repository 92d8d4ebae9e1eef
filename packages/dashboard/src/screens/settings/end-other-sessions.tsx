import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { sessionsQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { DialogActions } from "../../components/dialog-actions.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { useAccount } from "../../signed-in.ts";
import { prove } from "../../wallet/proof.ts";
import { useWalletTask } from "../../wallet/wallet-task.ts";

/** Signs all other browsers out, with a signature. */
export function EndOtherSessions({ onClose }: { readonly onClose: () => void }) {
  const account = useAccount();
  const client = useQueryClient();
  const task = useWalletTask();
  const end = () =>
    task.run(async (tools) => {
      const stepUp = await prove(account, "revoke_sessions", {}, tools);
      await call("/v1/account/sessions", { method: "DELETE", body: { stepUp } });
      await client.invalidateQueries(sessionsQuery);
      announce("All other sessions ended");
      onClose();
    });
  return (
    <Dialog title="End all other sessions?" onClose={onClose}>
      <p>This signs every other browser out of this account, whichever wallet it used.</p>
      <WalletTaskStatus task={task} />
      <DialogActions onClose={onClose}>
        <button
          type="button"
          className="button danger-fill"
          disabled={task.isWorking}
          onClick={end}
        >
          Sign and end them
        </button>
      </DialogActions>
    </Dialog>
  );
}
