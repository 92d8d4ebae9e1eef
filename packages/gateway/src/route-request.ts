/** Routes a request. After preflights the order of the checks is: host, method, rule. */
import { Readable } from "node:stream";
import { forbidCaching } from "@farthing/seller";
import type { Incoming } from "./incoming.ts";
import { preflight, withCors } from "./headers/cors.ts";
import { HeaderFields } from "./headers/header-fields.ts";
import { paymentHeaders } from "./headers/header-rules.ts";
import {
  proxyFreeRequest,
  proxyPaidRequest,
  proxyPassUse,
  failureResponse,
  refuseCoding,
  type RouteTarget,
} from "./proxy.ts";
import type { ChosenPrice } from "./callers/choose-price.ts";
import { servedMethods } from "./routing/route-pattern.ts";
import type { RequestLimits } from "./request-limits.ts";
import type { RequestContext } from "./outcome.ts";
import type { ActiveConfiguration } from "./active-configuration.ts";
import { isServedByProxy, type RouteConfig } from "./configuration/configuration.ts";
import type { PaidRoute } from "./paid-route.ts";
import { errorResponse } from "./error-response.ts";
import { outgoingOfBytes, type Outgoing } from "./write-response.ts";

export async function routeRequest(
  active: ActiveConfiguration,
  incoming: Incoming,
  context: RequestContext,
  limits: RequestLimits,
): Promise<Outgoing> {
  const { method, host, path } = incoming;
  const refused = limits.refuse(incoming, active.config.rateLimit.perAddress);
  if (refused) return withCors(refused);
  // Preflights carry no payment, and an upstream would respond to them differently.
  if (method === "OPTIONS") {
    context.kind = "own";
    return preflight(servedMethods);
  }
  const found = findRoute(active, { method, host, path });
  if (found instanceof Response) {
    const page = found.status === 404 ? active.frontPage(incoming) : undefined;
    if (page) context.kind = "own";
    return page ?? found;
  }
  // The payment would open nothing here.
  if (isServedByProxy(found.upstream)) return notHere("The proxy in front serves this address.");
  const choosing = active.choosePrice(found, incoming);
  const price = choosing && (await choosing);
  const route = price?.route ?? found;
  const upstream = active.upstreamOf(route);
  context.upstream = route.upstream.name;
  const target: RouteTarget = { route, upstream, publicUrl: active.config.publicUrl };
  const { paidRoute, isSold } = enterRoute(active, route, { incoming, context, limits, price });
  if (!paidRoute) {
    const response = asFree(await proxyFreeRequest(target, incoming, context), isSold);
    if (response instanceof Response) return response;
    const { status, headers, body } = response;
    return body instanceof Readable
      ? { status, headers, body }
      : outgoingOfBytes(status, headers, body);
  }
  const isCoded = refuseCoding(route, incoming);
  if (isCoded) return withCors(isCoded);
  const asked = challengeOf(paidRoute, incoming, context);
  if (asked) return asked;
  // Before any payment is taken for an upstream that would refuse the call.
  const hasPayment = paymentHeaders.some((name) => name in incoming.headers);
  if (hasPayment && upstream.isFull()) return withCors(failureResponse("full", context));
  const used = await usePass(paidRoute, target, incoming, context);
  if (used) return used;
  const charged = await paidRoute.charge(
    incoming,
    (payment) => proxyPaidRequest(target, incoming, payment, context),
    price?.acceptedTerms,
  );
  if (charged instanceof Response) return charged;
  context.charged = charged;
  return charged.response;
}

/** Finds the rule of a request, or returns why there is none. */
export function findRoute(
  active: ActiveConfiguration,
  { method, host, path }: Pick<Incoming, "method" | "host" | "path">,
): RouteConfig | Response {
  const match = active.rules.match(method, host, path);
  switch (match.kind) {
    case "route":
      return match.route;
    case "unknown_host": {
      const message = "This gateway does not serve the host that was asked for.";
      return errorResponse(421, "unknown_host", message);
    }
    case "method_not_allowed":
      return methodNotAllowed();
    case "deny":
      return notHere();
    default:
      return match satisfies never;
  }
}

interface Visit {
  readonly incoming: Incoming;
  readonly context: RequestContext;
  readonly limits: RequestLimits;
  /** Where the route has several. */
  readonly price: ChosenPrice | undefined;
}

interface Entry {
  /** Undefined for a request that costs nothing. */
  readonly paidRoute: PaidRoute | undefined;
  /** Whether somebody pays for the same. */
  readonly isSold: boolean;
}

/** Notes the rule of a request, and whether it costs nothing; a free request of a paid route is counted. */
export function enterRoute(
  active: ActiveConfiguration,
  route: RouteConfig,
  { incoming, context, limits, price }: Visit,
): Entry {
  context.route = route.name;
  if (price?.agent) context.agent = price.agent;
  if (route.caller !== undefined) context.caller = route.caller;
  const paidRoute = active.paidRouteOf(route);
  const isFree = !paidRoute || limits.takeFree(incoming, route);
  context.kind = isFree ? "free" : "paid";
  const isSold = paidRoute !== undefined || route.caller !== undefined;
  return { paidRoute: isFree ? undefined : paidRoute, isSold };
}

/** Every script may read a free response. No cache may keep what others pay for. */
export function asFree<R extends { readonly headers: Headers | HeaderFields }>(
  response: R,
  isSold: boolean,
): R {
  if (isSold) forbidCaching(response.headers);
  return withCors(response);
}

/** The challenge for a request that shows nothing; undefined where it takes the whole exchange. */
export function challengeOf(
  paidRoute: PaidRoute,
  incoming: Incoming,
  context: RequestContext,
): Outgoing | undefined {
  const asked = paidRoute.challenge?.(incoming);
  if (!asked) return undefined;
  context.charged = { outcome: asked.outcome, timings: {} };
  return { ...asked, headers: new HeaderFields(asked.headers) };
}

export function notHere(message = "There is nothing here."): Response {
  return withCors(errorResponse(404, "not_found", message));
}

/** Serves the use of a pass with less work, where the route and the request allow it. */
async function usePass(
  paidRoute: PaidRoute,
  target: RouteTarget,
  incoming: Incoming,
  context: RequestContext,
): Promise<Outgoing | undefined> {
  const used = await paidRoute.usePass?.(
    incoming,
    (payment) => proxyPassUse(target, incoming, payment, context),
    () => incoming.gone.aborted,
  );
  if (!used) return undefined;
  const { response } = used;
  context.charged = { ...used, timings: {} };
  if (response instanceof Response) return response;
  return outgoingOfBytes(response.status, response.headers, response.body);
}

/** Refuses TRACE, CONNECT and other methods that are not proxied. */
export function methodNotAllowed(): Response {
  const allow = [...servedMethods, "OPTIONS"].join(", ");
  return errorResponse(405, "method_not_allowed", `Use ${allow}.`, { allow });
}
