import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SettleResponse } from "@farthing/protocol";
import type { SettlementDetail } from "@farthing/facilitator/api";
import { switchNetwork } from "@farthing/buyer/wallet";
import { call } from "../../api/call.ts";
import { settlementsPath } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { Form, TextField } from "../../components/field.tsx";
import { usdcText } from "../../components/format.ts";
import { Notice } from "../../components/notice.tsx";
import { Facts } from "../../components/page.tsx";
import { Whole } from "../../components/values.tsx";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { connectionOf } from "../../wallet/connection.ts";
import { signTypedData } from "../../wallet/signatures.ts";
import { useWalletTask, type TaskTools } from "../../wallet/wallet-task.ts";
import {
  createRefundFlow,
  readRefundAmount,
  type RefundOffer,
  type SignRefund,
} from "./refund-flow.ts";

interface RefundDialogProps {
  readonly settlementId: string;
  readonly offer: RefundOffer;
  readonly onClose: () => void;
}

export function RefundDialog({ settlementId, offer, onClose }: RefundDialogProps) {
  const { payment } = offer;
  const client = useQueryClient();
  const task = useWalletTask();
  const [flow] = useState(() => createRefundFlow(depsOf(settlementId)));
  const [text, setText] = useState(() => usdcText(offer.amount).replaceAll(",", ""));
  const amount = readRefundAmount(text, payment);
  const isUnanswered = flow.isUnanswered();
  const run = (units: bigint) =>
    task.run(async (tools) => {
      const sent = () => tools.showStep({ message: "Sending the refund" });
      try {
        const status = await flow.run(payment, units, signer(tools), sent);
        announce(status === "confirmed" ? "Refund confirmed" : "Refund sent");
      } finally {
        await client.invalidateQueries({ queryKey: ["settlements"] });
      }
      onClose();
    });
  return (
    <Dialog title="Refund this payment" onClose={onClose}>
      <Form onSubmit={() => typeof amount === "bigint" && run(amount)}>
        <fieldset className="plain" disabled={task.isWorking || isUnanswered}>
          <Facts
            rows={[
              ["From", <Whole text={payment.payTo} what="payee" />],
              ["To", <Whole text={payment.payer} what="payer" />],
              ["Network", payment.network.name],
            ]}
          />
          <TextField
            label="Amount in USDC"
            hint={`At most ${usdcText(payment.rest)} USDC. Your address needs the USDC; the facilitator pays the gas.`}
            error={typeof amount === "string" ? amount : undefined}
            inputMode="decimal"
            autoComplete="off"
            required
            value={text}
            onText={setText}
          />
          <Notice tone="warn" title="The money goes to the address that paid">
            <p>
              If an exchange or a custodian paid from a shared wallet, the refund goes to that
              wallet, and your customer may not receive it. Ask your customer first. A refund cannot
              be reversed, and what the payment bought, such as a pass or a balance, stays usable.
            </p>
          </Notice>
        </fieldset>
        <WalletTaskStatus task={task} />
        {isUnanswered && !task.isWorking && (
          <p className="hint">
            It is not known whether the service received the refund. Sending the same signature
            again cannot refund twice.
          </p>
        )}
        <DialogActions onClose={onClose}>
          <Button
            type="submit"
            look="primary"
            disabled={task.isWorking || typeof amount === "string"}
          >
            {isUnanswered ? "Send again" : "Sign and refund"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function depsOf(settlementId: string) {
  const path = `${settlementsPath}/${encodeURIComponent(settlementId)}`;
  return {
    read: () => call<SettlementDetail>(path),
    // Without a signal: a refund that was sent is not taken back.
    send: (body: object) => call<SettleResponse>("/v1/refunds", { method: "POST", body }),
    now: () => Date.now(),
  };
}

function signer({ showStep, signal }: TaskTools): SignRefund {
  return async ({ payTo, network }, typedData) => {
    const connection = await connectionOf(payTo, signal);
    const { name } = connection.wallet;
    showStep({ message: `Switch ${name} to ${network.name}`, isInWallet: true });
    await switchNetwork(connection, network.chainId, signal);
    showStep({ message: `Sign the refund in ${name}`, isInWallet: true });
    return signTypedData(connection, payTo, typedData, signal);
  };
}
