/**
 * The page of `farthing dev`: events as they happen, and a button that pays. It holds a wallet, so
 * it listens on this machine only and does nothing for other sites: a name that a stranger points
 * at 127.0.0.1 is no host of it, and a payment needs the page's own origin.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isObject, parseJson } from "@farthing/protocol";
import type { DevEvents } from "./dev-events.ts";
import { pageHtml, pageScript, pageStyle, type PageFacts } from "./page-content.ts";

export interface PaidAnswer {
  readonly status: number;
  readonly contentType: string;
  /** The beginning, as text. */
  readonly body: string;
  readonly payment: string;
}

export interface WantedRequest {
  readonly method: string;
  /** Begins with a slash. */
  readonly target: string;
  readonly body: string;
}

export interface PageOptions {
  readonly port: number;
  readonly facts: PageFacts;
  readonly events: DevEvents;
  readonly pay: (wanted: WantedRequest) => Promise<PaidAnswer>;
}

/** A browser opens six connections to one host at most. */
const streamsMax = 16;
/** Several times what is kept. */
const unreadBytesMax = 1024 * 1024;
/** Payments under way by the button. */
const paymentsMax = 4;
/** More than a person types into the form. */
const requestBytesMax = 64 * 1024;
const targetCharsMax = 2048;
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

const headers = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

export async function startDevPage(options: PageOptions) {
  const { port, facts, events } = options;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const streams = new Set<ServerResponse>();
  let payments = 0;

  function stream(response: ServerResponse): void {
    if (streams.size >= streamsMax) return send(response, 429, "Too many pages are open.");
    streams.add(response);
    response.writeHead(200, { ...headers, "Content-Type": "text/event-stream" });
    response.flushHeaders();
    const write = (event: object): void => {
      response.write(`data: ${JSON.stringify(event)}\n\n`);
      // A page that reads again later asks again, and gets what is kept.
      if (response.writableLength > unreadBytesMax) response.destroy();
    };
    const end = events.listen(write);
    response.once("close", () => {
      end();
      streams.delete(response);
    });
    for (const event of events.kept()) write(event);
  }

  async function pay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, host, "content-type": type, "sec-fetch-site": site } = request.headers;
    const isOwn = origin === `http://${host}` && (site === undefined || site === "same-origin");
    if (!isOwn || type !== "application/json") {
      return send(response, 403, "Only this page pays.");
    }
    const wanted = parseWanted(await readText(request));
    if (!wanted) return send(response, 400, "The form has a method, a path and a body.");
    if (payments >= paymentsMax) return send(response, 429, "Other payments are under way.");
    payments++;
    try {
      const body = JSON.stringify(await options.pay(wanted));
      send(response, 200, body, "application/json");
    } catch (error) {
      send(response, 502, error instanceof Error ? error.message : String(error));
    } finally {
      payments--;
    }
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers: given } = request;
    if (!hosts.includes(given.host ?? "")) return send(response, 421, "This is another host.");
    const route = `${method} ${url}`;
    if (route === "GET /") send(response, 200, pageHtml(facts), "text/html; charset=utf-8");
    else if (route === "GET /page.css") send(response, 200, pageStyle, "text/css");
    else if (route === "GET /page.js") send(response, 200, pageScript, "text/javascript");
    else if (route === "GET /events") stream(response);
    else if (route === "POST /pay") void pay(request, response).catch(() => response.destroy());
    else send(response, 404, "There is nothing here.");
  }

  const server = createServer(serve).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(response: ServerResponse, status: number, body: string, type = "text/plain"): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...headers, "Content-Type": type }).end(body);
}

/** Undefined for a body that is too large. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > requestBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseWanted(text: string | undefined): WantedRequest | undefined {
  const value = text === undefined ? undefined : parseJson(text)?.value;
  if (!isObject(value)) return undefined;
  const { method, target, body } = value;
  if (typeof method !== "string" || !methods.includes(method)) return undefined;
  if (typeof target !== "string" || typeof body !== "string") return undefined;
  // Two slashes would begin the name of another host.
  const isPath = /^\/(?![/\\])[\x21-\x7e]*$/.test(target) && target.length <= targetCharsMax;
  return isPath ? { method, target, body } : undefined;
}
