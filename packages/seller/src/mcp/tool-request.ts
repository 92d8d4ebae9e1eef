/** A tool call as a request: the tool is its address, server and arguments are its body. */
import {
  canonicalJson,
  defined,
  encodeHeader,
  headerNames,
  isPassToken,
  passHeaders,
} from "@farthing/protocol";
import type { BindingSubject } from "../exchange/binding.ts";

/** The key of a call's `_meta` that holds the payment as an object. */
export const paymentMetaKey = "x402/payment";

/** Ours: the token of a pass or balance in a call, and what is left of a pass in a result. */
export const passMetaKey = "x402/payment-pass";

/** Ours: what is left of a balance, and what the call has cost. */
export const balanceMetaKey = "x402/payment-balance";

export interface ToolCall {
  /** Name of the server, where several servers share one store of payment records. */
  readonly server?: string | undefined;
  readonly tool: string;
  /** As the handler gets them, schema applied. */
  readonly arguments: unknown;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Throws a TypeError for arguments other than JSON, which could not be told apart. */
export function toolRequest(call: ToolCall): Request {
  const payment = call.meta?.[paymentMetaKey];
  const token = call.meta?.[passMetaKey];
  const { server, arguments: given } = call;
  assertJson(given);
  return new Request(`mcp://tool/${encodeURIComponent(call.tool)}`, {
    method: "POST",
    // The payload names its version; the name of the header does not matter.
    headers: defined({
      [headerNames.paymentSignature]: payment === undefined ? undefined : encodeHeader(payment),
      [passHeaders.token]: isPassToken(token) ? token : undefined,
    }),
    body: canonicalJson({ server, arguments: given }),
  });
}

/** A bound payment's nonce commits to the arguments as they were sent. */
export function bindingSubjectOf(sent: unknown): BindingSubject {
  return { method: "MCP", body: new TextEncoder().encode(canonicalJson(sent)) };
}

function assertJson(value: unknown): void {
  JSON.stringify(value, (key, member: unknown) => {
    if (typeof member === "object" && member !== null && !Array.isArray(member)) {
      const prototype: unknown = Object.getPrototypeOf(member);
      if (prototype !== null && prototype !== Object.prototype) {
        throw new TypeError(`A paid tool's arguments must be JSON; "${key}" is something else.`);
      }
    }
    return member;
  });
}
