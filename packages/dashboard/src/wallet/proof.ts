/** Step-up: the session's wallet signs changes of who may act for the account. */
import type { AccountJson, SignRequestJson } from "@farthing/facilitator/api";
import type { Address } from "@farthing/protocol";
import { call } from "../api/call.ts";
import { connectionOf, type Connection } from "./connection.ts";
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
  tools: TaskTools,
): Promise<Proof> {
  const connection = await connectionOf(wallet, tools.signal);
  tools.showStep({ message: "Preparing the message to sign" });
  const body = { action, details };
  const proof = await signRequest(connection, wallet, "/v1/account/step-up", body, tools);
  tools.showStep({ message: "Checking the signature" });
  return proof;
}

/** Requests a text to sign at `path`, and has the wallet sign it. */
export async function signRequest(
  connection: Connection,
  address: Address,
  path: string,
  body: object,
  { showStep, signal }: TaskTools,
): Promise<Proof> {
  const options = { method: "POST", body, signal } as const;
  const { requestId, message } = await call<SignRequestJson>(path, options);
  showStep({ message: `Sign with ${connection.wallet.name}`, text: message, isInWallet: true });
  return { requestId, signature: await signText(connection, address, message, signal) };
}
