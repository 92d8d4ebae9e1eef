/**
 * An HTTP server in front of anvil: it refuses pages of other sites, and takes part in single JSON-RPC
 * calls where the chain has a least gas price.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { isObject } from "@farthing/protocol";
import { refuseForeign } from "./foreign-pages.ts";
import type { FrontCall, FrontReply, GasPriceRule } from "./gas-price.ts";
import { postJson } from "./post-json.ts";

export interface Front {
  readonly port: number;
  stop(): Promise<void>;
}

const headers = { "content-type": "application/json" };

/** A raw transaction of 5 MB in hex, the largest that a call has, with room for the calls around it. */
const bodyBytesMax = 16 * 1024 * 1024;

/** A browser opens six to one host, a facilitator and a gateway some dozens. */
const connectionsMax = 512;

/** Seconds for which a browser remembers that a page of this machine may ask. */
const preflightSeconds = 600;

/** Listens on 127.0.0.1, in front of the node's port. Throws when the port is taken. */
export async function startFront(
  port: number,
  upstreamPort: number,
  gasPrice?: GasPriceRule,
): Promise<Front> {
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  const sockets = new Set<Duplex>();
  const server = createServer((request, response) => {
    serve(request, response, upstream, gasPrice)
      // The chain has ended, or the caller has left.
      .catch(() => response.destroy());
  });
  server.maxConnections = connectionsMax;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
    const refused = refuseForeign(request.headers);
    if (refused !== undefined) socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
    // The price is a rule of single calls, which are read over HTTP alone.
    else if (gasPrice) socket.end("HTTP/1.1 501 Not Implemented\r\nConnection: close\r\n\r\n");
    else passOn(request, socket, head, upstreamPort);
  });
  const listening = await listenOn(server, port);
  return {
    port: listening,
    async stop() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: string,
  gasPrice: GasPriceRule | undefined,
): Promise<void> {
  const { origin } = request.headers;
  const refused = refuseForeign(request.headers);
  if (refused !== undefined) return refuse(response, 403, refused);
  // A page of this machine may read the replies, as from the node itself.
  if (origin !== undefined) {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("vary", "origin");
  }
  if (request.method === "OPTIONS") {
    const allowed = { "access-control-allow-methods": "POST", "access-control-allow-headers": "*" };
    response.writeHead(204, { ...allowed, "access-control-max-age": `${preflightSeconds}` }).end();
    return;
  }
  if (request.method !== "POST") return refuse(response, 405, "JSON-RPC calls are sent by POST.");
  const body = await readBody(request);
  if (body === undefined) {
    return refuse(response, 413, `A request has at most ${bodyBytesMax} bytes.`);
  }
  const answered = gasPrice
    ? await answer(body, upstream, gasPrice)
    : await postJson(upstream, body);
  response.writeHead(200, headers).end(answered);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = { jsonrpc: "2.0", id: null, error: { code: -32_600, message } };
  // What is still to come of a request is not read.
  response.writeHead(status, { ...headers, connection: "close" }).end(JSON.stringify(body));
}

/** Undefined for a body that is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Hands a WebSocket to the node as it came. */
function passOn(request: IncomingMessage, socket: Duplex, head: Buffer, upstreamPort: number) {
  const node = connect(upstreamPort, "127.0.0.1");
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
  }
  node.write(`${lines.join("\r\n")}\r\n\r\n`);
  node.write(head);
  node.on("error", () => socket.destroy()).once("close", () => socket.destroy());
  socket.once("close", () => node.destroy());
  node.pipe(socket).pipe(node);
}

async function listenOn(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? `port ${port} is taken` : error.message;
      reject(new Error(`The local chain did not start: ${why}`, { cause: error }));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The front has no port");
  return address.port;
}

/** What is no JSON goes to the node, which says so. */
async function answer(body: string, upstream: string, gasPrice: GasPriceRule): Promise<string> {
  const read = readJson(body);
  const calls = (Array.isArray(read) ? read : [read]).filter(isObject);
  if (calls.length === 0) return postJson(upstream, body);
  const replies = calls.map((call) => replyTo(call, upstream, gasPrice));
  const answers = (await Promise.all(replies)).filter((reply) => reply !== undefined);
  return JSON.stringify(Array.isArray(read) ? answers : answers[0]);
}

async function replyTo(call: FrontCall, upstream: string, gasPrice: GasPriceRule) {
  const own: FrontReply | undefined = await gasPrice.reply(call);
  if (own) return { jsonrpc: "2.0", id: call["id"] ?? null, ...own };
  const ask = () => postJson(upstream, JSON.stringify(call));
  const isSend = call["method"] === "eth_sendRawTransaction";
  const reply = readJson(await (isSend ? gasPrice.whileSending(ask) : ask()));
  if (!isObject(reply) || !("result" in reply)) return reply;
  return { ...reply, result: gasPrice.show(call, reply["result"]) };
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
