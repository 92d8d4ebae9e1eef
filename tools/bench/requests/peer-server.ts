/**
 * The programs beside which gateway and seller are measured: `node peer-server.ts <role> [<url>]`. It
 * prints its address when it listens.
 *
 * | role       | what it is                                                                   |
 * | ---------- | ---------------------------------------------------------------------------- |
 * | `upstream` | an API: `/…/bytes/<n>` and `/…/events/<n>`                                   |
 * | `proxy`    | a plain reverse proxy of Node's own modules before the API at the URL        |
 * | `stock`    | the API's first bytes sold by `@x402/express` with the facilitator at the URL |
 */
import { Agent, createServer, request, type RequestListener, type Server } from "node:http";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import express from "express";
import { payTo } from "./yes-facilitator.ts";

export type Role = keyof typeof roles;

/** Larger bodies are written in pieces of this size. */
const pieceBytes = 64 * 1024;
const piece = Buffer.alloc(pieceBytes, "a");

/** One event of a stream: as long as one with a few words of a language model. */
const event = `data: ${JSON.stringify({ text: "a few words".repeat(10) })}\n\n`;

const upstream: RequestListener = (req, res) => {
  const [, kind, count] = /\/(bytes|events)\/(\d+)$/.exec(req.url ?? "") ?? [];
  if (kind === "events") return sendEvents(res, Number(count));
  sendBytes(res, Number(count ?? 0));
};

function sendBytes(res: Parameters<RequestListener>[1], bytes: number): void {
  res.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": bytes });
  let left = bytes;
  const send = (): void => {
    while (left > pieceBytes) {
      left -= pieceBytes;
      if (!res.write(piece)) return void res.once("drain", send);
    }
    res.end(piece.subarray(0, left));
  };
  send();
}

function sendEvents(res: Parameters<RequestListener>[1], count: number): void {
  res.writeHead(200, { "Content-Type": "text/event-stream" });
  let left = count;
  const send = (): void => {
    if (left-- === 0) return void res.end();
    res.write(event);
    setImmediate(send);
  };
  send();
}

function createProxy(to: string): RequestListener {
  const { hostname, port } = new URL(to);
  const agent = new Agent({ keepAlive: true });
  return (req, res) => {
    const { method, url: path, headers } = req;
    const call = request({ hostname, port, method, path, headers, agent }, (response) => {
      res.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(res);
    });
    call.on("error", () => res.destroy());
    req.pipe(call);
  };
}

function createStock(facilitatorUrl: string): RequestListener {
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl }));
  server.register("eip155:50", new ExactEvmScheme());
  const accepts = { scheme: "exact", price: "$0.01", network: "eip155:50", payTo } as const;
  const app = express();
  app.use(paymentMiddleware({ "GET /paid/*": { accepts, description: "One report" } }, server));
  app.get(/^\/paid\//, (_request, response) => void response.send("content"));
  return app;
}

const roles = {
  upstream: () => upstream,
  proxy: createProxy,
  stock: createStock,
} satisfies Record<string, (url: string) => RequestListener>;

function isRole(name: string | undefined): name is Role {
  return name !== undefined && Object.hasOwn(roles, name);
}

/** Tells where it listens, as `startServer` reads it. */
function listen(server: Server): void {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("There is no port.");
    process.stderr.write(`It listens on http://127.0.0.1:${address.port}\n`);
  });
}

if (import.meta.main) {
  const [role, url = ""] = process.argv.slice(2);
  if (!isRole(role)) throw new Error(`Give one of ${Object.keys(roles).join(", ")}.`);
  listen(createServer(roles[role](url)));
}
