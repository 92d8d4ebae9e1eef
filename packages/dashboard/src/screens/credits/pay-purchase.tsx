import { networkOfChain } from "@farthing/protocol";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Purchase } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { purchaseQuery, purchasesPath } from "../../api/queries.ts";
import { usdcText } from "../../components/format.ts";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { useAccount } from "../../signed-in.ts";
import { connectionOf } from "../../wallet/connection.ts";
import { switchNetwork, WalletProblem } from "@farthing/buyer/wallet";
import { signTypedData } from "../../wallet/signatures.ts";
import { useWalletTask } from "../../wallet/wallet-task.ts";
import { Button } from "../../components/button.tsx";

export function PayPurchase({
  purchase,
  other,
}: {
  readonly purchase: Purchase;
  readonly other: ReactNode;
}) {
  const account = useAccount();
  const client = useQueryClient();
  const task = useWalletTask();
  const { id, amount, chainId, typedData } = purchase;
  const payer = purchase.payer ?? account.wallet;
  const pay = () =>
    task.run(async ({ showStep, signal }) => {
      if (!typedData) throw new WalletProblem("failed", "This purchase can no longer be signed.");
      const connection = await connectionOf(payer, signal);
      const { name } = connection.wallet;
      showStep({ message: `Switch ${name} to ${networkOfChain(chainId).name}`, isInWallet: true });
      await switchNetwork(connection, chainId, signal);
      showStep({ message: `Sign the payment in ${name}`, isInWallet: true });
      const signature = await signTypedData(connection, payer, typedData, signal);
      showStep({ message: "Submitting the payment" });
      const paid = await call<Purchase>(`${purchasesPath}/${id}/payment`, {
        method: "POST",
        body: { signature },
      });
      client.setQueryData(purchaseQuery(id).queryKey, paid);
    });
  return (
    <>
      <WalletTaskStatus task={task} />
      <div className="form-actions">
        <Button look="primary" disabled={task.isWorking} onClick={pay}>
          Sign and pay {usdcText(amount)} USDC
        </Button>
        {!task.isWorking && other}
      </div>
    </>
  );
}
