/** Charging for routes of a Hono app. @packageDocumentation */
import type { Context, HonoRequest, MiddlewareHandler } from "hono";
import { isObject } from "@farthing/protocol";
import { withChecks, type AdaptedSeller } from "../check-seller.ts";
import type { WaitUntil } from "../clock.ts";
import type { RouteOptions, SellerOptions } from "../configuration.ts";
import type { PaidRequest } from "../events.ts";
import { refuseAddress } from "../responses.ts";
import { badTarget, isPlainTarget } from "../request-address.ts";
import { routeNameOf } from "../sale-books.ts";
import { createSeller } from "../seller.ts";
import { partialHeaders } from "./partial-headers.ts";

export type { PaidRequest } from "../events.ts";

/** The context of a charged handler: `c.get("payment")`. */
export interface PaidEnvironment {
  Variables: { payment: PaidRequest };
}

export type HonoCharge = ((
  route?: RouteOptions<HonoRequest>,
) => MiddlewareHandler<PaidEnvironment>) &
  AdaptedSeller;

/**
 * Creates a seller for a Hono app.
 *
 * @example
 * const charge = farthing({ facilitator: { url, apiKey }, payTo: "xdc2096…" });
 * app.get("/report", charge({ price: "0.01" }), (c) => c.json({ by: c.get("payment").payer }));
 */
export function farthing(options: SellerOptions<HonoRequest>): HonoCharge {
  const seller = createSeller(options);
  return withChecks(seller, (own) => {
    const route = seller.route(own);
    return async (c, next) => {
      const { raw } = c.req;
      const target = nodeTargetOf(c.env);
      if (target !== undefined && !isPlainTarget(target)) return refuseAddress(badTarget);
      const { response } = await route.charge(
        raw,
        async (payment) => {
          c.set("payment", payment);
          const wanted = partialHeaders.filter((name) => raw.headers.has(name));
          if (wanted.length > 0) c.req.raw = without(raw, wanted);
          await next();
          return c.res;
        },
        // Hono keeps a body that was read before.
        {
          original: c.req,
          waitUntil: waitUntilOf(c),
          routeName: routeNameOf(raw.method, c.req.routePath),
          ...(raw.bodyUsed ? { readBody: (bytesMax: number) => keptBody(c.req, bytesMax) } : {}),
        },
      );
      // Cleared first, because Hono would let the headers of the handler's response win.
      c.res = undefined;
      c.res = response;
      return undefined;
    };
  });
}

/** Returns `waitUntil` of the Worker's context; Hono's getter throws where the runtime has none. */
function waitUntilOf(c: Context): WaitUntil | undefined {
  try {
    const { executionCtx } = c;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return undefined;
  }
}

/** Returns the target of the request as received, where Hono runs on node:http. */
function nodeTargetOf(environment: unknown): string | undefined {
  const incoming: unknown = isObject(environment) ? environment["incoming"] : undefined;
  const target = isObject(incoming) ? incoming["url"] : undefined;
  return typeof target === "string" ? target : undefined;
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
