/** The other accounts of the wallet that is signed in, and the sign-in to one of them. */
import { isSameAddress, type Address } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "./api/call.ts";
import { membershipsQuery } from "./api/queries.ts";
import { Button } from "./components/button.tsx";
import { Dialog, DialogActions } from "./components/dialog.tsx";
import { Form, RadioChoice } from "./components/field.tsx";
import { shortText } from "./components/format.ts";
import { WalletTaskStatus } from "./components/wallet-task-status.tsx";
import { hrefOf } from "./location.ts";
import { roleNames, useAccount } from "./signed-in.ts";
import { connectionOf } from "./wallet/connection.ts";
import { signRequest } from "./wallet/proof.ts";
import { useWalletTask } from "./wallet/wallet-task.ts";

/** Shown to wallets with several accounts. */
export function SwitchAccount() {
  const { account } = useAccount();
  const [isOpen, setOpen] = useState(false);
  const accounts = useQuery(membershipsQuery).data?.accounts ?? [];
  const others = accounts.filter((one) => !isSameAddress(one.account, account));
  if (others.length === 0) return null;
  const options = others.map(
    (one) =>
      [
        one.account,
        <span>
          {one.label !== "" && <strong>{one.label} </strong>}
          <code title={one.account}>{shortText(one.account)}</code>
          <span className="muted"> {roleNames[one.role]}</span>
        </span>,
      ] as const,
  );
  return (
    <>
      <Button look="quiet small" aria-label="Switch account" onClick={() => setOpen(true)}>
        Switch
      </Button>
      {isOpen && <ChooseAccount options={options} onClose={() => setOpen(false)} />}
    </>
  );
}

type Options = Parameters<typeof RadioChoice<Address>>[0]["options"];

function ChooseAccount({
  options,
  onClose,
}: {
  readonly options: Options;
  readonly onClose: () => void;
}) {
  const { wallet, chainId } = useAccount();
  const [chosen, setChosen] = useState(options[0]?.[0] ?? wallet);
  const task = useWalletTask();
  const run = () =>
    task.run(async (tools) => {
      const connection = await connectionOf(wallet, tools.signal);
      tools.showStep({ message: "Preparing the message to sign" });
      const input = { address: wallet, chainId, account: chosen };
      const body = await signRequest(connection, wallet, "/v1/account/sign-in", input, tools);
      tools.showStep({ message: "Checking the signature" });
      const path = "/v1/account/sign-in/complete";
      await call(path, { method: "POST", body, signal: tools.signal });
      // A new page has nothing of the account before.
      location.assign(hrefOf(""));
    });
  return (
    <Dialog title="Switch account" onClose={onClose}>
      <Form onSubmit={run}>
        <RadioChoice
          legend="Account"
          name="account"
          options={options}
          value={chosen}
          onChoose={setChosen}
          isColumn
          disabled={task.isWorking}
        />
        <p className="muted">Your wallet signs in to the other account; this costs nothing.</p>
        <WalletTaskStatus task={task} />
        <DialogActions onClose={onClose}>
          <Button type="submit" look="primary" disabled={task.isWorking}>
            Sign and switch
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
