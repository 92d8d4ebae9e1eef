/**
 * The header `EXTENSION-RESPONSES`: the results of the extensions of a payment, whatever the result
 * of the payment itself. Stock sellers log it and pass it to their hooks.
 */
import { encodeHeader } from "@farthing/protocol";
import { type Log, warning } from "@farthing/engine/base";
import type { PaymentCall } from "./payment-call.ts";

export interface ExtensionResponse {
  readonly status: "success" | "processing" | "rejected";
  readonly rejectedReason?: string;
  readonly code?: string;
}

/** Responds to the extensions of the body of /verify or /settle, by name; undefined when none is ours. */
export type RespondToExtensions = (
  body: unknown,
) => Promise<Readonly<Record<string, ExtensionResponse>> | undefined>;

/** Adds the header to the response, before the payment is evaluated. */
export async function respondToExtensions(
  { catalogue, log }: { readonly catalogue: RespondToExtensions; readonly log: Log },
  { request, head, asked }: PaymentCall,
): Promise<void> {
  const fields = { event: "extension_responses_failed", requestId: request.id };
  const header = await catalogue(asked.body)
    .then((responses) => responses && encodeHeader(responses))
    .catch(warning(log, fields, "Extension responses failed; the payment is not affected"));
  if (header !== undefined) head.header("EXTENSION-RESPONSES", header);
}
