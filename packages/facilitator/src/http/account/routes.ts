/**
 * The account API, for the dashboard: /v1/account/… with a session's cookie, and GET /v1/key with
 * an API key. It is there where sellers have accounts, which the self-built face has not.
 */
import cookies from "@fastify/cookie";
import type { FastifyInstance } from "fastify";
import { Fault } from "../../base/fault.ts";
import { isNotAdmitted } from "../../settlement/admission.ts";
import type { MakeLimit, Throttle } from "../limits.ts";
import { sendProblem } from "../send-problem.ts";
import type { TypedServer } from "../type-provider.ts";
import type { TypeBoxProvider } from "../type-provider.ts";
import type { AccountHttp } from "./context.ts";
import { registerCredits } from "./credits.ts";
import { guardAccounts } from "./guard.ts";
import { registerKeys } from "./keys.ts";
import { registerOwnKey } from "./own-key.ts";
import { registerListingTrial } from "./listing-trial.ts";
import { createCheckLimit, registerListings } from "./listings.ts";
import { registerProfile } from "./profile.ts";
import { registerPurchases } from "./purchases.ts";
import { registerSessions } from "./sessions.ts";
import { registerAccountSettlements } from "./settlements.ts";
import { registerSignIn } from "./sign-in.ts";
import { registerStepUp } from "./step-up.ts";
import { registerUsage } from "./usage.ts";
import { registerWallets } from "./wallets.ts";
import { registerWebhooks } from "./webhooks.ts";

/** Said where the chain or the database cannot be asked. */
const unavailable =
  "The service cannot reach the chain or its database right now; nothing was changed that you were not told of. Try again shortly.";

/** Adds the routes. */
export async function registerAccounts(
  server: FastifyInstance,
  deps: AccountHttp,
  limits: { readonly throttle: Throttle; readonly makeLimit: MakeLimit },
): Promise<void> {
  const { throttle, makeLimit } = limits;
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
