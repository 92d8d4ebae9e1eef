import type { Address, Network } from "@farthing/protocol";
import { useQueryClient } from "@tanstack/react-query";
import type { SignedIn, SignRequestJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { accountQuery, otherAccountsKey } from "../../api/queries.ts";
import { switchNetwork, WalletProblem, type Wallet } from "@farthing/buyer/wallet";
import { connect } from "../../wallet/connection.ts";
import { signText } from "../../wallet/signatures.ts";
import type { WalletTask } from "../../wallet/wallet-task.ts";

export function useSignIn({ run }: WalletTask) {
  const client = useQueryClient();
  return (wallet: Wallet, network: Network, account: Address | undefined) =>
    run(async ({ showStep, signal }) => {
      showStep({ message: `Connect ${wallet.name}`, isInWallet: true });
      const connection = await connect(wallet, signal);
      const [address] = connection.addresses;
      if (!address)
        throw new WalletProblem("failed", "Your wallet shares no account with this page.");
      if (connection.chainId !== network.chainId) {
        showStep({ message: `Switch ${wallet.name} to ${network.name}`, isInWallet: true });
        await switchNetwork(connection, network.chainId, signal);
      }
      showStep({ message: "Preparing the message to sign" });
      const { requestId, message } = await call<SignRequestJson>("/v1/account/sign-in", {
        method: "POST",
        body: { address, chainId: network.chainId, ...(account ? { account } : {}) },
        signal,
      });
      showStep({ message: `Sign with ${wallet.name}`, text: message, isInWallet: true });
      const signature = await signText(connection, address, message, signal);
      showStep({ message: "Checking the signature" });
      const { accounts } = await call<SignedIn>("/v1/account/sign-in/complete", {
        method: "POST",
        body: { requestId, signature },
        signal,
      });
      client.setQueryData(otherAccountsKey, accounts);
      await client.refetchQueries(accountQuery);
    });
}
