/**
 * Free requests on their way to the upstream and back, by `@fastify/reply-from`. Whom it asks is the
 * route's upstream, so that connections, bounds and the meaning of failures are those of paid calls;
 * by itself it makes no connection, repeats nothing, and has no say in the address.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import replyFrom, { type FastifyReplyFromOptions } from "@fastify/reply-from";
import type { FastifyInstance, FastifyReply } from "fastify";
import { clientHeaders, headerFields } from "./headers/answer-headers.ts";
import { addCors } from "./headers/cors.ts";
import { upstreamHeaders } from "./headers/request-headers.ts";
import type { Incoming } from "./incoming.ts";
import type { Notes } from "./observations.ts";
import { tellFailure, tooLarge, type Way } from "./proxy.ts";
import type { NoAnswer, Upstream, UpstreamCall, UpstreamFailure } from "./upstream.ts";

/** An upstream's answer whose status and headers are on the reply; its body is still to be sent. */
export interface PassedAnswer {
  readonly kind: "passed";
  readonly status: number;
  readonly body: Readable;
}

/** A free call, from the moment it is handed to reply-from. */
interface FreeCall {
  readonly upstream: Upstream;
  /** Its target is canonical, and goes on the wire as it is: no URL is made of it. */
  readonly call: Omit<UpstreamCall, "headers">;
  /** The first word counts. */
  readonly settle: (outcome: PassedAnswer | NoAnswer) => void;
  readonly fail: (error: unknown) => void;
}

/** Leads from what reply-from asks to the call that it asks for. */
const underWay = new AsyncLocalStorage<FreeCall>();

/** No answer of the upstream, as reply-from hands it on. */
class NoAnswerError extends Error {
  readonly answer: NoAnswer;
  constructor(reason: UpstreamFailure) {
    super(`The upstream gave no answer: ${reason}.`);
    this.answer = { kind: "failed", reason };
  }
}

/** Makes the server able to pass free requests on. */
export function registerFree(server: FastifyInstance): void {
  void server.register(replyFrom, {
    undici: { request: toRequest(ask) },
    // It would make agents of its own otherwise, which check no certificates, for nobody to use.
    globalAgent: true,
    disableCache: true,
    disableRequestLogging: true,
  });
}

/** Passes a free request on, both bodies as they come; ends it when the client goes. */
export async function passFree(
  way: Way,
  incoming: Incoming,
  notes: Notes,
  reply: FastifyReply,
): Promise<PassedAnswer | Response> {
  const { upstream, route } = way;
  const { method, target, gone: signal } = incoming;
  const body = incoming.openBody(route.upstream.requestBytesMax);
  if (body === "too_large") return tooLarge(route);
  const headers: IncomingHttpHeaders = { ...upstreamHeaders(incoming, route, way.publicUrl) };
  if (body && incoming.contentLength !== undefined) {
    headers["content-length"] = `${incoming.contentLength}`;
  }
  const startedMs = performance.now();
  const answer = await new Promise<PassedAnswer | NoAnswer>((settle, fail) => {
    const free: FreeCall = { upstream, call: { method, target, body, signal }, settle, fail };
    underWay.run(free, () => replyWith(reply, free, way, headers));
  });
  notes.upstreamMs = performance.now() - startedMs;
  if (body?.errored) {
    if (answer.kind === "passed") answer.body.destroy();
    return tooLarge(route);
  }
  return answer.kind === "failed" ? tellFailure(answer.reason, notes) : answer;
}

function replyWith(
  reply: FastifyReply,
  { settle, fail }: FreeCall,
  { route, publicUrl }: Way,
  headers: IncomingHttpHeaders,
): void {
  void reply.from(new URL(route.upstream.url).origin, {
    rewriteRequestHeaders: () => headers,
    rewriteHeaders: (given) => headerFields(addCors(clientHeaders(given, route, publicUrl))),
    // Only the client knows whether his request may be repeated.
    retryDelay: () => null,
    onResponse(_request, _reply, { statusCode: status, stream: body }) {
      settle({ kind: "passed", status, body });
    },
    onError(_reply, { error }) {
      if (error.cause instanceof NoAnswerError) settle(error.cause.answer);
      else fail(error);
    },
  });
}

/** What reply-from needs of a request to make, in its own undici's words. */
interface Asked {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What it hears of the answer. */
interface Heard {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

async function ask(
  { headers }: Asked,
  hear: (error: Error | null, heard?: Heard) => void,
): Promise<void> {
  const free = underWay.getStore();
  if (!free) throw new Error("Nothing but free calls is asked this way.");
  try {
    const answer = await free.upstream.open({ ...free.call, headers: withoutGaps(headers) });
    if (answer.kind === "failed") hear(new NoAnswerError(answer.reason));
    else hear(null, { ...answer, statusCode: answer.status });
    // When it has said nothing, it saw that the client has gone.
    free.settle({ kind: "failed", reason: "gone" });
  } catch (error) {
    free.fail(error);
  }
}

/** Headers that reply-from has taken away stand there without a value. */
function withoutGaps(headers: Asked["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

type Requestable = Extract<NonNullable<FastifyReplyFromOptions["undici"]>, { request: unknown }>;

function toRequest(given: typeof ask): Requestable["request"] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it uses of undici's what Heard has
  return given as unknown as Requestable["request"];
}
