/**
 * The account API, for the dashboard: /v1/account/… with a session's cookie, and GET /v1/key with
 * an API key. It is there where sellers have accounts, which the self-built face has not.
 */
import cookies from "@fastify/cookie";
import type { FastifyInstance } from "fastify";
import { Fault } from "../base/fault.ts";
import { isNotAdmitted } from "../settlement/admission.ts";
import type { RouteLimits } from "../http/limits.ts";
import { sendProblem } from "../http/send-problem.ts";
import type { TypedServer } from "../http/type-provider.ts";
import type { TypeBoxProvider } from "../http/type-provider.ts";
import type { AccountHttp } from "./accounts/service.ts";
import { registerCredits } from "./credits/routes.ts";
import { guardAccounts } from "./sign-in/guard.ts";
import { registerKeys } from "./api-keys/routes.ts";
import { registerOwnKey } from "./api-keys/current-key-routes.ts";
import { registerListingTrial } from "./listings/trial-routes.ts";
import { registerDiscovery } from "./listings/discovery-routes.ts";
import { createCheckLimit, registerListings } from "./listings/routes.ts";
import { registerProfile } from "./accounts/routes.ts";
import { registerPurchases } from "./purchases/routes.ts";
import { registerSessions } from "./sign-in/session-routes.ts";
import { registerAccountSettlements } from "./history/routes.ts";
import { registerSignIn } from "./sign-in/routes.ts";
import { registerStepUp } from "./sign-in/step-up-routes.ts";
import { registerUsage } from "./history/usage-routes.ts";
import { registerWallets } from "./sign-in/wallet-routes.ts";
import { registerWebhooks } from "./webhooks/routes.ts";

/** Said where the chain or the database cannot be asked. */
const unavailable =
  "The service cannot reach the chain or its database right now; nothing was changed that you were not told of. Try again shortly.";

/** Registers the routes of all features. */
export async function registerFeatures(
  server: FastifyInstance,
  deps: AccountHttp,
  { throttle, makeLimit }: RouteLimits,
): Promise<void> {
  await server.register(async (plain) => {
    const scope: TypedServer = plain.withTypeProvider<TypeBoxProvider>();
    answerFaults(scope, deps);
    registerOwnKey(scope, deps, throttle);
  });
  await server.register(async (plain) => {
    const scope: TypedServer = plain.withTypeProvider<TypeBoxProvider>();
    const { accounts } = deps;
    answerFaults(scope, deps);
    await scope.register(cookies);
    guardAccounts(scope, accounts, throttle);
    registerSignIn(scope, accounts, makeLimit);
    registerStepUp(scope, accounts);
    registerProfile(scope, deps);
    registerSessions(scope, accounts);
    registerWallets(scope, accounts);
    registerKeys(scope, accounts);
    registerCredits(scope, accounts);
    registerPurchases(scope, deps, makeLimit);
    registerAccountSettlements(scope, deps);
    registerUsage(scope, deps);
    registerWebhooks(scope, accounts);
    const limitChecks = createCheckLimit(makeLimit);
    registerListings(scope, accounts, limitChecks);
    registerListingTrial(scope, accounts, limitChecks);
  });
  for (const surface of deps.context.surfaces) {
    await registerDiscovery(server, deps.accounts.listings, surface, throttle);
  }
}

/** A fault here is about no payment, unless it says why one is not carried now. */
function answerFaults(scope: TypedServer, { context }: AccountHttp): void {
  const { errorHandler } = scope;
  scope.setErrorHandler((error, request, reply) => {
    if (!(error instanceof Fault)) return errorHandler(error, request, reply);
    if (isNotAdmitted(error)) return sendProblem(context, request, reply, error);
    return sendProblem(context, request, reply, error, { message: unavailable });
  });
}
