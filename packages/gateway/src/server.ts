/** The gateway's HTTP server. It reads the raw target and leaves routing to the rules. */
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { methodNotAllowed } from "./route-request.ts";
import {
  arrivalTimes,
  capConnections,
  keepDescriptors,
  maxConnectionsPerAddress,
  toServerOptions,
} from "./connections.ts";
import { errorResponse } from "./error-response.ts";
import { writeResponse, type Outgoing } from "./write-response.ts";

/** `gone` is aborted when the client disconnects before the response. */
export type Respond = (request: FastifyRequest, gone: AbortSignal) => Promise<Outgoing>;

/** Longer than the 60 s after which common proxies close idle connections. */
const keepAliveMs = 72_000;

/** Creates the server; it does not listen yet. */
export function createServer(
  trustedProxies: readonly string[],
  respond: Respond,
  { arrival = arrivalTimes, connectionsMax: max = maxConnectionsPerAddress } = {},
): FastifyInstance {
  const server = Fastify({
    // A router's interpretation of the target may differ from the upstream's.
    rewriteUrl: () => "/",
    genReqId: () => `req_${randomUUID().replaceAll("-", "")}`,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    ...toServerOptions(arrival),
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: "idle",
    clientErrorHandler: rejectBrokenRequest,
  });
  keepDescriptors(server.server);
  capConnections(server.server, { max, trustedProxies });
  let isClosing = false;
  server.addHook("preClose", async () => {
    isClosing = true;
  });
  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const leaving = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) leaving.abort();
    });
    const { method } = request;
    const response =
      method === "TRACE" ? methodNotAllowed() : await respond(request, leaving.signal);
    const more = {
      "x-request-id": request.id,
      // A connection that is kept alive would delay the stop.
      ...(isClosing ? { connection: "close" } : {}),
    };
    reply.hijack();
    await writeResponse(reply.raw, response, { hasBody: method !== "HEAD", more });
  }
  // Before Fastify reads the body. The hook never completes, so nothing runs after it.
  server.addHook("onRequest", (request, reply) => {
    // A response that cannot be written ends the connection.
    serve(request, reply).catch(() => reply.raw.destroy());
  });
  server.server.on("connect", (_request, socket: Socket) => {
    endRaw(socket, "405 Method Not Allowed", "method_not_allowed", "There are no tunnels here.");
  });
  return server;
}

/** Responds to invalid HTTP by hand, since there is no request object. */
function rejectBrokenRequest(error: { code?: string }, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  if (error.code === "HPE_HEADER_OVERFLOW") {
    const text = "The headers are too large; proxies in front must allow for 16 KiB as well.";
    return endRaw(socket, "431 Request Header Fields Too Large", "request_too_large", text);
  }
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const text = "The request took too long to arrive.";
    return endRaw(socket, "408 Request Timeout", "malformed_request", text);
  }
  endRaw(socket, "400 Bad Request", "malformed_request", "This is not valid HTTP.");
}

function endRaw(socket: Socket, status: string, error: string, message: string): void {
  const body = JSON.stringify({ error, message, retryable: false });
  socket.on("error", () => undefined);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** The response to an ambiguous target or host. */
export function malformedTarget(): Response {
  const message =
    "The address is not in its one canonical form: one Host, and no //, ., .., ;, #, encoded " +
    "slashes or controls.";
  return errorResponse(400, "malformed_request", message);
}
