/** The routes of every surface, below its base path. */
import type { FastifyInstance } from "fastify";
import { admission } from "../http/access/authenticate.ts";
import type { RouteLimits } from "../http/access/limits.ts";
import { registerAccepts } from "./accepts.ts";
import { registerAttestations, registerKeySet } from "./attestation-routes.ts";
import type { PaymentContext } from "./context.ts";
import { registerRefunds } from "./refunds.ts";
import { registerSettle } from "./settle.ts";
import { registerSettlements } from "./settlements.ts";
import { registerStatus } from "./status.ts";
import { registerSupported } from "./supported.ts";
import { registerVerify } from "./verify.ts";

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
    registerVerify(scope);
    registerSettle({ ...scope, throttle: settleThrottle });
    registerSettlements(scope);
    registerAttestations(scope);
    registerStatus(scope);
    // The other surfaces have accounts, whose sessions may refund too.
    if (surface.name === "self-built") {
      registerRefunds(server, context, [admission(context, { auth: "api-key" }, settleThrottle)]);
    }
  }
}
