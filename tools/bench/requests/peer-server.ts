/**
 * The programs beside which gateway and seller are measured: `node peer-server.ts <role> [<url> [<store>]]`.
 * It prints its address when it listens.
 *
 * | role       | what it is                                                                    |
 * | ---------- | ----------------------------------------------------------------------------- |
 * | `upstream` | an API: `/…/bytes/<n>` and `/…/events/<n>`                                    |
 * | `proxy`    | a plain reverse proxy of Node's own modules before the API at the URL         |
 * | `express`  | an Express app that sells nothing                                             |
 * | `stock`    | the same sold by `@x402/express` with the facilitator at the URL              |
 * | `seller`   | the same sold by this project's seller, with its records in the given store   |
 * | `channels` | the same seller, which also sells by channels                                 |
 * | `stock-channels` | the stock seller with channels of `@x402/evm`                           |
 */
import { Agent, createServer, request, type RequestListener, type Server } from "node:http";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/server";
import { privateKeyToAccount } from "viem/accounts";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { farthing } from "@farthing/seller/express";
import { networkOfChain } from "@farthing/protocol";
import express, { type RequestHandler } from "express";
import { openRecords } from "./earlier-sales.ts";
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

const content: RequestHandler = (_request, response) => void response.send("content");

function createExpress(): RequestListener {
  const app = express();
  app.get(/^\/(paid|pass|balance|channel)\//, content);
  return app;
}

/** As many as a seller can sell at once; no run uses them up. */
const uses = 1_000_000;

/** A balance that no run spends: each request costs one base unit. */
const balance = { topUp: "1000", reserve: "0.01" } as const;

/** Signs the claims of both sellers; it never holds anything. */
const authorizerKey = `0x${"33".repeat(32)}` as const;

async function createSeller(
  facilitatorUrl: string,
  store: string,
  channels?: { readonly authorizerKey: string },
): Promise<RequestListener> {
  const { records } = await openRecords(store);
  const charge = farthing({
    facilitator: { url: facilitatorUrl },
    payTo,
    network: "eip155:50",
    publicUrl: "https://api.example.com",
    grants: records,
    ...(channels && { channels }),
  });
  const price = "0.01";
  const app = express();
  app.get(/^\/paid\//, charge({ price, description: "One report" }), content);
  app.get(/^\/pass\//, charge({ price, pass: { uses, validFor: "1d" } }), content);
  app.get(/^\/balance\//, charge({ balance, cost: () => 1n }), content);
  if (channels) app.get(/^\/channel\//, charge({ price, channel: { only: true } }), content);
  return app;
}

function createStock(facilitatorUrl: string): RequestListener {
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl }));
  server.register("eip155:50", new ExactEvmScheme());
  const accepts = { scheme: "exact", price: "$0.01", network: "eip155:50", payTo } as const;
  const app = express();
  app.use(paymentMiddleware({ "GET /paid/*": { accepts, description: "One report" } }, server));
  app.get(/^\/paid\//, content);
  return app;
}

function createStockChannels(facilitatorUrl: string): RequestListener {
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl }));
  const receiverAuthorizerSigner = privateKeyToAccount(authorizerKey);
  server.register("eip155:50", new BatchSettlementEvmScheme(payTo, { receiverAuthorizerSigner }));
  const { id, usdc: asset, domain } = networkOfChain(50);
  const price = { amount: "10000", asset, extra: { ...domain } };
  const accepts = { scheme: "batch-settlement", price, network: id, payTo };
  const app = express();
  app.use(paymentMiddleware({ "GET /channel/*": { accepts, description: "One report" } }, server));
  app.get(/^\/channel\//, content);
  return app;
}

type CreateListener = (url: string, store: string) => RequestListener | Promise<RequestListener>;

const roles = {
  upstream: () => upstream,
  proxy: createProxy,
  express: createExpress,
  stock: createStock,
  seller: createSeller,
  channels: (url, store) => createSeller(url, store, { authorizerKey }),
  "stock-channels": createStockChannels,
} satisfies Record<string, CreateListener>;

function isRole(name: string | undefined): name is Role {
  return name !== undefined && Object.hasOwn(roles, name);
}

/** Longer than any window: a connection that is closed while it is used again ends the run. */
const keepAliveMs = 120_000;

/** Tells where it listens, as `startServer` reads it. */
function listen(server: Server): void {
  server.keepAliveTimeout = keepAliveMs;
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("There is no port.");
    process.stderr.write(`It listens on http://127.0.0.1:${address.port}\n`);
  });
}

if (import.meta.main) {
  const [role, url = "", store = "memory:0"] = process.argv.slice(2);
  if (!isRole(role)) throw new Error(`Give one of ${Object.keys(roles).join(", ")}.`);
  const create: CreateListener = roles[role];
  listen(createServer(await create(url, store)));
}
