/** An HTTP server on a free port of 127.0.0.1 that answers JSON-RPC requests by their body. */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { NodeResponse } from "./messages.ts";

/** A server that listens. */
export interface RpcListener {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server. A connection is cut where `answer` returns nothing, or throws. */
export async function startRpcListener(
  answer: (body: string) => Promise<NodeResponse | undefined>,
): Promise<RpcListener> {
  const server = createServer((request, response) => {
    const respond = async () => {
      const answered = await answer(await text(request));
      if (answered) response.writeHead(answered.status, answered.headers).end(answered.body);
      else response.destroy();
    };
    respond().catch(() => response.destroy());
  });
  // A connection that is closed just when it is used again would be a fault that no test ordered.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
