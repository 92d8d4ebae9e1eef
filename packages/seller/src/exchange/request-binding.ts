/** Bound payments: the nonce commits to one request, and the payment's salt opens it. */
import {
  accept,
  bindingNonce,
  bodyHashOf,
  readRequestBinding,
  refuse,
  type Outcome,
  type Payment,
} from "@farthing/protocol";

export interface BindingSubject {
  /** HTTP method; `MCP` for the call of a tool. */
  readonly method: string;
  readonly body: Uint8Array;
}

/** Whether the payment is bound to this request; a binding to another one is refused. */
export function checkRequestBinding(
  payment: Payment,
  { method, url, body }: BindingSubject & { readonly url: string },
): Outcome<boolean> {
  const { salt } = readRequestBinding(payment.extensions);
  if (salt === undefined) return accept(false);
  const { to: payTo, nonce } = payment.authorization;
  const bodyHash = bodyHashOf(body);
  const expected = bindingNonce({ salt, method: method.toUpperCase(), url, bodyHash, payTo });
  return expected === nonce ? accept(true) : refuse("binding_mismatch");
}
