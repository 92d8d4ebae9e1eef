/** Charging for routes of a Fastify app, version 5. @packageDocumentation */
import type { FastifyRequest, onRequestHookHandler } from "fastify";
import { withChecks, type AdaptedSeller } from "../check-seller.ts";
import type { RouteOptions, SellerOptions } from "../configuration.ts";
import type { PaidRequest } from "../events.ts";
import { chargeNode, hostOf } from "./node-exchange.ts";
import { routeNameOf } from "../sale-books.ts";
import { createSeller } from "../seller.ts";

export type { PaidRequest } from "../events.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The payment for this request; set by `charge()`. */
    payment?: PaidRequest;
  }
}

export type FastifyCharge = ((route?: RouteOptions<FastifyRequest>) => onRequestHookHandler) &
  AdaptedSeller;

/**
 * Creates a seller for a Fastify app. The hook goes into `onRequest`, so that a price is asked for
 * before anything is parsed or validated; `preHandler` works as well.
 *
 * @example
 * const charge = farthing({ facilitator: { url, apiKey }, payTo: "xdc2096…" });
 * app.get("/report", { onRequest: charge({ price: "0.01" }) }, async (request) => {
 *   return { by: request.payment?.payer };
 * });
 */
export function farthing(options: SellerOptions<FastifyRequest>): FastifyCharge {
  const seller = createSeller(options);
  return withChecks(seller, (own) => {
    const route = seller.route(own);
    return (request, reply, done) => {
      void chargeNode(route, {
        req: request.raw,
        res: reply.raw,
        line: {
          target: targetOf(request),
          host: hostOf(request.raw, request.host),
          scheme: request.protocol,
        },
        original: request,
        routeName: routeNameOf(request.method, request.routeOptions.url),
        body: request.body,
        work(payment) {
          request.payment = payment;
          done();
        },
        takeOver() {
          // Fastify holds the headers of other hooks, such as CORS, until it responds.
          for (const [name, value] of Object.entries(reply.getHeaders())) {
            if (value !== undefined && !reply.raw.headersSent) reply.raw.setHeader(name, value);
          }
          reply.hijack();
        },
        failed: done,
      });
    };
  });
}

/** Returns the target; empty, and refused, where Fastify splits queries at semicolons. */
function targetOf({ originalUrl, server }: FastifyRequest): string {
  const { useSemicolonDelimiter = false, routerOptions = {} } = server.initialConfig;
  const isDelimiter = useSemicolonDelimiter || Reflect.get(routerOptions, "useSemicolonDelimiter");
  return isDelimiter && /^[^?]*;/.test(originalUrl) ? "" : originalUrl;
}
