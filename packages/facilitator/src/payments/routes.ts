/** The routes of every surface, below its base path. */
import type { FastifyInstance } from "fastify";
import { admission } from "../http/access/authenticate.ts";
import type { RouteLimits } from "../http/access/limits.ts";
import { registerAccepts } from "./accepts.ts";
import { registerAttestations, registerKeySet } from "./attestation-routes.ts";
import type { PaymentContext, SurfaceScope } from "./context.ts";
import { describePayments } from "./describe-surface.ts";
import { callOf } from "./exchange-call.ts";
import { networkNameOf } from "./payment-call.ts";
import type { PaymentRoute } from "./payment-route.ts";
import { registerRefunds } from "./refunds.ts";
import { settleRoute } from "./settle.ts";
import { registerSettlements } from "./settlements.ts";
import { registerStatus } from "./status.ts";
import { registerSupported } from "./supported.ts";
import { requireBody } from "../http/server/read-body.ts";
import { sendProblem } from "../http/server/send-problem.ts";
import { verifyRoute } from "./verify.ts";

export function registerPayments(
  server: FastifyInstance,
  context: PaymentContext,
  { throttle, settleThrottle }: RouteLimits,
): void {
  registerKeySet(server, context);
  for (const surface of context.surfaces) {
    const scope = { server, context, surface, throttle };
    registerSupported(scope);
    registerAccepts(scope);
    registerRoute(scope, verifyRoute);
    registerRoute({ ...scope, throttle: settleThrottle }, settleRoute);
    registerSettlements(scope);
    registerAttestations(scope);
    registerStatus(scope);
    // The other surfaces have accounts, whose sessions may refund too.
    if (surface.name === "self-built") {
      registerRefunds(server, context, [admission(context, { auth: "api-key" }, settleThrottle)]);
    }
  }
}

function registerRoute(
  { server, context, surface, throttle }: SurfaceScope,
  route: PaymentRoute,
): void {
  server.post(`${surface.basePath}/${route.name}`, {
    ...describePayments(surface)[route.name],
    onRequest: admission(context, surface, throttle),
    preHandler: requireBody,
    handler: async (request, reply) => {
      const { status, body } = await route.answer(context, surface, callOf(request, reply));
      return reply.code(status).send(body);
    },
    errorHandler: (error, request, reply) => {
      // Fastify's own errors concern the request, not the payment.
      if ("statusCode" in error) return server.errorHandler(error, request, reply);
      const shape = route.shapeOf(error, networkNameOf(request.body));
      return sendProblem(context, request, reply, error, shape);
    },
  });
}
