/** Servers of a test's own. */
import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import type { Server } from "node:net";
import { onTestFinished } from "vitest";

/** Has a server listen on a free port of this machine; gives the port. */
export async function listenHere(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** The same for an HTTP server, which ends with the running test. */
export async function listenForTest(server: HttpServer): Promise<number> {
  const port = await listenHere(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}

/** Starts a receiver of webhooks, which accepts everything; returns its address. */
export async function startReceiver(endings: (() => unknown)[]): Promise<string> {
  const receiver = createServer((_, response) => response.end());
  endings.push(() => receiver.close());
  return `http://127.0.0.1:${await listenHere(receiver)}/hook`;
}
