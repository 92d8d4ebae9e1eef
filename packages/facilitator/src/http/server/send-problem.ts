/** Error responses, as a page for people, and the log lines about faults and bugs. */
import { htmlPageHeaders, pageVary, writeErrorPage, type PageParts } from "@farthing/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault, type Log, messageOf } from "@farthing/engine/base";
import { prefersPage } from "../site/prefers-page.ts";
import { problemResponse, HttpProblem } from "../messages/responses.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The links at the head of the pages about problems. */
    readonly pageLinks: PageParts["links"];
  }
}

const pageHeaders = { ...htmlPageHeaders(), "Cache-Control": "no-store" };

/** Sends the response to a thrown value. Faults and bugs are logged; the caller's mistakes are not. */
export function sendProblem(
  { log }: { readonly log: Log },
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  shape: object = {},
): void {
  const response = problemResponse(error, request.id);
  logProblem(log, request.id, error);
  if (response.retryAfterSeconds !== undefined)
    reply.header("Retry-After", response.retryAfterSeconds);
  reply.status(response.status);
  const body = { ...response.body, ...shape };
  if (request.method === "GET") reply.header("Vary", pageVary);
  if (!prefersPage(request)) return void reply.send(body);
  const { status } = response;
  const { pageLinks: links } = request.server;
  reply.headers(pageHeaders).send(writeErrorPage({ ...body, status, links }));
}

/** Logs a fault or a bug that ended a request. */
export function logProblem(log: Log, requestId: string, error: unknown): void {
  if (error instanceof HttpProblem) return;
  const cause = error instanceof Error && error.cause ? messageOf(error.cause) : undefined;
  const fields = { requestId, problem: messageOf(error), cause };
  if (error instanceof Fault) {
    log.warn({ event: "request_faulted", ...fields }, "Request failed with a fault");
  } else {
    const stack = error instanceof Error ? error.stack : undefined;
    log.error({ event: "request_crashed", ...fields, stack }, "Request failed with a bug");
  }
}
