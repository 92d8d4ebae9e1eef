/** What a proxy hears when it asks about a request, in the forms of Traefik, Envoy and nginx. */
import { decodeHeader, headerNames } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gatewayFile } from "../configuration/gateway-file.testing.ts";
import { GatewayConfigError, readGatewayConfig } from "../configuration/read-configuration.ts";
import { configOf, rawRequest, sendRaw } from "../gateway.testing.ts";
import { startGateway, type Gateway } from "../gateway.ts";
import { createKeptRefusals } from "./kept-refusals.ts";

const servedByProxy = {
  trustedProxies: ["127.0.0.1"],
  upstreams: { site: { servedByProxy: true }, own: { url: "http://127.0.0.1:9" } },
  routes: [
    { match: "GET /free/*", upstream: "site", free: true },
    { match: "GET /sold/:page", upstream: "site", price: "0.01" },
    { match: "GET /own", upstream: "own", free: true },
    {
      match: "GET /priced",
      upstream: "site",
      price: "0.01",
      for: [
        { name: "partner", headers: { "X-Plan": "partner" }, free: true },
        { networks: ["192.0.2.0/24"], multiplier: "0.5" },
      ],
    },
    { match: "GET /tried", upstream: "site", price: "0.01", freeRequests: 1 },
  ],
};

let gateway: Gateway;
const lines: Record<string, unknown>[] = [];
const write = (fields: object): void => void lines.push({ ...fields });
beforeAll(async () => {
  const config = configOf("http://127.0.0.1:9", servedByProxy);
  gateway = await startGateway({ config, log: { info: write, warn: write, error: write } });
});
afterAll(() => gateway?.stop());

/** Traefik's documented exchange: a GET with the caller's headers and these. */
const ask = (uri: string, more: Record<string, string> = {}, query = "") =>
  fetch(`${gateway.url}/__x402/authorize${query}`, {
    headers: {
      "X-Forwarded-Method": "GET",
      "X-Forwarded-Host": "api.example.com",
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Uri": uri,
      ...more,
    },
  });

test("Traefik: a free address is open, and each refusal is the gateway's own", async () => {
  expect((await ask("/free/page?x=1")).status).toBe(200);
  const sold = await ask("/sold/7?x=1");
  expect(sold.status).toBe(402);
  expect(decodeHeader(sold.headers.get(headerNames.paymentRequired))?.value).toMatchObject({
    resource: { url: "https://api.example.com/sold/7?x=1" },
    accepts: [{ amount: "10000" }],
  });
  expect((await ask("/other")).status).toBe(404);
  expect((await ask("/free/..%2fsold/7")).status).toBe(400);
  expect((await ask("/free/a", { "X-Forwarded-Method": "OPTIONS" })).status).toBe(405);
});

const amountOf = (response: Response) =>
  decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;

test("a price by caller: the proxy's header and the client's address decide, and nothing is kept", async () => {
  expect(amountOf(await ask("/priced"))).toMatchObject({ accepts: [{ amount: "10000" }] });
  const near = await ask("/priced", { "X-Forwarded-For": "192.0.2.7" });
  expect(amountOf(near)).toMatchObject({ accepts: [{ amount: "5000" }] });
  const partner = await ask("/priced", { "X-Plan": "partner" });
  expect([partner.status, partner.headers.get("Cache-Control")]).toEqual([
    200,
    "private, no-store",
  ]);
});

/** Envoy's documented exchange. */
const below = async (line: string) => {
  const [method, path] = line.split(" ");
  return (await sendRaw(gateway.url, rawRequest(`${method} /__x402/authorize${path}`))).status;
};

test("what somebody gets free of charge is kept by no cache, where others pay for it", async () => {
  const first = await ask("/tried");
  expect([first.status, first.headers.get("Cache-Control")]).toEqual([200, "private, no-store"]);
  expect((await ask("/tried")).status).toBe(402);
  expect((await ask("/free/page")).headers.has("Cache-Control")).toBe(false);
});

test("Envoy: the address stands below the endpoint, with the method and host of the request", async () => {
  expect(await below("GET /free/page?x=1")).toBe(200);
  expect(await below("GET /sold/7")).toBe(402);
  expect(await below("HEAD /sold/7")).toBe(402);
  expect(await below("POST /sold/7")).toBe(404);
  expect(await below("GET /")).toBe(404);
  expect(await below("GET /free/../sold/7")).toBe(400);
  expect(await below("GET /../../sold/7")).toBe(400);
});

test("nginx: a refusal is 403, and its response is fetched once", async () => {
  const refused = await ask("/sold/7", {}, "?refusal=kept");
  expect([refused.status, await refused.text()]).toEqual([403, ""]);
  const fetchIt = () =>
    fetch(`${gateway.url}/__x402/refusals/${refused.headers.get("X-402-Refusal") ?? ""}`);
  const response = await fetchIt();
  expect([response.status, response.headers.has(headerNames.paymentRequired)]).toEqual([402, true]);
  expect(await response.json()).toMatchObject({ x402Version: 1 });
  const again = await fetchIt();
  expect([again.status, await again.json()]).toMatchObject([503, { error: "refusal_gone" }]);
});

test("a proxy that says not enough, or a caller who asks for another address, gets 400", async () => {
  const incomplete = await fetch(`${gateway.url}/__x402/authorize`);
  expect([incomplete.status, await incomplete.json()]).toMatchObject([
    400,
    { message: expect.stringContaining("X-Forwarded-Uri") },
  ]);
  for (const header of ["X-Original-URL", "X_Rewrite_URL", "X-HTTP-Method-Override"]) {
    expect([header, (await ask("/free/a", { [header]: "/sold/7" })).status]).toEqual([header, 400]);
  }
});

test("what the proxy serves is not sold here, and what is served here is not the proxy's", async () => {
  const here = await fetch(`${gateway.url}/sold/7`);
  expect([here.status, await here.json()]).toMatchObject([
    404,
    { message: "The proxy in front serves this address." },
  ]);
  expect((await ask("/own")).status).toBe(404);
});

test("the start says what these routes lose", () => {
  expect(lines).toContainEqual({
    event: "routes_served_by_proxy",
    routes: "GET /free/*, GET /sold/:page, GET /priced, GET /tried",
  });
});

test("nobody but the trusted proxies may ask", async () => {
  const config = configOf("http://127.0.0.1:9", { ...servedByProxy, trustedProxies: ["10.0.0.1"] });
  const other = await startGateway({ config });
  for (const path of ["/__x402/authorize", "/__x402/authorize/free/a", "/__x402/refusals/x"]) {
    const headers = { "X-Forwarded-For": "10.0.0.1", "X-Forwarded-Uri": "/free/a" };
    const response = await fetch(`${other.url}${path}`, { headers });
    expect([path, response.status]).toEqual([path, 403]);
  }
  await other.stop();
});

const large = () => new Response(new Uint8Array(4 * 1024 * 1024), { status: 402 });

test("refusals are kept for some seconds, and the oldest go first when there are too many", async () => {
  let now = 0;
  const refusals = createKeptRefusals({ nowMs: () => now });
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push(await refusals.keep(large()));
  expect(ids.map((id) => refusals.take(id).status)).toEqual([503, 503, 402, 402, 402]);
  const late = await refusals.keep(large());
  now += 10_001;
  expect(refusals.take(late).status).toBe(503);
});

test.each([
  [
    { routes: [{ match: "GET /a", upstream: "site", price: "0.01", settle: "after-success" }] },
    "routes[0].settle",
  ],
  [
    { routes: [{ match: "GET /a", upstream: "site", price: "0.01", stream: "sse" }] },
    "routes[0].stream",
  ],
  [
    { routes: [{ match: "GET /a", upstream: "site", price: "0.01", redirects: "charge" }] },
    "routes[0].redirects",
  ],
  [
    { routes: [{ match: "* /a", upstream: "site", price: "0.01", redeliver: "bound" }] },
    "routes[0].redeliver",
  ],
  [
    {
      routes: [
        {
          match: "GET /a",
          upstream: "site",
          balance: { topUp: "1.00", reserve: "0.01", costHeader: "X-Cost" },
        },
      ],
    },
    "routes[0].balance.costHeader",
  ],
  [{ trustedProxies: undefined }, "upstreams.site.servedByProxy"],
  [
    { upstreams: { site: { servedByProxy: true, url: "http://localhost:1" } } },
    "upstreams.site.url",
  ],
  [{ upstreams: { site: { servedByProxy: true, headers: { A: "b" } } } }, "upstreams.site.headers"],
])("what depends on the response is refused: %j", (changes, path) => {
  let problems: readonly { readonly path: string }[] = [];
  const {
    trustedProxies,
    upstreams: { site },
  } = servedByProxy;
  const routes = [{ match: "GET /a", upstream: "site", price: "0.01" }];
  const file = { trustedProxies, upstreams: { site }, routes, ...changes };
  try {
    readGatewayConfig(gatewayFile(file));
  } catch (error) {
    if (!(error instanceof GatewayConfigError)) throw error;
    ({ problems } = error);
  }
  expect(problems.map((one) => one.path)).toEqual([path]);
});
