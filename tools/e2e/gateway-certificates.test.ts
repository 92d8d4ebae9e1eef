/** Upstreams behind TLS: only one whose certificate is believed is spoken to. */
import { once } from "node:events";
import { createServer } from "node:https";
import { readGatewayConfig, startGateway } from "@farthing/gateway";
import { expect, test } from "vitest";
import { createAuthority } from "../../packages/facilitator/src/certificates.testing.ts";

test("an upstream with a certificate that nobody vouches for hears nothing", async () => {
  let requests = 0;
  const upstream = createServer(createAuthority().identify(), (_, response) => {
    requests++;
    response.end("secret");
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const address = upstream.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const file = {
    version: 1,
    publicUrl: "https://api.example.com",
    listen: { http: "127.0.0.1:0" },
    facilitator: { url: "http://127.0.0.1:9" },
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    store: "memory",
    upstreams: { api: { url: `https://127.0.0.1:${address.port}` } },
    routes: [{ match: "* /free/*", upstream: "api", free: true }],
  };
  const gateway = await startGateway({ config: readGatewayConfig(JSON.stringify(file)) });
  const response = await fetch(`${gateway.url}/free/a`);
  expect([response.status, await response.json(), requests]).toMatchObject([
    502,
    { error: "upstream_broken" },
    0,
  ]);
  await gateway.stop();
  upstream.close();
});
