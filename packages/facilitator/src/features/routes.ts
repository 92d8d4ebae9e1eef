/**
 * Registers the routes of all features: the account API with a session's cookie, routes for API
 * keys, and public ones on each surface. The self-built surface has none of them.
 */
import cookies from "@fastify/cookie";
import type { FastifyInstance } from "fastify";
import { isNotAdmitted } from "@farthing/engine";
import { Fault, type Log } from "@farthing/engine/base";
import type { RouteLimits } from "../http/access/limits.ts";
import { sendProblem } from "../http/server/send-problem.ts";
import type { Surface } from "../http/access/surface.ts";
import type { TypeBoxProvider, TypedServer } from "../http/messages/type-provider.ts";
import type { Features } from "./features.ts";

/** The message when the chain or the database is unavailable. */
const unavailable =
  "The service cannot reach the chain or its database right now; nothing was changed that you were not told of. Try again shortly.";

export async function registerFeatures(
  server: FastifyInstance,
  { list, guard }: Pick<Features, "list" | "guard">,
  deps: { readonly log: Log; readonly surfaces: readonly Surface[]; readonly limits: RouteLimits },
): Promise<void> {
  const { surfaces, limits } = deps;
  const typed: TypedServer = server.withTypeProvider<TypeBoxProvider>();
  await server.register(async (plain) => {
    const scope: TypedServer = plain.withTypeProvider<TypeBoxProvider>();
    respondToFaults(scope, deps);
    for (const { routes } of list) routes?.keyed?.(scope, limits);
  });
  await server.register(async (plain) => {
    const scope: TypedServer = plain.withTypeProvider<TypeBoxProvider>();
    respondToFaults(scope, deps);
    await scope.register(cookies);
    guard(scope, limits.throttle);
    for (const { routes } of list) routes?.account?.(scope, limits);
  });
  for (const surface of surfaces) {
    for (const { routes } of list) await routes?.surface?.(typed, surface, limits);
  }
}

/** Faults here concern no payment, unless they name a refusal. */
function respondToFaults(scope: TypedServer, { log }: { readonly log: Log }): void {
  const { errorHandler } = scope;
  scope.setErrorHandler((error, request, reply) => {
    if (!(error instanceof Fault)) return errorHandler(error, request, reply);
    if (isNotAdmitted(error)) return sendProblem({ log }, request, reply, error);
    return sendProblem({ log }, request, reply, error, { message: unavailable });
  });
}
