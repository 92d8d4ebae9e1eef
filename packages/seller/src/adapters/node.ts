/** Charging for requests of a node:http server. @packageDocumentation */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { withChecks, type AdaptedSeller } from "../check-seller.ts";
import type { RouteOptions, SellerOptions } from "../configuration.ts";
import type { PaidRequest } from "../events.ts";
import { chargeNode, requestLineOf } from "./node-exchange.ts";
import { createSeller } from "../seller.ts";

export type { PaidRequest } from "../events.ts";

/** Responds to a paid request, also asynchronously. */
export type PaidListener = (
  req: IncomingMessage,
  res: ServerResponse,
  payment: PaidRequest,
) => unknown;

export type NodeCharge = ((
  route: RouteOptions<IncomingMessage>,
  listener: PaidListener,
) => RequestListener) &
  AdaptedSeller;

/**
 * Creates a seller for a server of node:http.
 *
 * @example
 * const charge = farthing({ facilitator: { url, apiKey }, payTo: "xdc2096…" });
 * const report = charge({ price: "0.01" }, (req, res, payment) => res.end(payment.payer));
 * createServer((req, res) => (req.url === "/report" ? report : notFound)(req, res));
 */
export function farthing(options: SellerOptions<IncomingMessage>): NodeCharge {
  const seller = createSeller(options);
  return withChecks(seller, (own, listener) => {
    const route = seller.route(own);
    return (req, res) => {
      const work = (payment: PaidRequest): unknown => listener(req, res, payment);
      const failed = (): void => {
        // `onEvent` has reported the error to the seller; the buyer learns nothing of it.
        if (res.headersSent) res.destroy();
        else res.writeHead(500, { "Content-Type": "text/plain" }).end("Internal Server Error\n");
      };
      void chargeNode(route, { req, res, line: requestLineOf(req), original: req, work, failed });
    };
  });
}
