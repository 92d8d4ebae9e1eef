/** Requests that cost nothing and requests that are too many, by address. */
import { createServer } from "node:http";
import { listen } from "@farthing/buyer/testing";
import { payFor } from "@farthing/seller/testing/buyer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallerCounts } from "./caller-counts.ts";
import { startGateway, type Gateway } from "./gateway.ts";
import { configOf, startBefore, takesEveryPayment } from "./gateway.testing.ts";

const dayMs = 86_400_000;

let nowMs = Date.parse("2026-11-23T13:00:30Z");
let gateway: Gateway;
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  const caching = { "Cache-Control": "public, max-age=60", "CDN-Cache-Control": "max-age=60" };
  const upstream = createServer((_, response) => response.writeHead(200, caching).end("content"));
  stack.use(upstream);
  const changes = {
    trustedProxies: ["127.0.0.1"],
    rateLimit: { perAddress: 6 },
    routes: [{ match: "* /paid", upstream: "api", price: "0.01", freeRequests: 2 }],
  };
  gateway = await startBefore(await listen(upstream), changes, { nowMs: () => nowMs });
  stack.defer(() => gateway.stop());
});
afterAll(() => stack.disposeAsync());

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(address: string, { path = "/paid", ...init }: Asked = {}) {
  const headers = { ...init.headers, "X-Forwarded-For": address };
  const response = await fetch(gateway.url + path, { ...init, headers });
  await response.arrayBuffer();
  return response;
}

async function statuses(address: string, ...requests: Asked[]) {
  const found: number[] = [];
  for (const one of requests) found.push((await ask(address, one)).status);
  return found;
}

test("each address has its free requests a day, then the price", async () => {
  const post = { method: "POST", body: "x" };
  const head = { method: "HEAD" };
  const withPass = { headers: { "PAYMENT-PASS": "of-nobody" } };
  expect(await statuses("192.0.2.1", head, withPass, {}, post, {})).toEqual([
    402, 402, 200, 200, 402,
  ]);
  expect(await statuses("2001:db8::1", {}, {})).toEqual([200, 200]);
  expect(await statuses("2001:db8::2", {})).toEqual([402]);
  expect(await statuses("2001:db8:0:1::1", {})).toEqual([200]);
  nowMs += dayMs;
  expect(await statuses("192.0.2.1", {}, {}, {})).toEqual([200, 200, 402]);
});

test("no cache keeps what a free request got: it would hand it out without a payment", async () => {
  const { status, headers } = await ask("192.0.2.3");
  const caching = ["Cache-Control", "CDN-Cache-Control"].map((name) => headers.get(name));
  expect([status, ...caching]).toEqual([200, "private, no-store", null]);
});

test("an address that asks too often gets 429 until the next minute, others do not", async () => {
  expect(await statuses("192.0.2.9", {}, {}, {}, {}, {}, {})).toEqual([
    200, 200, 402, 402, 402, 402,
  ]);
  const refused = await ask("192.0.2.9");
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "30"]);
  expect(await statuses("192.0.2.9", { path: "/__x402/health" })).toEqual([200]);
  expect(await statuses("192.0.2.8", {})).toEqual([200]);
  nowMs += 30_000;
  expect(await statuses("192.0.2.9", {})).toEqual([402]);
});

test("a payer has one limit for all routes, which a reload does not reset", async () => {
  await using stack = new AsyncDisposableStack();
  const upstream = createServer((_, response) => response.end("content"));
  stack.use(upstream);
  const changes = {
    publicUrl: "http://shop.example",
    rateLimit: { perPayer: 2 },
    store: "memory",
    routes: ["/a", "/b"].map((path) => ({ match: `GET ${path}`, upstream: "api", price: "0.01" })),
  };
  const config = configOf(await listen(upstream), changes);
  const outcomes: unknown[] = [];
  const gateway = await startGateway({
    config,
    facilitator: takesEveryPayment,
    onRequest: (step) => void ("outcome" in step && outcomes.push(step.outcome)),
  });
  stack.defer(() => gateway.stop());
  const buy = async (path: string) => {
    const url = gateway.url + path;
    const response = await fetch(url, { headers: await payFor(url) });
    return [response.status, await response.text()];
  };
  expect(await buy("/a")).toEqual([200, "content"]);
  expect(await buy("/b")).toEqual([200, "content"]);
  gateway.reload(config);
  expect(await buy("/a")).toMatchObject([429, expect.stringContaining('"rate_limited"')]);
  expect(outcomes.at(-1)).toBe("limited");
  gateway.reload({ ...config, rateLimit: {} });
  expect(await buy("/a")).toEqual([200, "content"]);
});

test("callers beyond the memory share one count", () => {
  const counts = createCallerCounts(1000, { nowMs: () => 0, max: 2 });
  const isWithin = (address: string) => counts.take("route", address, 1).isWithin;
  const asked = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.1"];
  expect(asked.map(isWithin)).toEqual([true, true, true, false, false]);
});
