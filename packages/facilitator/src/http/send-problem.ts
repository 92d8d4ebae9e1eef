/** Sends an answer that judges nothing, and logs what the operator should know of. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault, type Log, messageOf } from "@farthing/engine/base";
import { answerProblem, HttpProblem } from "./answer.ts";

/** Answers a thrown thing; faults and bugs are logged, where the caller's own mistakes are not. */
export function sendProblem(
  { log }: { readonly log: Log },
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  shape: object = {},
): void {
  const answer = answerProblem(error, request.id);
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
  if (answer.retryAfterSeconds !== undefined) reply.header("Retry-After", answer.retryAfterSeconds);
  reply.status(answer.status).send({ ...answer.body, ...shape });
}
