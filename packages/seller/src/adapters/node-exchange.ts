/** The exchange of one paid request of node:http, for every framework on it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { bytesOf } from "../body.ts";
import { addTokens, isForCaches, refuseAddress } from "../responses.ts";
import { toError } from "../errors.ts";
import type { PaidRequest } from "../events.ts";
import { readNodeBody } from "./node-body.ts";
import { capture, type Capture } from "./node-capture.ts";
import {
  badTarget,
  isPlainTarget,
  readRequestAddress,
  type RequestLine,
} from "../request-address.ts";
import type { QuickChallenge } from "../quick-challenge.ts";
import type { Route } from "../seller.ts";
import { partialHeaders } from "./partial-headers.ts";

export interface NodeExchange<R> {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The address of the request, as the framework knows it behind its trusted proxies. */
  readonly line: Omit<RequestLine, "method">;
  readonly original: R;
  /** The route as the framework names it. */
  readonly routeName?: string | undefined;
  /** The output of a body parser that ran before. */
  readonly body?: unknown;
  /** Does the work, which responds on `res`, or throws. */
  readonly work: (payment: PaidRequest) => unknown;
  /** Called before anything is sent, unless the work has responded. */
  readonly takeOver?: () => void;
  /** Called with an error; the response is unchanged, unless a part of it was sent. */
  readonly failed: (error: Error) => void;
}

/** Headers with lists of tokens: those that earlier middleware has set stay. */
const listHeaders = new Set(["vary", "access-control-expose-headers"]);

/** Charges for a request and responds to it. Never rejects. */
export async function chargeNode<R>(route: Route<R>, exchange: NodeExchange<R>): Promise<void> {
  const { req, res } = exchange;
  let caught: Capture | undefined;
  const serve = (payment: PaidRequest): Promise<Response> => {
    for (const name of partialHeaders) delete req.headers[name];
    const catching = capture(res);
    caught = catching;
    void (async () => exchange.work(payment))().catch((error: unknown) => catching.fail(error));
    return catching.response;
  };
  try {
    const response = await respond(route, exchange, serve);
    if (!caught?.isBegun()) exchange.takeOver?.();
    if (response instanceof Response) await send(res, response, caught);
    else sendPlainly(res, response);
  } catch (error) {
    caught?.close();
    exchange.failed(toError(error));
  }
}

/** The commonest requests are answered without the objects of the Fetch API. */
async function respond<R>(
  route: Route<R>,
  { req, res, line, ...exchange }: NodeExchange<R>,
  serve: (payment: PaidRequest) => Promise<Response>,
): Promise<Response | QuickChallenge> {
  const method = req.method ?? "GET";
  const address = readRequestAddress({ ...line, method });
  if (!address.ok) return refuseAddress(address.refusal);
  // Routers and rewrites must have left a plain target for the handler as well.
  if (!isPlainTarget(req.url ?? "")) return refuseAddress(badTarget);
  const isGone = (): boolean => res.destroyed;
  const plain = { method, target: line.target, headers: req.headers };
  const asked = route.challenge?.(plain);
  if (asked) return asked;
  const used = await route.usePass?.(plain, serve, isGone);
  if (used?.response instanceof Response) return used.response;
  const charged = await route.charge(toRequest(req, method, address.url), serve, {
    original: exchange.original,
    routeName: exchange.routeName,
    readBody: (bytesMax) => readNodeBody(req, exchange.body, bytesMax),
    isGone,
  });
  return charged.response;
}

/** Returns the address of a request of a plain node:http server. */
export function requestLineOf(req: IncomingMessage): NodeExchange<unknown>["line"] {
  const isTls = "encrypted" in req.socket && req.socket.encrypted === true;
  return { target: req.url ?? "", host: hostOf(req), scheme: isTls ? "https" : "http" };
}

/** Returns the host; `known` comes from a trusted proxy. Several Host headers are invalid. */
export function hostOf(req: IncomingMessage, known?: string): string | undefined {
  const hosts = req.rawHeaders.filter(
    (_value, at) => at % 2 === 1 && req.rawHeaders[at - 1]?.toLowerCase() === "host",
  );
  if (hosts.length > 1) return hosts.join(", ");
  const authority = req.headers[":authority"];
  return known ?? req.headers.host ?? (typeof authority === "string" ? authority : undefined);
}

/** Returns the request without its body. */
function toRequest(req: IncomingMessage, method: string, url: string): Request {
  // As the handler sees them: of some headers Node keeps the first only.
  const headers: [name: string, value: string][] = [];
  for (const [name, value] of Object.entries(req.headers)) {
    // HTTP/2 lists pseudo-headers such as `:path`.
    if (name.startsWith(":") || value === undefined) continue;
    if (Array.isArray(value)) headers.push(...value.map((one): [string, string] => [name, one]));
    else headers.push([name, value]);
  }
  return new Request(url, { method, headers });
}

function sendPlainly(res: ServerResponse, { status, headers, body }: QuickChallenge): void {
  setHead(res, status, Object.entries(headers));
  res.end(body);
}

async function send(res: ServerResponse, response: Response, caught?: Capture): Promise<void> {
  const outlet = caught ? caught.open() : res;
  // The captured response has these; what the exchange removed must not come back.
  if (caught) for (const name of res.getHeaderNames()) res.removeHeader(name);
  setHead(res, response.status, response.headers);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) res.setHeader("Set-Cookie", cookies);
  if (caught && !caught.isBegun()) {
    res.writeHead(response.status);
    caught.silence();
  }
  const whole = bytesOf(response);
  if (whole) return void outlet.end(whole);
  if (response.body) {
    const closed = new Promise<void>((resolve) => res.once("close", resolve));
    for await (const chunk of response.body) {
      // The client is gone: leaving the loop stops the source as well.
      if (res.destroyed) break;
      const written = new Promise<void>((resolve) => outlet.write(chunk, resolve));
      await Promise.race([written, closed]);
    }
  }
  outlet.end();
}

/** Sets status and headers. Those that earlier middleware has set for caches do not stay. */
function setHead(
  res: ServerResponse,
  status: number,
  headers: Iterable<readonly [string, string]>,
): void {
  for (const name of res.getHeaderNames()) if (isForCaches(name)) res.removeHeader(name);
  res.statusCode = status;
  for (const [name, value] of headers) setHeader(res, name, value);
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
