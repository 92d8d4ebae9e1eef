import { isSameAddress, type Address } from "@farthing/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SignRequest } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { walletsQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { DialogActions } from "../../components/dialog-actions.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { shortText } from "../../components/format.ts";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { WalletList } from "../../components/wallet-list.tsx";
import { useAccount } from "../../signed-in.ts";
import { switchNetwork, WalletProblem, type Wallet } from "@farthing/buyer/wallet";
import { connect } from "../../wallet/connection.ts";
import { prove } from "../../wallet/proof.ts";
import { signText } from "../../wallet/signatures.ts";
import { useWalletTask } from "../../wallet/wallet-task.ts";

/** What the new wallet has signed. */
interface NewWallet {
  readonly address: Address;
  readonly requestId: string;
  readonly signature: string;
}

/** Links a wallet: first it signs that it wants to be linked, then the session's wallet agrees. */
export function LinkWallet({ onClose }: { readonly onClose: () => void }) {
  const [signed, setSigned] = useState<NewWallet>();
  return (
    <Dialog title="Link a wallet" onClose={onClose}>
      {signed ? (
        <Agree signed={signed} onClose={onClose} />
      ) : (
        <SignWithNew onSigned={setSigned} onClose={onClose} />
      )}
    </Dialog>
  );
}

function SignWithNew({
  onSigned,
  onClose,
}: {
  readonly onSigned: (signed: NewWallet) => void;
  readonly onClose: () => void;
}) {
  const { wallet: own, chainId } = useAccount();
  const task = useWalletTask();
  const begin = (wallet: Wallet) =>
    task.run(async ({ showStep, signal }) => {
      showStep({ message: `Connect ${wallet.name}`, isInWallet: true });
      const connection = await connect(wallet, signal);
      const address = connection.addresses[0];
      if (!address || isSameAddress(address, own)) {
        throw new WalletProblem(
          "other_account",
          `${wallet.name} is using the account you are signed in with. Switch it to the account you want to link and try again.`,
        );
      }
      await switchNetwork(connection, chainId, signal);
      const { requestId, message } = await call<SignRequest>("/v1/account/wallets/link", {
        method: "POST",
        body: { address, chainId },
        signal,
      });
      showStep({ message: `Sign with ${wallet.name}`, text: message, isInWallet: true });
      const signature = await signText(connection, address, message, signal);
      onSigned({ address, requestId, signature });
    });
  return (
    <>
      <p>
        <strong>1 of 2.</strong> Switch your wallet to the account you want to link, then select the
        wallet here. It signs a request to join this account.
      </p>
      <WalletList onChoose={begin} isDisabled={task.isWorking} />
      <WalletTaskStatus task={task} />
      <DialogActions onClose={onClose} />
    </>
  );
}

function Agree({ signed, onClose }: { readonly signed: NewWallet; readonly onClose: () => void }) {
  const account = useAccount();
  const client = useQueryClient();
  const task = useWalletTask();
  const { address, requestId, signature } = signed;
  const agree = () =>
    task.run(async (tools) => {
      const stepUp = await prove(account, "link_wallet", { address }, tools);
      await call("/v1/account/wallets", {
        method: "POST",
        body: { requestId, signature, stepUp },
      });
      await client.invalidateQueries(walletsQuery);
      announce("Wallet linked");
      onClose();
    });
  return (
    <>
      <p>
        <strong>2 of 2.</strong> <code>{shortText(address)}</code> has signed. To confirm, switch
        your wallet back to <code title={account.wallet}>{shortText(account.wallet)}</code>, the
        wallet you are signed in with.
      </p>
      <WalletTaskStatus task={task} />
      <DialogActions onClose={onClose}>
        <button type="button" className="button primary" disabled={task.isWorking} onClick={agree}>
          Sign and link
        </button>
      </DialogActions>
    </>
  );
}
