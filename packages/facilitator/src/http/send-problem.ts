/** Error responses, and the log lines about faults and bugs. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault, type Log, messageOf } from "@farthing/engine/base";
import { problemResponse, HttpProblem } from "./responses.ts";

/** Sends the response to a thrown value. Faults and bugs are logged; the caller's mistakes are not. */
export function sendProblem(
  { log }: { readonly log: Log },
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  shape: object = {},
): void {
  const response = problemResponse(error, request.id);
  if (!(error instanceof HttpProblem)) {
    const cause = error instanceof Error && error.cause ? messageOf(error.cause) : undefined;
    const fields = { requestId: request.id, problem: messageOf(error), cause };
    if (error instanceof Fault) {
      log.warn({ event: "request_faulted", ...fields }, "Request failed with a fault");
    } else {
      const stack = error instanceof Error ? error.stack : undefined;
      log.error({ event: "request_crashed", ...fields, stack }, "Request failed with a bug");
    }
  }
  if (response.retryAfterSeconds !== undefined)
    reply.header("Retry-After", response.retryAfterSeconds);
  reply.status(response.status).send({ ...response.body, ...shape });
}
