/** Charging for routes of a Hono app. */
import type { MiddlewareHandler } from "hono";
import type { RouteOptions, SellerOptions } from "../configuration.ts";
import type { PaidRequest } from "../events.ts";
import { createSeller } from "../seller.ts";
import { partialHeaders } from "./whole-answer.ts";

export type { PaidRequest } from "../events.ts";

/** What a charged handler finds in its context: `c.get("payment")`. */
export interface PaidEnvironment {
  Variables: { payment: PaidRequest };
}

/** Makes middleware that charges for the routes behind it. */
export type Charge = (route?: RouteOptions) => MiddlewareHandler<PaidEnvironment>;

/**
 * Creates a seller for a Hono app.
 *
 * @example
 * const charge = farthing({ facilitator: { url, apiKey }, payTo: "xdc2096…" });
 * app.get("/report", charge({ price: "0.01" }), (c) => c.json({ by: c.get("payment").payer }));
 */
export function farthing(options: SellerOptions): Charge {
  const seller = createSeller(options);
  return (own) => {
    const route = seller.route(own);
    return async (c, next) => {
      const { raw } = c.req;
      const answer = await route.charge(
        raw,
        async (payment) => {
          c.set("payment", payment);
          const wanted = partialHeaders.filter((name) => raw.headers.has(name));
          if (wanted.length > 0) c.req.raw = without(raw, wanted);
          await next();
          return c.res;
        },
        // Read by something before us: Hono has kept it.
        raw.bodyUsed ? { readBody: (bytesMax) => keptBody(c.req, bytesMax) } : {},
      );
      // First without: Hono would let the headers of the handler's answer win over ours.
      c.res = undefined;
      c.res = answer;
    };
  };
}

function without(request: Request, names: readonly string[]): Request {
  const headers = new Headers(request.headers);
  for (const name of names) headers.delete(name);
  return new Request(request, { headers });
}

async function keptBody(request: { arrayBuffer(): Promise<ArrayBuffer> }, bytesMax: number) {
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.byteLength <= bytesMax ? bytes : undefined;
}
