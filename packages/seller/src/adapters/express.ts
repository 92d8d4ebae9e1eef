/** Charging for routes of an Express app, version 4 or 5. @packageDocumentation */
import { isObject } from "@farthing/protocol";
import type { Request, RequestHandler } from "express";
import { withChecks, type AdaptedSeller } from "../check-seller.ts";
import type { RouteOptions, SellerOptions } from "../configuration.ts";
import type { PaidRequest } from "../events.ts";
import { chargeNode, hostOf } from "./node-exchange.ts";
import { routeNameOf } from "../sale-books.ts";
import { createSeller } from "../seller.ts";

export type { PaidRequest } from "../events.ts";

declare global {
  // The only way to extend the request's type in Express.
  namespace Express {
    interface Request {
      /** The payment for this request; set by `charge()`. */
      payment?: PaidRequest;
    }
  }
}

export type ExpressCharge = ((route?: RouteOptions<Request>) => RequestHandler) & AdaptedSeller;

/**
 * Creates a seller for an Express app.
 *
 * @example
 * const charge = farthing({ facilitator: { url, apiKey }, payTo: "xdc2096…" });
 * app.get("/report", charge({ price: "0.01" }), (req, res) => res.json({ by: req.payment }));
 */
export function farthing(options: SellerOptions<Request>): ExpressCharge {
  const seller = createSeller(options);
  return withChecks(seller, (own) => {
    const route = seller.route(own);
    return (req, res, next) => {
      void chargeNode(route, {
        req,
        res,
        line: { target: req.originalUrl, host: hostOf(req), scheme: req.protocol },
        original: req,
        routeName: routeNameOf(req.method, pathOf(req)),
        body: req.body,
        work(payment) {
          req.payment = payment;
          next();
        },
        failed: next,
      });
    };
  });
}

/** Returns the pattern of the route; undefined for middleware of the whole app, and for others. */
function pathOf({ baseUrl, route }: Request): string | undefined {
  const path: unknown = isObject(route) ? route["path"] : undefined;
  return typeof path === "string" ? baseUrl + path : undefined;
}
