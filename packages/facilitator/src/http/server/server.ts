/** The HTTP server: bodies, error responses and shared limits. */
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from "fastify";
import type { Runtime } from "@farthing/engine/base";
import { HttpProblem } from "../messages/responses.ts";
import {
  arrivalTimes,
  capConnections,
  keepDescriptors,
  toServerOptions,
  type ArrivalTimes,
} from "./connections.ts";
import { createInProcessFetch } from "./in-process-fetch.ts";
import { createIntake, type Intake } from "./intake.ts";
import { createThrottle, prepareLimits, type RouteLimits } from "../access/limits.ts";
import { observeResponses, type HttpObserver } from "./observe.ts";
import { describeRoutes, type Tag } from "../openapi/openapi.ts";
import { readBodies } from "./read-body.ts";
import { invalidMessage } from "../messages/invalid-message.ts";
import { sendProblem } from "./send-problem.ts";
import { nothingHere } from "./nothing-here.ts";
import { siteLinks } from "../site/site-links.ts";
import type { Surface } from "../access/surface.ts";
import { traceRequests, type RequestTracing } from "./trace-requests.ts";

/** Largest body: a payment with a long contract signature and a bazaar schema is far smaller. */
const maxBodyBytes = 64 * 1024;

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

export interface Listener {
  /** Returns the resulting base URL. */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  close(): Promise<void>;
}

/** The steps of a start, in this order. Requests are accepted when both are done. */
export type StartStep = "chain" | "database" | "done";

export interface ServerContext extends Runtime {
  readonly version: string;
  readonly surfaces: readonly Surface[];
  readonly observer: HttpObserver;
  /** Requests per caller and window; 0 for no limit. */
  readonly limits: { readonly requestsMax: number };
  startStep(): StartStep;
}

/** The server of the surfaces, which can refuse new requests before it closes. */
export interface HttpServer extends Listener, Intake {
  /** Sends a request without a socket. */
  readonly fetch: typeof globalThis.fetch;
}

export async function createServer(
  context: ServerContext,
  options: {
    readonly trustedProxies: readonly string[];
    /** Connections that one address may hold; 0 for no bound. */
    readonly connectionsMax: number;
    readonly arrival?: ArrivalTimes | undefined;
    /** Additional sections of the OpenAPI document. */
    readonly tags: readonly Tag[];
    /** Address of the guides that the API reference links to. */
    readonly docsUrl?: string | undefined;
    /** Undefined if nothing is traced. */
    readonly tracing?: RequestTracing | undefined;
    registerRoutes(server: FastifyInstance, limits: RouteLimits): Promise<void>;
  },
): Promise<HttpServer> {
  const { trustedProxies, connectionsMax: max, arrival = arrivalTimes } = options;
  const server = Fastify({
    ajv: { customOptions: schemaOptions },
    bodyLimit: maxBodyBytes,
    ...toServerOptions(arrival),
    keepAliveTimeout: keepAliveMs,
    // Old clients append `/verify` to a base that ends with a slash.
    rewriteUrl: ({ url = "/" }) => collapseSlashes(toOriginForm(url)),
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
  keepDescriptors(server.server);
  capConnections(server.server, { max, trustedProxies });
  if (options.tracing) traceRequests(server, options.tracing);
  const hasAccounts = context.surfaces.some(({ name }) => name !== "self-built");
  server.decorate("pageLinks", siteLinks(hasAccounts, options.docsUrl));
  readBodies(server);
  handleErrors(server, context, collectRoutes(server));
  server.addHook("onRequest", (request, reply, done) => {
    reply.header("X-Request-Id", request.id);
    done(duplicateHeader(request));
  });
  const { drain } = createIntake(server, () => context.startStep() === "done");
  observeResponses(server, context.observer);
  const { version, surfaces } = context;
  const { tags, docsUrl } = options;
  await describeRoutes(server, { version, surfaces, tags, docsUrl });
  const { requestsMax } = context.limits;
  const makeLimit = await prepareLimits(server, requestsMax > 0);
  const { clock } = context;
  const throttle = createThrottle(makeLimit, requestsMax, { clock, isForSettle: false });
  const settleThrottle = createThrottle(makeLimit, requestsMax, { clock, isForSettle: true });
  await options.registerRoutes(server, { throttle, settleThrottle, makeLimit });
  return {
    listen: (at) => server.listen({ ...at }),
    close: () => server.close(),
    drain,
    fetch: createInProcessFetch(server),
  };
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

interface Route {
  readonly method: string;
  readonly pattern: readonly string[];
}

/** Collects the routes that are registered from now on. */
function collectRoutes(server: FastifyInstance): readonly Route[] {
  const routes: Route[] = [];
  server.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, pattern: url.split("/") });
  });
  return routes;
}

/** Returns the methods of a path, or none if no route matches. */
function methodsOf(routes: readonly Route[], path: string): string[] {
  const parts = path.split("/");
  const found = routes.filter(
    ({ pattern }) =>
      pattern.length === parts.length &&
      pattern.every((part, index) => part.startsWith(":") || part === parts[index]),
  );
  return [...new Set(found.map(({ method }) => method))];
}

function handleErrors(
  server: FastifyInstance,
  context: ServerContext,
  routes: readonly Route[],
): void {
  // Not async: Fastify would send a second response while hooks still process the first one.
  server.setErrorHandler((error: FastifyError, request, reply) => {
    sendProblem(context, request, reply, translate(error, context));
  });
  server.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(routes, request.url.split("?")[0] ?? "/");
    if (methods.length > 0) reply.header("Allow", methods.join(", "));
    const problem =
      methods.length > 0
        ? new HttpProblem("method_not_allowed", `Use ${methods.join(" or ")} here.`)
        : nothingHere(context.surfaces);
    sendProblem(context, request, reply, problem);
  });
}

/** Converts Fastify's own errors. */
function translate(error: FastifyError, { surfaces }: ServerContext): unknown {
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
