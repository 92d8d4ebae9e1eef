/** What the gateway says of a request is what it would do with it. */
import { expect, test } from "vitest";
import { explainRequest } from "./explain.ts";
import { gatewayConfig, rule, upstream } from "../configuration/gateway-file.testing.ts";

const config = gatewayConfig({
  upstreams: {
    api: { ...upstream, url: "http://127.0.0.1:9001/base", headers: { "X-Key": "s3cret" } },
  },
  routes: [
    rule("GET /health free", { pass: ["authorization"] }),
    rule("POST /reports/:id 1", { settle: "before-upstream" }),
    rule("GET /reports/:id 0.01", { description: "One report" }),
  ],
});

test("a paid request, from its path to its challenge", async () => {
  const said = await explainRequest(config, { method: "GET", target: "/r%65ports/7?full=1" });
  expect(said).toEqual({
    request: "GET /r%65ports/7?full=1",
    status: 402,
    answer: "402: 0.01 USDC on XDC Network, then what the upstream answers",
    canonicalPath: "/reports/7",
    rule: "routes[2] GET /reports/:id",
    parameters: { id: "7" },
    passedOver: [
      { rule: "routes[0] GET /health", why: "another path" },
      { rule: "routes[1] POST /reports/:id", why: "another method" },
    ],
    price: {
      usdc: "0.01",
      amount: "10000",
      network: "eip155:50",
      asset: "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1",
      payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    },
    settle: "after-success",
    upstream: {
      name: "api",
      url: "http://127.0.0.1:9001/base/reports/7?full=1",
      removed: expect.arrayContaining(["authorization", "cookie", "range", "x-payment-*"]),
      added: expect.arrayContaining(["x-key", "x-payment-payer", "x-request-id"]),
    },
    challenge: {
      x402Version: 2,
      error: "Payment required",
      resource: { url: "https://api.example.com/reports/7?full=1", description: "One report" },
      accepts: [expect.objectContaining({ amount: "10000", maxTimeoutSeconds: 60 })],
      extensions: {
        "payment-identifier": expect.objectContaining({ info: { required: false } }),
        "request-binding": expect.objectContaining({ info: expect.anything() }),
      },
    },
  });
  expect(JSON.stringify(said)).not.toContain("s3cret");
});

test("a free request: nothing of payments, and what the route lets through", async () => {
  const said = await explainRequest(config, { method: "HEAD", target: "/health" });
  expect(said).toMatchObject({ status: undefined, rule: "routes[0] GET /health" });
  expect(said.upstream?.removed).not.toContain("authorization");
  expect(said.upstream?.removed).not.toContain("range");
  expect(said.upstream?.added).not.toContain("x-payment-payer");
  expect(said).not.toHaveProperty("challenge");
});

test.each([
  ["GET", "/reports//7", 400, /two ways/],
  ["GET", '/reports/7?a="1"', 400, /query .*two ways/],
  ["HEAD", "/reports/7", 402, /no payment is taken for HEAD/],
  ["GET", "/nothing", 404, /no rule takes it$/],
  ["GET", "/REPORTS/7", 404, /case of letters/],
  ["TRACE", "/health", 405, /does not pass this method/],
  ["OPTIONS", "/reports/7", 204, /CORS/],
  ["GET", "/openapi.json", 200, /itself/],
  ["GET", "/__x402/health", 200, /itself/],
])("%s %s gets %i", async (method, target, status, answer) => {
  const shadowed = gatewayConfig({
    routes: [rule("GET /reports/:id 0.01"), rule("GET /health free"), rule("GET /REPORTS/* free")],
  });
  const said = await explainRequest(target === "/REPORTS/7" ? shadowed : config, {
    method,
    target,
  });
  expect(said.status).toBe(status);
  expect(said.answer).toMatch(answer);
});

test("a host that names none, and HEAD that is free", async () => {
  const own = gatewayConfig({ routes: [rule("GET /a 1", { head: "free" })] });
  const asked = { method: "HEAD", target: "/a" };
  expect(await explainRequest(own, { ...asked, host: "a/b" })).toMatchObject({ status: 400 });
  const said = await explainRequest(own, asked);
  expect([said.status, said.answer]).toEqual([undefined, expect.stringMatching(/^head: free/)]);
});

test("an unknown host", async () => {
  const named = gatewayConfig({ routes: [rule("GET /a 1", { host: "one.example" })] });
  const asked = { method: "GET", target: "/a" };
  expect(await explainRequest(named, { ...asked, host: "two.example" })).toMatchObject({
    status: 421,
  });
  expect(await explainRequest(named, { ...asked, host: "one.example" })).toMatchObject({
    status: 402,
  });
  expect(await explainRequest(named, asked)).toMatchObject({ status: 404 });
});
