/** GET /metrics on a listener of its own, which is for the operator and not for callers. */
import Fastify from "fastify";
import { arrivalTimes, toServerOptions } from "./connections.ts";
import type { Listener } from "./server.ts";

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
