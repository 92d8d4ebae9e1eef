/** How all servers of the service read requests: main process and workers alike. */
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from "fastify";
import type { Log } from "@farthing/engine/base";
import { HttpProblem } from "../messages/responses.ts";
import { arrivalTimes, toServerOptions, type ArrivalTimes } from "./connections.ts";
import { readBodies } from "./read-body.ts";
import { invalidMessage } from "../messages/invalid-message.ts";
import { sendProblem } from "./send-problem.ts";
import { nothingHere } from "./nothing-here.ts";
import type { Surface } from "../access/surface.ts";

/** Largest body: a payment with a long contract signature and a bazaar schema is far smaller. */
export const maxBodyBytes = 64 * 1024;

/** Common proxies close idle connections after 60 s; a longer time leaves it to them. */
const keepAliveMs = 72_000;

/** Headers of which two would be ambiguous. */
const singleHeaders = new Set([
  "authorization",
  "content-type",
  "content-length",
  "prefer",
  "idempotency-key",
]);

/** Input that does not match a schema is refused, never coerced. */
const schemaOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  discriminator: true,
  // The error messages need the schema.
  verbose: true,
} as const;

interface ReadingContext {
  readonly log: Log;
  readonly surfaces: readonly Surface[];
}

/** Creates a server that reads requests as every one of the service does, without routes. */
export function openHttp(
  context: ReadingContext,
  options: {
    readonly trustedProxies: readonly string[];
    readonly arrival?: ArrivalTimes | undefined;
  },
): FastifyInstance {
  const { trustedProxies, arrival = arrivalTimes } = options;
  const server = Fastify({
    ajv: { customOptions: schemaOptions },
    bodyLimit: maxBodyBytes,
    ...toServerOptions(arrival),
    keepAliveTimeout: keepAliveMs,
    // Old clients append `/verify` to a base that ends with a slash.
    rewriteUrl: ({ url = "/" }) => cleanTarget(url),
    genReqId: () => `req_${randomUUID().replaceAll("-", "")}`,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    forceCloseConnections: "idle",
    // The intake refuses late requests itself.
    return503OnClosing: false,
    clientErrorHandler: respondToBrokenRequest,
    // These errors occur before routing, for example when a path cannot be decoded.
    frameworkErrors: (error, request, reply) => {
      sendProblem(context, request, reply, translate(error, context));
    },
  });
  readBodies(server);
  return server;
}

/** Names each request in its response, and refuses what could be read in two ways. */
export function nameRequests(server: FastifyInstance): void {
  server.addHook("onRequest", (request, reply, done) => {
    reply.header("X-Request-Id", request.id);
    done(duplicateHeader(request));
  });
}

/** The target that is routed. */
export function cleanTarget(target: string): string {
  return collapseSlashes(toOriginForm(target));
}

/** Proxies may send the whole address as the target; servers must take it (RFC 9112, 3.2.2). */
function toOriginForm(target: string): string {
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  return rest === undefined || rest.startsWith("/") ? (rest ?? target) : `/${rest}`;
}

function collapseSlashes(url: string): string {
  const query = url.indexOf("?");
  const path = query === -1 ? url : url.slice(0, query);
  return path.replaceAll(/\/{2,}/g, "/") + (query === -1 ? "" : url.slice(query));
}

function duplicateHeader({ raw: { rawHeaders } }: FastifyRequest): HttpProblem | undefined {
  const seen: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.includes(name)) {
      return new HttpProblem("invalid_request", `The header ${name} is there twice; send it once.`);
    }
    seen.push(name);
  }
  return undefined;
}

/** Converts Fastify's own errors. */
export function translate(
  error: FastifyError,
  { surfaces }: Pick<ReadingContext, "surfaces">,
): unknown {
  if (error.validation) return new HttpProblem("invalid_request", invalidMessage(error));
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new HttpProblem(
        "request_too_large",
        `The body may have ${maxBodyBytes} bytes at most.`,
      );
    case "FST_ERR_MAX_PARAM_LENGTH":
      return nothingHere(surfaces);
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new HttpProblem("unsupported_media_type", "Send the body as application/json.");
    default:
      return typeof error.statusCode === "number" && error.statusCode < 500
        ? new HttpProblem(
            "invalid_request",
            "The request is malformed; see the README for its shape.",
          )
        : error;
  }
}

/** Responds to invalid HTTP by hand, because no request object exists. */
function respondToBrokenRequest(error: { code?: string }, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const [status, code, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "request_too_large", "The headers are too large."]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "invalid_request", "The request took too long to arrive."]
        : ["400 Bad Request", "invalid_request", "This is not valid HTTP."];
  // A request that arrived too slowly was not evaluated; it may be sent again.
  const retryable = status.startsWith("408");
  const body = JSON.stringify({ error: code, message, retryable, requestId: "" });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
