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
import { failSpan } from "@farthing/engine/base";
import type { FastifyInstance } from "fastify";
import { methods } from "./observe.ts";

export interface RequestTracing {
  readonly tracer: Tracer;
  /** Reads `traceparent` and `tracestate`, and ignores malformed ones. */
  readonly propagator: TextMapPropagator;
}

/** Load balancers ask these every few seconds. */
const untraced = /\/(health|ready)$/;

/** Statuses from here on are the service's failures. */
const serverErrorFrom = 500;

/** Has to be called before other hooks and the routes are added. */
export function traceRequests(
  server: FastifyInstance,
  { tracer, propagator }: RequestTracing,
): void {
  server.addHook("onRequest", (request, reply, done) => {
    const route = request.routeOptions.url;
    if (route !== undefined && untraced.test(route)) return done();
    const method = methods.has(request.method) ? request.method : "_OTHER";
    // The path itself may hold the id of a settlement, and the query anything.
    const attributes = {
      "http.request.method": method,
      ...(route === undefined ? {} : { "http.route": route }),
      "x402.request_id": request.id,
    };
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    const name = route === undefined ? method : `${method} ${route}`;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    // This also runs when the caller disconnects before the response.
    reply.raw.once("close", () => {
      const { statusCode, writableFinished } = reply.raw;
      if (writableFinished) span.setAttribute("http.response.status_code", statusCode);
      if (!writableFinished) failSpan(span, "caller_gone");
      else if (statusCode >= serverErrorFrom) failSpan(span, String(statusCode));
      span.end();
    });
    // Fastify keeps this context after the body has arrived, too.
    context.with(trace.setSpan(parent, span), done);
  });
}
