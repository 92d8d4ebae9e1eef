import { isSameAddress, type Address } from "@farthing/protocol";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { walletsQuery } from "../../api/queries.ts";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { shortText } from "../../components/format.ts";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { WalletList } from "../../components/wallet-list.tsx";
import { useAccount } from "../../signed-in.ts";
import { switchNetwork, WalletProblem, type Wallet } from "@farthing/buyer/wallet";
import { connect } from "../../wallet/connection.ts";
import { signRequest, type Proof } from "../../wallet/proof.ts";
import { useWalletTask } from "../../wallet/wallet-task.ts";
import { SignedDialog } from "../../components/signed-dialog.tsx";

interface NewWallet {
  readonly address: Address;
  readonly proof: Proof;
}

/** The new wallet signs first; then the session's wallet confirms. */
export function LinkWallet({ onClose }: { readonly onClose: () => void }) {
  const [signed, setSigned] = useState<NewWallet>();
  return signed ? (
    <Agree signed={signed} onClose={onClose} />
  ) : (
    <SignWithNew onSigned={setSigned} onClose={onClose} />
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
    task.run(async (tools) => {
      const { showStep, signal } = tools;
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
      const path = "/v1/account/wallets/link";
      const proof = await signRequest(connection, address, path, { address, chainId }, tools);
      onSigned({ address, proof });
    });
  return (
    <Dialog title="Link a wallet" onClose={onClose}>
      <p>
        <strong>1 of 2.</strong> Switch your wallet to the account you want to link, then select the
        wallet here. It signs a request to join this account.
      </p>
      <WalletList onChoose={begin} isDisabled={task.isWorking} />
      <WalletTaskStatus task={task} />
      <DialogActions onClose={onClose} />
    </Dialog>
  );
}

function Agree({ signed, onClose }: { readonly signed: NewWallet; readonly onClose: () => void }) {
  const { wallet } = useAccount();
  const { address, proof } = signed;
  return (
    <SignedDialog
      title="Link a wallet"
      action="link_wallet"
      details={{ address }}
      send={(stepUp) => call("/v1/account/wallets", { method: "POST", body: { ...proof, stepUp } })}
      refreshes={walletsQuery}
      announces="Wallet linked"
      onClose={onClose}
      label="Sign and link"
    >
      <p>
        <strong>2 of 2.</strong> <code>{shortText(address)}</code> has signed. To confirm, switch
        your wallet back to <code title={wallet}>{shortText(wallet)}</code>, the wallet you are
        signed in with.
      </p>
    </SignedDialog>
  );
}
