/** Charging for routes of an Express app, version 4 or 5. */
import type {
  NextFunction,
  Request as ExpressRequest,
  RequestHandler,
  Response as ExpressResponse,
} from "express";
import { addTokens } from "./answers.ts";
import type { RouteOptions, SellerOptions } from "./configuration.ts";
import { readExpressBody } from "./express-body.ts";
import { capture, type Capture } from "./express-capture.ts";
import type { PaidRequest } from "./events.ts";
import { createSeller, type Route } from "./seller.ts";

export type { PaidRequest } from "./events.ts";

declare global {
  // The one way by which Express lets middleware add to the request's type.
  namespace Express {
    interface Request {
      /** Who paid for this request, and how much; set by `charge()`. */
      payment?: PaidRequest;
    }
  }
}

/** Makes middleware that charges for the handlers behind it. */
export type Charge = (route?: RouteOptions) => RequestHandler;

/** Headers for which a handler would answer something else than what was sold (304 or 206). */
const partialHeaders = ["if-none-match", "if-modified-since", "range", "if-range"];

/** Headers that list tokens: what middleware before us has put there stays. */
const listHeaders = new Set(["vary", "access-control-expose-headers"]);

/**
 * Creates a seller for an Express app.
 *
 * @example
 * const charge = farthing({ facilitator: { url, apiKey }, payTo: "xdc2096…" });
 * app.get("/report", charge({ price: "0.01" }), (req, res) => res.json({ by: req.payment }));
 */
export function farthing(options: SellerOptions): Charge {
  const seller = createSeller(options);
  return (own) => {
    const route = seller.route(own);
    return (req, res, next) => {
      void chargeFor(route, req, res, next);
    };
  };
}

async function chargeFor(
  route: Route,
  req: ExpressRequest,
  res: ExpressResponse,
  next: NextFunction,
): Promise<void> {
  let caught: Capture | undefined;
  const serve = (payment: PaidRequest): Promise<Response> => {
    req.payment = payment;
    for (const name of partialHeaders) delete req.headers[name];
    caught = capture(res);
    next();
    return caught.answer;
  };
  try {
    const answer = await route.charge(toRequest(req), serve, {
      readBody: (bytesMax) => readExpressBody(req, bytesMax),
    });
    await send(res, answer, caught);
  } catch (error) {
    caught?.close();
    next(error);
  }
}

/** The request without its body, which is read only when a payment has to be bound to it. */
function toRequest(req: ExpressRequest): Request {
  const headers = new Headers();
  for (let at = 0; at + 1 < req.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = req.rawHeaders.slice(at, at + 2);
    // HTTP/2 lists its own fields, such as `:path`, which are no headers.
    if (!name.startsWith(":")) headers.append(name, value);
  }
  const host = req.get("host") ?? "localhost";
  const url = `${req.protocol}://${host}${req.originalUrl}`;
  return new Request(url, { method: req.method, headers });
}

async function send(res: ExpressResponse, answer: Response, caught?: Capture): Promise<void> {
  const outlet = caught ? caught.open() : res;
  // A caught answer has taken these over; what the exchange dropped from it must not come back.
  if (caught) for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.statusCode = answer.status;
  for (const [name, value] of answer.headers) setHeader(res, name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) res.setHeader("Set-Cookie", cookies);
  if (answer.body) {
    const closed = new Promise<void>((resolve) => res.once("close", resolve));
    for await (const chunk of answer.body) {
      // Nobody is there to read: leaving the loop stops the source as well.
      if (res.destroyed) break;
      const written = new Promise<void>((resolve) => outlet.write(chunk, resolve));
      await Promise.race([written, closed]);
    }
  }
  outlet.end();
}

function setHeader(res: ExpressResponse, name: string, value: string): void {
  const before = res.getHeader(name);
  if (name === "set-cookie") return;
  if (name === "access-control-allow-origin" && before !== undefined) return;
  if (listHeaders.has(name) && before !== undefined) {
    const merged = new Headers({ [name]: String(before) });
    addTokens(
      merged,
      name,
      value.split(",").map((token) => token.trim()),
    );
    res.setHeader(name, merged.get(name) ?? value);
  } else {
    res.setHeader(name, value);
  }
}
