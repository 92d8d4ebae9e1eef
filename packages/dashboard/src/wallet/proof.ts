/** Step-up: the session's wallet signs changes of who may act for the account. */
import type { AccountJson, SignRequestJson } from "@farthing/facilitator/api";
import { call } from "../api/call.ts";
import { connectionOf } from "./connection.ts";
import { signText } from "./signatures.ts";
import type { TaskTools } from "./wallet-task.ts";

export interface Proof {
  readonly requestId: string;
  readonly signature: string;
}

export async function prove(
  { wallet }: AccountJson,
  action: string,
  details: object,
  { showStep, signal }: TaskTools,
): Promise<Proof> {
  const connection = await connectionOf(wallet, signal);
  showStep({ message: "Preparing the message to sign" });
  const { requestId, message } = await call<SignRequestJson>("/v1/account/step-up", {
    method: "POST",
    body: { action, details },
    signal,
  });
  showStep({ message: `Sign with ${connection.wallet.name}`, text: message, isInWallet: true });
  const signature = await signText(connection, wallet, message, signal);
  showStep({ message: "Checking the signature" });
  return { requestId, signature };
}
