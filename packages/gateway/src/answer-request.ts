/**
 * From a request of canonical form to its answer. What is not served says so here; after preflights
 * the order of the checks is: host, method, rule.
 */
import type { Incoming } from "./incoming.ts";
import { preflight, withCors } from "./headers/cors.ts";
import { paymentHeaders } from "./headers/header-rules.ts";
import { proxyFreeRequest, proxyPaidRequest, tellFailure, type RouteTarget } from "./proxy.ts";
import { servedMethods } from "./routing/route-pattern.ts";
import type { RequestContext } from "./request-context.ts";
import type { RunningTable } from "./running-table.ts";
import { say } from "./say.ts";
import type { Outgoing } from "./write-response.ts";

/** Answers a request under a table. */
export async function answerRequest(
  table: RunningTable,
  incoming: Incoming,
  context: RequestContext,
): Promise<Outgoing> {
  const { method, host, path } = incoming;
  // Preflights carry no payment and must not reach an upstream that would answer them otherwise.
  if (method === "OPTIONS") {
    context.kind = "own";
    return preflight(servedMethods);
  }
  const match = table.rules.match(method, host, path);
  if (match.kind === "unknown_host") {
    return say(421, "unknown_host", "This gateway does not serve the host that was asked for.");
  }
  if (match.kind === "method_not_allowed") return methodNotAllowed();
  if (match.kind === "deny") return withCors(say(404, "not_found", "There is nothing here."));
  const { route } = match;
  const upstream = table.upstreamOf(route);
  context.route = route.name;
  context.upstream = route.upstream.name;
  const target: RouteTarget = { route, upstream, publicUrl: table.config.publicUrl };
  const sale = table.saleOf(route);
  context.kind = sale ? "paid" : "free";
  if (!sale) return withCors(await proxyFreeRequest(target, incoming, context));
  // Before any money: a payment for what cannot be asked for would be taken for nothing.
  if (upstream.isFull() && hasPayment(incoming)) return withCors(tellFailure("full", context));
  const charged = await sale.charge(incoming, (payment) =>
    proxyPaidRequest(target, incoming, payment, context),
  );
  if (charged instanceof Response) return charged;
  context.charged = charged;
  return charged.response;
}

function hasPayment({ headers }: Incoming): boolean {
  return paymentHeaders.some((name) => name in headers);
}

/** Refuses TRACE, CONNECT and whatever the gateway does not pass on. */
export function methodNotAllowed(): Response {
  const allow = [...servedMethods, "OPTIONS"].join(", ");
  return say(405, "method_not_allowed", `Use ${allow}.`, { allow });
}
