/**
 * Passes a request on to the main process and its response back, unchanged and as they come. Only what
 * concerns a single connection is written anew: each of the two has its own.
 */
import {
  Agent,
  request as requestOf,
  type ClientRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream";
import { HttpProblem, problemResponse } from "../http/messages/responses.ts";
import { callerHeader } from "../http/server/connections.ts";
import { maxBodyBytes } from "../http/server/open-http.ts";

/**
 * Headers of one connection (RFC 9110, 7.6.1). This server has told the caller to continue, and the
 * name of the caller is the worker's own to write.
 */
const ofConnection = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  callerHeader,
]);

/** Connections to the main process that wait for the next request: the pages of a few browsers. */
const idleMax = 32;

/** `path`: the main process's socket. */
export function createPassOn(path: string): RequestListener {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: idleMax });
  return (request, response) => {
    const { method, url } = request;
    const headers = requestHeaders(request);
    const outgoing = requestOf({ agent, socketPath: path, method, path: url, headers });
    outgoing.on("response", (incoming) => {
      response.writeHead(
        incoming.statusCode ?? 0,
        incoming.statusMessage,
        responseHeaders(incoming),
      );
      // The main process may have responded before the end of the request.
      pipeline(incoming, response, () => outgoing.writableFinished || outgoing.destroy());
    });
    outgoing.on("error", () => respondUnavailable(response));
    // The caller has closed the connection, so the request to the main process ends as well.
    response.once("close", () => {
      if (!response.writableFinished) outgoing.destroy();
    });
    passBody(request, outgoing);
  };
}

/**
 * Passes on no more than the main process reads. It closes the connection to a caller who sends more,
 * and its response would be lost here while this process still writes.
 */
function passBody(request: IncomingMessage, outgoing: ClientRequest): void {
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) return outgoing.flushHeaders();
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    outgoing.write(chunk);
    bytes += chunk.length;
    if (bytes > maxBodyBytes) request.pause();
  });
  request.on("end", () => outgoing.end());
}

function requestHeaders(request: IncomingMessage): string[] {
  const headers = withoutConnection(request.rawHeaders);
  // HTTP/1.0 knows no Host.
  if (request.headers.host === undefined) headers.push("Host", "localhost");
  if (request.headers["transfer-encoding"] !== undefined) {
    headers.push("Transfer-Encoding", "chunked");
  }
  headers.push(callerHeader, request.socket.remoteAddress ?? "");
  return headers;
}

/** A response after which the main process closes ends the caller's connection too. */
function responseHeaders(incoming: IncomingMessage): string[] {
  const headers = withoutConnection(incoming.rawHeaders);
  if (incoming.headers.connection?.toLowerCase() === "close") headers.push("Connection", "close");
  return headers;
}

function withoutConnection(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (!ofConnection.has(name.toLowerCase())) kept.push(name, rawHeaders[index + 1] ?? "");
  }
  return kept;
}

/** The main process ends, or this one has no descriptor left. */
function respondUnavailable(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const message = "The service cannot take this request right now; try again shortly.";
  const { status, body, retryAfterSeconds } = problemResponse(
    new HttpProblem("service_unavailable", message),
    "",
  );
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Retry-After": retryAfterSeconds ?? 1,
    Connection: "close",
  });
  response.end(JSON.stringify(body));
}
