import { useQueryClient } from "@tanstack/react-query";
import type { LinkedWallet } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { walletsQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { DialogActions } from "../../components/dialog-actions.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { shortText } from "../../components/format.ts";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { useAccount } from "../../signed-in.ts";
import { prove } from "../../wallet/proof.ts";
import { useWalletTask } from "../../wallet/wallet-task.ts";

/** Takes a wallet's rights away, with a signature. */
export function UnlinkWallet({
  wallet: { address },
  onClose,
}: {
  readonly wallet: LinkedWallet;
  readonly onClose: () => void;
}) {
  const account = useAccount();
  const client = useQueryClient();
  const task = useWalletTask();
  const unlink = () =>
    task.run(async (tools) => {
      const stepUp = await prove(account, "unlink_wallet", { address }, tools);
      await call(`/v1/account/wallets/${address}`, { method: "DELETE", body: { stepUp } });
      await client.invalidateQueries(walletsQuery);
      announce("Wallet unlinked");
      onClose();
    });
  return (
    <Dialog title={`Unlink ${shortText(address)}?`} onClose={onClose}>
      <p>
        This wallet can no longer sign in to this account or pay for it, and its sessions end. You
        can link it again.
      </p>
      <WalletTaskStatus task={task} />
      <DialogActions onClose={onClose}>
        <button
          type="button"
          className="button danger-fill"
          disabled={task.isWorking}
          onClick={unlink}
        >
          Sign and unlink
        </button>
      </DialogActions>
    </Dialog>
  );
}
