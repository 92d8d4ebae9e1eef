/**
 * The header `EXTENSION-RESPONSES`: what became of the extensions that came with a payment, said
 * whatever the payment itself came to. Stock sellers log it and hand it to their hooks.
 */
import { encodeHeader } from "@farthing/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Log, messageOf } from "@farthing/engine/base";

/** The response to one extension. */
export interface ExtensionResponse {
  readonly status: "success" | "processing" | "rejected";
  /** For people. */
  readonly rejectedReason?: string;
  /** For programs. */
  readonly code?: string;
}

/** Responds to the extensions of the body of /verify or /settle, by name; undefined when none is ours. */
export type RespondToExtensions = (
  body: unknown,
) => Promise<Readonly<Record<string, ExtensionResponse>> | undefined>;

/** Adds the header to the answer of a request with extensions, before the payment is judged. */
export function respondToExtensions({
  catalogue,
  log,
}: {
  readonly catalogue: RespondToExtensions;
  readonly log: Log;
}) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      const answers = await catalogue(request.body);
      if (answers) reply.header("EXTENSION-RESPONSES", encodeHeader(answers));
    } catch (error) {
      // Nothing about a payment hangs on it.
      log.warn(
        {
          event: "extension_responses_failed",
          requestId: request.id,
          problem: messageOf(error),
        },
        "Extension responses failed; the payment is not affected",
      );
    }
  };
}
