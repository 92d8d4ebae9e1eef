import { findNetwork, parseAddress, type Address, type Network } from "@farthing/protocol";
import { useEffect, useState } from "react";
import { supportedQuery } from "../../api/queries.ts";
import { Mark } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { QueryBoundary } from "../../components/page.tsx";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { WalletList } from "../../components/wallet-list.tsx";
import { useWalletTask } from "../../wallet/wallet-task.ts";
import { useSignIn } from "./use-sign-in.ts";
import { RadioChoice, TextField } from "../../components/field.tsx";

export function SignInScreen({ hasEnded }: { readonly hasEnded: boolean }) {
  useEffect(() => {
    document.title = "Sign in · Farthing";
  }, []);
  return (
    <main className="alone">
      <div className="sign-in card">
        <p className="brand">
          <Mark /> Farthing
        </p>
        <h1>Sign in with your wallet</h1>
        {hasEnded && (
          <Notice tone="info" title="Your session has ended">
            <p>Sign in again to continue where you left off.</p>
          </Notice>
        )}
        <p className="lead">
          Your account is the address that receives your API’s payments. There is no password and no
          e-mail: you sign a short message, which is free and moves no money.
        </p>
        <QueryBoundary query={supportedQuery} lines={3}>
          {({ kinds }) => <SignInForm networks={networksOf(kinds)} />}
        </QueryBoundary>
      </div>
    </main>
  );
}

/** Each network once, the main network first. */
function networksOf(kinds: readonly { readonly network: string }[]): readonly Network[] {
  const found = kinds.map(({ network }) => findNetwork(network)).filter((one) => one !== undefined);
  return [...new Set(found)].toSorted((one, other) => one.chainId - other.chainId);
}

function SignInForm({ networks }: { readonly networks: readonly Network[] }) {
  const [chosen, setChosen] = useState<Network["id"]>();
  const [account, setAccount] = useState<Address>();
  const network = networks.find(({ id }) => id === chosen) ?? networks[0];
  const task = useWalletTask();
  const signIn = useSignIn(task);
  if (!network) return <p>This facilitator serves no network, so no one can sign in.</p>;
  return (
    <>
      {networks.length > 1 && (
        <RadioChoice
          legend="Network"
          name="network"
          options={networks.map(({ id, name }) => [id, name])}
          value={network.id}
          onChoose={setChosen}
          disabled={task.isWorking}
        />
      )}
      <WalletList
        isDisabled={task.isWorking}
        onChoose={(wallet) => signIn(wallet, network, account)}
      />
      <WalletTaskStatus task={task} />
      <OtherAccount onChange={setAccount} />
    </>
  );
}

/** For wallets that are members of another address's account. */
function OtherAccount({ onChange }: { readonly onChange: (account: Address | undefined) => void }) {
  const [text, setText] = useState("");
  const isWrong = text.trim() !== "" && parseAddress(text) === undefined;
  return (
    <details className="more">
      <summary>My wallet is a member of another account</summary>
      <TextField
        label="Account address"
        hint="The address that receives your API’s payments, 0x… or xdc…. Leave empty to use the wallet’s own account."
        error={
          isWrong ? "Enter an address: 0x or xdc, followed by 40 hexadecimal digits." : undefined
        }
        className="mono"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onText={(entered) => {
          setText(entered);
          onChange(parseAddress(entered));
        }}
      />
    </details>
  );
}
