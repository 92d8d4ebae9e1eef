/** Sends an upstream's answer that stands on the reply: back-pressure and hang-ups are Fastify's. */
import type { FastifyReply } from "fastify";
import type { PassedAnswer } from "./pass-free.ts";
import { endWhenStalled, lingerAfter } from "./slow-clients.ts";

/** Sends head and body; `more` are headers beside the upstream's. */
export function sendPassed(
  reply: FastifyReply,
  { body }: PassedAnswer,
  more: Readonly<Record<string, string>>,
): void {
  const { raw } = reply;
  // reply-from closes the connection when the request is not complete; whoever is still sending
  // might lose the answer with it.
  reply.removeHeader("Connection").headers(more);
  lingerAfter(raw);
  body.on("pause", () => {
    if (raw.writableNeedDrain) endWhenStalled(raw);
  });
  void reply.send(body);
  // An event stream may be silent for a while after its head.
  if (!raw.headersSent) raw.flushHeaders();
}
