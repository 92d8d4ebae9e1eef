/** Charging for routes of a Fastify app, version 5. */
import type { onRequestHookHandler } from "fastify";
import type { RouteOptions, SellerOptions } from "../configuration.ts";
import type { PaidRequest } from "../events.ts";
import { chargeNode } from "./node-exchange.ts";
import { createSeller } from "../seller.ts";

export type { PaidRequest } from "../events.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who paid for this request, and how much; set by `charge()`. */
    payment?: PaidRequest;
  }
}

/** Makes a hook that charges for the handler behind it. */
export type Charge = (route?: RouteOptions) => onRequestHookHandler;

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
export function farthing(options: SellerOptions): Charge {
  const seller = createSeller(options);
  return (own) => {
    const route = seller.route(own);
    return (request, reply, done) => {
      void chargeNode(route, {
        req: request.raw,
        res: reply.raw,
        url: `${request.protocol}://${request.host}${request.originalUrl}`,
        body: request.body,
        work(payment) {
          request.payment = payment;
          done();
        },
        takeOver() {
          // Fastify keeps the headers of other hooks to itself until it answers, as CORS has some.
          for (const [name, value] of Object.entries(reply.getHeaders())) {
            if (value !== undefined && !reply.raw.headersSent) reply.raw.setHeader(name, value);
          }
          reply.hijack();
        },
        failed: (error) => done(error instanceof Error ? error : new Error(String(error))),
      });
    };
  };
}
