/** Real HTTP servers on free ports. */
import { createServer, type RequestListener } from "node:http";

/** A server that runs. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a Node request listener, such as an Express app. */
export async function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
