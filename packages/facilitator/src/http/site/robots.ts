/** What crawlers may read: the pages, but neither the dashboard nor the API. */
import type { FastifyInstance } from "fastify";

const rules = `User-agent: *
Disallow: /account/
Disallow: /v1/
`;

export function registerRobots(server: FastifyInstance): void {
  server.get("/robots.txt", (_, reply) =>
    reply
      .header("Cache-Control", "public, max-age=86400")
      .type("text/plain; charset=utf-8")
      .send(rules),
  );
}
