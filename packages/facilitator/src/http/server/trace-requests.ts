/** A span for each request: a child of the caller's where it sent a valid W3C `traceparent`. */
import {
  context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type TextMapPropagator,
  type Tracer,
} from "@opentelemetry/api";
import type { IncomingHttpHeaders } from "node:http";
import { failSpan } from "@farthing/engine/base";
import type { FastifyInstance } from "fastify";
import { methods } from "./observe.ts";

export interface RequestTracing {
  readonly tracer: Tracer;
  /** Reads `traceparent` and `tracestate`, and ignores malformed ones. */
  readonly propagator: TextMapPropagator;
}

/** The headers from which the propagator of W3C trace contexts reads. */
export const traceHeaders = ["traceparent", "tracestate"];

/** Load balancers ask these every few seconds. */
const untraced = /\/(health|ready)$/;

/** Statuses from here on are the service's failures. */
const serverErrorFrom = 500;

/** A request as its span describes it. */
export interface TracedRequest {
  readonly id: string;
  readonly method: string;
  /** The route's template; undefined where none matches. */
  readonly route: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Starts the span of a request; `run` makes it the active one. */
export function startRequestSpan(
  { tracer, propagator }: RequestTracing,
  { id, route, headers, ...request }: TracedRequest,
) {
  const method = methods.has(request.method) ? request.method : "_OTHER";
  // The path itself may hold the id of a settlement, and the query anything.
  const attributes = {
    "http.request.method": method,
    ...(route === undefined ? {} : { "http.route": route }),
    "x402.request_id": id,
  };
  const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
  const name = route === undefined ? method : `${method} ${route}`;
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  return {
    run: <T>(work: () => T): T => context.with(trace.setSpan(parent, span), work),
    /** `isWhole`: the response was written to its end. */
    end(status: number, isWhole: boolean): void {
      if (isWhole) span.setAttribute("http.response.status_code", status);
      if (!isWhole) failSpan(span, "caller_gone");
      else if (status >= serverErrorFrom) failSpan(span, String(status));
      span.end();
    },
  };
}

/** Has to be called before other hooks and the routes are added. */
export function traceRequests(server: FastifyInstance, tracing: RequestTracing): void {
  server.addHook("onRequest", (request, reply, done) => {
    const { id, method, headers } = request;
    const route = request.routeOptions.url;
    if (route !== undefined && untraced.test(route)) return done();
    const span = startRequestSpan(tracing, { id, method, route, headers });
    // This also runs when the caller disconnects before the response.
    reply.raw.once("close", () => span.end(reply.raw.statusCode, reply.raw.writableFinished));
    // Fastify keeps this context after the body has arrived, too.
    span.run(done);
  });
}
