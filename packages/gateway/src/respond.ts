/** Responds to requests under the active configuration, and logs and counts their outcomes. */
import type { FastifyRequest } from "fastify";
import { routeRequest } from "./route-request.ts";
import { readIncoming } from "./incoming.ts";
import type { Log } from "./log.ts";
import type { GatewayMetrics } from "./metrics.ts";
import {
  callerFields,
  outcomeOf,
  paymentFields,
  type Outcome,
  type RequestContext,
} from "./outcome.ts";
import type { ForwardAuthorization } from "./forward-authorization/authorize-request.ts";
import type { RequestLimits } from "./request-limits.ts";
import type { ActiveConfiguration } from "./active-configuration.ts";
import { errorResponse } from "./error-response.ts";
import { malformedTarget, type Respond } from "./server.ts";
import type { Outgoing } from "./write-response.ts";

/** A request as it arrives, and when the head of its response is ready. */
export type RequestStep = {
  readonly requestId: string;
  readonly method: string;
  /** The raw target, which the log does not have. */
  readonly target: string;
} & (
  | { readonly step: "arrived" }
  | {
      readonly step: "answered";
      readonly status: number;
      readonly outcome: Outcome;
      readonly ms: number;
    }
);

export interface Responder {
  /** A request stays with the configuration that was active when it arrived. */
  readonly active: () => ActiveConfiguration;
  readonly isStopping: () => boolean;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly limits: RequestLimits;
  readonly authorization: ForwardAuthorization;
  readonly onRequest?: ((step: RequestStep) => void) | undefined;
}

export function createResponder(responder: Responder): Respond {
  const { log } = responder;
  return async (request, gone) => {
    const context: RequestContext = { kind: "denied", route: "none" };
    const startedMs = performance.now();
    const { id: requestId, method, originalUrl: target } = request;
    responder.onRequest?.({ step: "arrived", requestId, method, target });
    const active = responder.active();
    const leave = active.enter();
    let response: Outgoing;
    try {
      const incoming = readIncoming(request, active.rules.pathRules, gone);
      const own = incoming && active.builtInEndpoints(incoming, responder.isStopping());
      if (own) context.kind = "own";
      const asked = incoming && responder.authorization(active, incoming, context);
      if (!incoming) response = malformedTarget();
      else if (own) response = own;
      else if (asked) response = await asked;
      else response = await routeRequest(active, incoming, context, responder.limits);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const fields = { requestId: request.id, route: context.route, problem };
      log.error({ event: "request_failed", ...fields }, "Request failed");
      const message = "The gateway failed; its operator finds it in the log.";
      response = errorResponse(500, "internal_error", message);
    } finally {
      leave();
    }
    const { headers } = request.raw;
    response = active.errorPage(response, { method, headers, requestId });
    const ms = performance.now() - startedMs;
    const { status } = response;
    const outcome = outcomeOf(context, status);
    record(responder, request, context, { status, outcome, ms });
    responder.onRequest?.({ step: "answered", requestId, method, target, status, outcome, ms });
    return response;
  };
}

function record(
  { log, metrics }: Responder,
  { id: requestId, method }: FastifyRequest,
  context: RequestContext,
  { status, outcome, ms }: { status: number; outcome: Outcome; ms: number },
): void {
  const { route, upstream, upstreamMs, charged, failure } = context;
  const { verifyMs, settleMs } = charged?.timings ?? {};
  metrics.answered(route, outcome);
  if (charged?.outcome.type === "uncharged") {
    metrics.uncharged(route, failure ?? `status_${Math.floor(charged.outcome.status / 100)}xx`);
  }
  if (upstream !== undefined && upstreamMs !== undefined) {
    metrics.upstreamResponded(upstream, upstreamMs);
  }
  const fields = { event: "request_completed", requestId, method, route, status, outcome };
  const times: Record<string, number> = { ms: Math.round(ms) };
  if (upstreamMs !== undefined) times["upstreamMs"] = Math.round(upstreamMs);
  if (verifyMs !== undefined) times["verifyMs"] = Math.round(verifyMs);
  if (settleMs !== undefined) times["settleMs"] = Math.round(settleMs);
  log.info(
    Object.assign(fields, callerFields(context), paymentFields(context), times),
    "Request completed",
  );
}
