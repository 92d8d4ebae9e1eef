/** Upstreams behind TLS: only one whose certificate is believed is spoken to. */
import { createAuthority } from "@farthing/facilitator/testing/certificates";
import { openHttpsSeller } from "@farthing/facilitator/testing/https-seller";
import { readGatewayConfig, startGateway } from "@farthing/gateway";
import { expect, test } from "vitest";

test("an upstream with an untrusted certificate receives nothing", async () => {
  const upstream = await openHttpsSeller(createAuthority().identify(), (response) => {
    response.end("secret");
  });
  const file = {
    version: 1,
    publicUrl: "https://api.example.com",
    listen: { http: "127.0.0.1:0" },
    facilitator: { url: "http://127.0.0.1:9" },
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    store: "memory",
    upstreams: { api: { url: upstream.origin } },
    routes: [{ match: "* /free/*", upstream: "api", free: true }],
  };
  const gateway = await startGateway({ config: readGatewayConfig(JSON.stringify(file)) });
  const response = await fetch(`${gateway.url}/free/a`);
  const { length: requests } = upstream.asked;
  expect([response.status, await response.json(), requests]).toMatchObject([
    502,
    { error: "upstream_broken" },
    0,
  ]);
  await gateway.stop();
  upstream.close();
});
