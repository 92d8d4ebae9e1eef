import type { Address, Network } from "@farthing/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { accountQuery } from "../../api/queries.ts";
import { expectSession } from "../../api/session-hint.ts";
import { switchNetwork, WalletProblem, type Wallet } from "@farthing/buyer/wallet";
import { connect } from "../../wallet/connection.ts";
import { signRequest } from "../../wallet/proof.ts";
import type { WalletTask } from "../../wallet/wallet-task.ts";

export function useSignIn({ run }: WalletTask) {
  const client = useQueryClient();
  return (wallet: Wallet, network: Network, account: Address | undefined) =>
    run(async (tools) => {
      const { showStep, signal } = tools;
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
      const asked = { address, chainId: network.chainId, ...(account ? { account } : {}) };
      const body = await signRequest(connection, address, "/v1/account/sign-in", asked, tools);
      showStep({ message: "Checking the signature" });
      const options = { method: "POST", body, signal } as const;
      await call("/v1/account/sign-in/complete", options);
      expectSession(true);
      await client.refetchQueries(accountQuery);
    });
}
