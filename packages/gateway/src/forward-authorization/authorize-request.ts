/**
 * Forward authorization: a proxy asks about each request before it serves it. The rules, records and
 * refusals are those of requests that come here. The money moves before the proxy does its work.
 */
import { defaultCostHeader, type PaidRequest } from "@farthing/seller";
import { formatUsdc } from "@farthing/protocol";
import { compile as compileTrust } from "@fastify/proxy-addr";
import type { ActiveConfiguration } from "../active-configuration.ts";
import { isServedByProxy, type RouteConfig } from "../configuration/configuration.ts";
import { errorResponse } from "../error-response.ts";
import { withCors } from "../headers/cors.ts";
import { paymentFactHeaders } from "../headers/request-headers.ts";
import type { Incoming } from "../incoming.ts";
import type { RequestContext } from "../outcome.ts";
import { paymentFacts } from "../proxy.ts";
import type { RequestLimits } from "../request-limits.ts";
import { asFree, challengeOf, enterRoute, findRoute, notHere } from "../route-request.ts";
import type { Outgoing } from "../write-response.ts";
import { authorizePath, readAskedRequest } from "./asked-request.ts";
import { createKeptRefusals } from "./kept-refusals.ts";

const refusalsPath = "/__x402/refusals/";

/** Names the refusal that the proxy fetches. */
export const refusalHeader = "X-402-Refusal";

/** With this query, refusals have the status 403 and are kept, for proxies that show no other. */
const keepsRefusals = "?refusal=kept";

export type ForwardAuthorization = ReturnType<typeof createForwardAuthorization>;

export function createForwardAuthorization(
  trustedProxies: readonly string[],
  limits: RequestLimits,
) {
  const isTrusted = compileTrust([...trustedProxies]);
  const refusals = createKeptRefusals();

  async function answer(active: ActiveConfiguration, question: Incoming, context: RequestContext) {
    const asked = readAskedRequest(question, active.rules.pathRules);
    const isRefused = asked instanceof Response;
    const response = isRefused ? asked : await authorize(active, asked, context, limits);
    if (isOpen(response) || !question.target.endsWith(keepsRefusals)) return response;
    const { method, headers, requestId } = isRefused ? question : asked;
    const shown = active.errorPage(response, { method, headers, requestId });
    const named = { [refusalHeader]: await refusals.keep(shown), "Cache-Control": "no-store" };
    return new Response(null, { status: 403, headers: named });
  }

  /** Returns undefined for every other path, at once. */
  return (
    active: ActiveConfiguration,
    question: Incoming,
    context: RequestContext,
  ): Promise<Outgoing> | Outgoing | undefined => {
    const { path } = question;
    const isFetch = path.startsWith(refusalsPath);
    if (!isFetch && path !== authorizePath && !path.startsWith(`${authorizePath}/`)) {
      return undefined;
    }
    if (!isTrusted(question.addresses.at(-1) ?? "", 0)) {
      const message = "Only the proxies of trustedProxies may ask here.";
      return errorResponse(403, "untrusted_proxy", message);
    }
    if (isFetch) return refusals.take(path.slice(refusalsPath.length));
    return answer(active, question, context);
  };
}

/** A proxy serves a request for which the response has a status of these. */
function isOpen({ status }: Outgoing): boolean {
  return status >= 200 && status < 300;
}

async function authorize(
  active: ActiveConfiguration,
  asked: Incoming,
  context: RequestContext,
  limits: RequestLimits,
): Promise<Outgoing> {
  const refused = limits.refuse(asked, active.config.rateLimit.perAddress);
  if (refused) return withCors(refused);
  const found = findRoute(active, asked);
  if (found instanceof Response) return found;
  if (!isServedByProxy(found.upstream)) return notHere("The gateway serves this address itself.");
  const price = await active.choosePrice(found, asked);
  const route = price?.route ?? found;
  const visit = { incoming: asked, context, limits, price };
  const { paidRoute, isSold } = enterRoute(active, route, visit);
  if (!paidRoute) return asFree(new Response(null), isSold);
  const challenged = challengeOf(paidRoute, asked, context);
  if (challenged) return challenged;
  const charged = await paidRoute.charge(
    asked,
    (payment) => opened(route, payment),
    price?.acceptedTerms,
  );
  if (charged instanceof Response) return charged;
  context.charged = charged;
  const { response, outcome } = charged;
  return outcome.type === "undecided" && response.ok ? closed(response) : response;
}

/** A refund of a channel is complete here. With a status of 2xx it would open the address as well. */
function closed({ body, headers }: Response): Response {
  return new Response(body, { status: 409, headers });
}

/** The work of the gateway's side: to tell the proxy who has paid what. */
function opened({ balance }: RouteConfig, payment: PaidRequest): Response {
  const facts = paymentFacts(payment);
  const headers = new Headers(facts ? paymentFactHeaders(facts) : {});
  // Nobody reads a cost from the proxy's response, so each request costs its reserve.
  if (balance) headers.set(defaultCostHeader, formatUsdc(balance.reserve));
  return new Response(null, { headers });
}
