/** Real HTTP servers on free ports, for tests, and requests to them byte by byte. */
import { createServer, type RequestListener, type Server } from "node:http";
import { connect } from "node:net";
import { getRequestListener } from "@hono/node-server";

/** A server that runs. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a Node request listener, such as an Express app. */
export function listen(listener: RequestListener): Promise<Listening> {
  return listenAt(() => listener);
}

/** Serves a listener that has to know its own address, as a seller with a `publicUrl` does. */
export async function listenAt(create: (url: string) => RequestListener): Promise<Listening> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = addressOf(server);
  server.on("request", create(url));
  return {
    url,
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

type FetchHandler = (request: Request, environment: object) => Response | Promise<Response>;

/** Serves a web-standard fetch handler; `environment` has the request of node:http, for Hono. */
export function listenFetch(fetchHandler: FetchHandler): Promise<Listening> {
  return listen(listenerOf(fetchHandler));
}

/** A web-standard fetch handler as a listener of node:http. */
export function listenerOf(fetchHandler: FetchHandler): RequestListener {
  const listener = getRequestListener((request, environment) => fetchHandler(request, environment));
  return (req, res) => void listener(req, res);
}

/** Sends bytes and reads until the server closes: the status and all that came. */
export async function sendRaw(
  url: string,
  text: string,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const received = await new Promise<string>((resolve) => {
    let got = "";
    const socket = connect(Number(port), hostname, () => socket.write(text, "latin1"));
    socket.setEncoding("latin1").on("data", (part: string) => (got += part));
    // A server that has said no may close while we still write.
    socket.on("error", () => {});
    socket.on("close", () => resolve(got));
  });
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0), text: received };
}

/** A request with the given line and headers, closed by the server after its answer. */
export function rawRequest(line: string, headers: readonly string[] = []): string {
  const hasHost = headers.some((header) => /^host:/i.test(header));
  const all = [`${line} HTTP/1.1`, ...(hasHost ? [] : ["Host: api.example.com"]), ...headers];
  return [...all, "Connection: close", "", ""].join("\r\n");
}
