/** GET /metrics, on a listener of its own: what it says is for the operator, not for callers. */
import Fastify from "fastify";
import { arrivalTimes, toServerOptions } from "./connections.ts";
import type { Listener } from "./server.ts";

/** Creates the server; it does not listen yet. */
export function createMetricsServer(
  render: () => Promise<{ readonly contentType: string; readonly text: string }>,
): Listener {
  const server = Fastify({ forceCloseConnections: true, ...toServerOptions(arrivalTimes) });
  server.get("/metrics", async (_, reply) => {
    const { contentType, text } = await render();
    return reply.header("Content-Type", contentType).send(text);
  });
  return { listen: (at) => server.listen({ ...at }), close: () => server.close() };
}
