/** Charging for route handlers of Next.js (App Router). @packageDocumentation */
import type { NextRequest } from "next/server.js";
import { withChecks, type AdaptedSeller } from "../check-seller.ts";
import type { RouteOptions, SellerOptions } from "../configuration.ts";
import type { PaidRequest } from "../events.ts";
import { createSeller } from "../seller.ts";
import { partialHeaders } from "./partial-headers.ts";

export type { PaidRequest } from "../events.ts";

export type PaidHandler<R extends Request, C> = (
  request: R,
  context: C,
  payment: PaidRequest,
) => Response | Promise<Response>;

export type RouteHandler<R extends Request, C> = (request: R, context: C) => Promise<Response>;

type ChargeRoute = <R extends Request, C>(
  route: RouteOptions<NextRequest>,
  handler: PaidHandler<R, C>,
) => RouteHandler<R, C>;

export type NextCharge = ChargeRoute & AdaptedSeller;

/**
 * Creates a seller for a Next.js app. Set `publicUrl`: the address of a request is not always the
 * one that buyers see there. `export const OPTIONS = GET` lets browsers on other sites pay.
 *
 * @example
 * const charge = farthing({ facilitator: { url, apiKey }, payTo: "xdc2096…", publicUrl });
 * export const GET = charge({ price: "0.01" }, (request, context, payment) =>
 *   Response.json({ by: payment.payer }),
 * );
 */
export function farthing(options: SellerOptions<NextRequest>): NextCharge {
  const seller = createSeller(options);
  return withChecks<ChargeRoute>(seller, (own, handler) => {
    const route = seller.route(own);
    return async (request, context) => {
      const { response } = await route.charge(request, (payment) => {
        for (const name of partialHeaders) request.headers.delete(name);
        return handler(request, context, payment);
      });
      return response;
    };
  });
}
