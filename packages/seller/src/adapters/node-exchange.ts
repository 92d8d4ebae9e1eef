/** One paid request of node:http, for every framework on it: what differs is handed in. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { addTokens, isForCaches } from "../answers.ts";
import type { PaidRequest } from "../events.ts";
import { readNodeBody } from "./node-body.ts";
import { capture, type Capture } from "./node-capture.ts";
import type { Route } from "../seller.ts";
import { partialHeaders } from "./whole-answer.ts";

/** One request, and the work that is sold with it. */
export interface NodeExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The address as the framework knows it, behind its trusted proxies. */
  readonly url: string;
  /** What a parser made of the body, where one ran before. */
  readonly body?: unknown;
  /** Does the work, which answers on `res`; what it throws is its failure to answer. */
  readonly work: (payment: PaidRequest) => unknown;
  /** Called before anything is sent, unless the work has answered. */
  readonly takeOver?: () => void;
  /** Called with what broke; the response is as it was, unless something is on its way already. */
  readonly failed: (error: unknown) => void;
}

/** Headers that list tokens: what middleware before us has put there stays. */
const listHeaders = new Set(["vary", "access-control-expose-headers"]);

/** Charges for a request and answers it. Never rejects. */
export async function chargeNode(route: Route, exchange: NodeExchange): Promise<void> {
  const { req, res } = exchange;
  let caught: Capture | undefined;
  const serve = (payment: PaidRequest): Promise<Response> => {
    for (const name of partialHeaders) delete req.headers[name];
    const catching = capture(res);
    caught = catching;
    void (async () => exchange.work(payment))().catch((error: unknown) => catching.fail(error));
    return catching.answer;
  };
  try {
    const answer = await route.charge(toRequest(req, exchange.url), serve, {
      readBody: (bytesMax) => readNodeBody(req, exchange.body, bytesMax),
    });
    if (!caught?.isBegun()) exchange.takeOver?.();
    await send(res, answer, caught);
  } catch (error) {
    caught?.close();
    exchange.failed(error);
  }
}

/** The address of a request on a plain server of node:http. */
export function addressOf(req: IncomingMessage): string {
  const scheme = "encrypted" in req.socket && req.socket.encrypted === true ? "https" : "http";
  return `${scheme}://${req.headers.host ?? "localhost"}${req.url ?? "/"}`;
}

/** The request without its body, which is read only when a payment has to be bound to it. */
function toRequest(req: IncomingMessage, url: string): Request {
  const headers = new Headers();
  for (let at = 0; at + 1 < req.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = req.rawHeaders.slice(at, at + 2);
    // HTTP/2 lists its own fields, such as `:path`, which are no headers.
    if (!name.startsWith(":")) headers.append(name, value);
  }
  return new Request(url, { method: req.method ?? "GET", headers });
}

async function send(res: ServerResponse, answer: Response, caught?: Capture): Promise<void> {
  const outlet = caught ? caught.open() : res;
  // A caught answer has taken these over; what the exchange dropped from it must not come back.
  for (const name of res.getHeaderNames()) {
    if (caught || isForCaches(name)) res.removeHeader(name);
  }
  res.statusCode = answer.status;
  for (const [name, value] of answer.headers) setHeader(res, name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) res.setHeader("Set-Cookie", cookies);
  if (caught && !caught.isBegun()) {
    res.writeHead(answer.status);
    caught.silence();
  }
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

function setHeader(res: ServerResponse, name: string, value: string): void {
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
