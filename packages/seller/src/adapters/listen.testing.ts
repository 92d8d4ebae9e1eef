/** Real HTTP servers on free ports, for tests. */
import { createServer, type RequestListener, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";

/** A server that runs. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a Node request listener, such as an Express app. */
export async function listen(listener: RequestListener): Promise<Listening> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: addressOf(server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The address of a server that listens on loopback. */
export function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server is closed.");
  return `http://127.0.0.1:${address.port}`;
}

/** Serves a web-standard fetch handler. */
export function listenFetch(
  fetchHandler: (request: Request) => Response | Promise<Response>,
): Promise<Listening> {
  const listener = getRequestListener(fetchHandler);
  return listen((req, res) => void listener(req, res));
}
