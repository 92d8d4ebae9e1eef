/** Observation of the requests that carry an API key, with their bodies. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RequestKey } from "../access/request-key.ts";

/** A call that was answered. Its bodies hold signatures; what is kept of them is described. */
export interface KeyedCall {
  readonly key: RequestKey;
  readonly requestId: string;
  readonly method: string;
  /** The path with its query. */
  readonly target: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestBody: unknown;
  /** Undefined for a body that is not JSON. */
  readonly responseBody: unknown;
}

/** Calls the observers after each response; has to be added before the routes. */
export function observeCalls(
  server: FastifyInstance,
  observers: readonly ((call: KeyedCall) => void)[],
): void {
  const bodies = new WeakMap<FastifyRequest, unknown>();
  server.addHook("preSerialization", (request, _reply, payload: unknown, done) => {
    if (keyOf(request)) bodies.set(request, payload);
    done(null, payload);
  });
  server.addHook("onResponse", (request, reply, done) => {
    const key = keyOf(request);
    if (key) {
      const call = {
        key,
        requestId: request.id,
        method: request.method,
        target: request.url,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime),
        requestBody: request.body,
        responseBody: bodies.get(request),
      };
      for (const observe of observers) observe(call);
    }
    done();
  });
}

/** Routes without keys set none. */
function keyOf(request: Partial<Pick<FastifyRequest, "apiKey">>): RequestKey | null {
  return request.apiKey ?? null;
}
