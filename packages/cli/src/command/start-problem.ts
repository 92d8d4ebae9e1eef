import { isObject } from "@farthing/protocol";
import { messageOf } from "./command-errors.ts";

/** Why a server did not start; `otherAddress` names the way to choose another one. */
export function startProblem(error: unknown, otherAddress: string): string {
  if (!isObject(error) || error["code"] !== "EADDRINUSE") return messageOf(error);
  const { address, port } = error;
  return `Another program already listens on ${String(address)}:${String(port)}. End it, or choose another address with ${otherAddress}.`;
}
