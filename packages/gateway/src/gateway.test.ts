/** The gateway without a payment: challenges, its own pages, what it writes down, and reloads. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeHeader, headerNames } from "@farthing/protocol";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configOf, rawRequest, sendRaw, startBefore } from "./gateway.testing.ts";
import type { Gateway } from "./gateway.ts";
import { watchFile } from "./watch-file.ts";

let serve: (response: ServerResponse, target: string) => void;
let upstream: Listening;
let gateway: Gateway;
let lines: Record<string, unknown>[] = [];
const paid = { match: "GET /paid/:id", upstream: "api", price: "0.01" };
const free = { match: "GET /free/*", upstream: "api", free: true };

beforeEach(async () => {
  lines = [];
  serve = (response, target) => void response.end(target);
  upstream = await listen((request, response) => serve(response, request.url ?? ""));
  const write = (fields: object, message: string) => void lines.push({ ...fields, message });
  gateway = await startBefore(
    upstream.url,
    { listen: { http: "127.0.0.1:0", metrics: "127.0.0.1:0" }, routes: [free, paid] },
    { log: { info: write, warn: write, error: write } },
  );
});
afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

async function read(path: string): Promise<unknown> {
  return (await fetch(gateway.url + path)).json();
}

async function challengeOf(path: string): Promise<unknown> {
  const response = await fetch(`${gateway.url}${path}`);
  expect(response.status).toBe(402);
  return decodeHeader(response.headers.get(headerNames.paymentRequired) ?? "")?.value;
}

test("a challenge names the public address, never the Host header", async () => {
  expect(await challengeOf("/paid/7?x=1")).toMatchObject({
    x402Version: 2,
    resource: { url: "https://api.example.com/paid/7?x=1" },
    accepts: [{ amount: "10000", network: "eip155:50", maxTimeoutSeconds: 60 }],
  });
});

test("of two rules with the same match each asks its own price", async () => {
  const { url } = upstream;
  const upstreams = { api: { url }, files: { url, paths: { allowEncodedSlash: true } } };
  // The first leaves the second what has an escaped slash, which its upstream does not take.
  const files = { ...paid, upstream: "files", price: "0.02" };
  gateway.reload(configOf(url, { upstreams, routes: [paid, files] }));
  expect(await challengeOf("/paid/7")).toMatchObject({ accepts: [{ amount: "10000" }] });
  expect(await challengeOf("/paid/7%2F8")).toMatchObject({ accepts: [{ amount: "20000" }] });
});

test("a challenge comes before the upstream is asked, also for HEAD", async () => {
  serve = () => {
    throw new Error("The upstream was asked.");
  };
  const response = await fetch(`${gateway.url}/paid/7`, { method: "HEAD" });
  expect([response.status, response.headers.has(headerNames.paymentRequired)]).toEqual([402, true]);
});

test("HEAD is free where its rule says so: no payment is claimed, no content is led to", async () => {
  let told: unknown;
  serve = (response) => {
    told = response.req.headers["x-payment-payer"];
    response.writeHead(302, { Location: "https://storage.example/?signature=1", "X-App": "yes" });
    response.end();
  };
  gateway.reload(configOf(upstream.url, { routes: [{ ...paid, head: "free" }] }));
  const head = { method: "HEAD", redirect: "manual" } as const;
  const response = await fetch(`${gateway.url}/paid/7`, head);
  expect([response.status, response.headers.get("X-App"), told]).toEqual([302, "yes", undefined]);
  expect(response.headers.has("Location")).toBe(false);
  expect((await fetch(`${gateway.url}/paid/7`)).status).toBe(402);
});

test("preflights are answered, and not passed on", async () => {
  serve = () => {
    throw new Error("The upstream was asked.");
  };
  for (const path of ["/paid/7", "/free/a", "/nothing"]) {
    const { status, headers } = await fetch(`${gateway.url}${path}`, { method: "OPTIONS" });
    expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([204, "*"]);
    expect(headers.get("Access-Control-Allow-Headers")).toMatch(/PAYMENT-SIGNATURE.*X-PAYMENT/);
    const exposed = "Access-Control-Expose-Headers";
    expect(headers.get(exposed)).toBe((await fetch(`${gateway.url}/paid/7`)).headers.get(exposed));
  }
});

test("free answers can be read by scripts of other origins", async () => {
  const { headers } = await fetch(`${gateway.url}/free/a`);
  expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
});

test("tells that it lives, and what it sells", async () => {
  expect(await read("/__x402/health")).toEqual({ status: "ok" });
  expect(await read("/__x402/ready")).toEqual({ status: "ready" });
  expect(await read("/openapi.json")).toMatchObject({
    servers: [{ url: "https://api.example.com" }],
    paths: { "/paid/{id}": { get: { "x-payment-info": { price: { amount: "0.01" } } } } },
  });
  expect(await read("/.well-known/x402")).toMatchObject({ version: 1 });
});

test("denies what no rule names", async () => {
  const response = await fetch(`${gateway.url}/other`);
  expect([response.status, await response.json()]).toMatchObject([404, { error: "not_found" }]);
});

test("shows a browser its routes at / only where no rule takes it, and programs nothing", async () => {
  const browser = ["Accept: text/html,*/*;q=0.8", "Sec-Fetch-Mode: navigate"];
  const open = (headers: readonly string[], line = "GET /") =>
    sendRaw(gateway.url, rawRequest(line, headers));
  const page = await open(browser);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("/paid/{id}")]);
  expect(page.text).toMatch(/content-security-policy: default-src 'none'; script-src 'sha256-/i);
  expect((await open(["Accept: */*"])).status).toBe(404);
  expect((await open(browser, "POST /")).status).toBe(404);
  expect((await open(browser, "GET /other")).status).toBe(404);
  const { url } = upstream;
  gateway.reload(configOf(url, { routes: [paid], discovery: { page: false } }));
  expect((await open(browser)).status).toBe(404);
  // What the upstream has at / is its own.
  for (const taken of [
    { routes: [paid, { match: "GET /", upstream: "api", free: true }] },
    { routes: [paid], default: { upstream: "api", free: true } },
    { routes: [{ match: "GET /*", upstream: "api", free: true }] },
  ]) {
    gateway.reload(configOf(url, taken));
    const passed = await open(browser);
    expect([passed.status, passed.text.split("\r\n\r\n")[1]]).toEqual([200, "/"]);
  }
  gateway.reload(configOf(url, { routes: [{ match: "GET /", upstream: "api", price: "0.01" }] }));
  expect((await open(browser)).status).toBe(402);
});

test("serves only its hosts where rules name hosts", async () => {
  gateway.reload(configOf(upstream.url, { routes: [{ ...free, host: "api.example.com" }] }));
  expect((await fetch(`${gateway.url}/free/a`)).status).toBe(421);
});

test("writes one line for each request, without path, credentials or query", async () => {
  const headers = { Authorization: "Bearer secret-1", Cookie: "c=secret-2" };
  await fetch(`${gateway.url}/free/secret-3?q=secret-4`, { headers });
  await fetch(`${gateway.url}/paid/7`);
  await fetch(`${gateway.url}/other`);
  const answered = lines.filter(({ message }) => message === "Request completed");
  expect(answered).toMatchObject([
    { route: "GET /free/*", outcome: "free", status: 200, method: "GET" },
    { route: "GET /paid/:id", outcome: "challenged", status: 402 },
    { route: "none", outcome: "denied", status: 404 },
  ]);
  expect(answered[0]?.["requestId"]).toMatch(/^req_/);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

test("counts, on a listener of its own", async () => {
  await fetch(`${gateway.url}/free/a`);
  await fetch(`${gateway.url}/paid/1`);
  await fetch(`${gateway.url}/paid/2`);
  const text = await (await fetch(`${gateway.metricsUrl}/metrics`)).text();
  for (const line of [
    'x402_gateway_requests_total{route="GET /free/*",outcome="free"} 1',
    'x402_gateway_requests_total{route="GET /paid/:id",outcome="challenged"} 2',
    'x402_gateway_inflight{upstream="api"} 0',
    'x402_gateway_upstream_duration_seconds_count{upstream="api"} 1',
  ]) {
    expect(text).toContain(line);
  }
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
});

test("a reload is in force at once; what is under way ends under the rules it came under", async () => {
  const { promise: isAsked, resolve } = Promise.withResolvers<ServerResponse>();
  serve = (response) => resolve(response);
  const underWay = fetch(`${gateway.url}/free/a`);
  const response = await isAsked;
  gateway.reload(configOf(upstream.url, { routes: [{ ...paid, price: "0.02" }] }));
  expect(await challengeOf("/paid/7")).toMatchObject({ accepts: [{ amount: "20000" }] });
  expect((await fetch(`${gateway.url}/free/a`)).status).toBe(404);
  response.end("as it was");
  expect(await (await underWay).text()).toBe("as it was");
});

test("a file is read again when another one takes its place, and when asked", async () => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-gateway-"));
  const path = join(folder, "gateway.yaml");
  writeFileSync(path, "one");
  const texts: string[] = [];
  let { promise: isRead, resolve } = Promise.withResolvers<void>();
  const watch = watchFile(path, (text) => {
    texts.push(text);
    resolve();
  });
  // The gateway's database stands in the same folder, and is written to all the time.
  const busy = setInterval(() => writeFileSync(join(folder, "gateway.db"), `${Math.random()}`), 5);
  for (const text of ["two", "three"]) {
    ({ promise: isRead, resolve } = Promise.withResolvers<void>());
    writeFileSync(join(folder, "new"), text);
    renameSync(join(folder, "new"), path);
    await isRead;
  }
  clearInterval(busy);
  watch.readNow();
  watch.stop();
  rmSync(folder, { recursive: true });
  expect(texts).toEqual(["two", "three", "three"]);
});

test("a gateway that stops answers what is under way first", async () => {
  const { promise: isAsked, resolve } = Promise.withResolvers<ServerResponse>();
  serve = (response) => resolve(response);
  const underWay = fetch(`${gateway.url}/free/a`);
  const response = await isAsked;
  const stopped = gateway.stop();
  response.end("in time");
  expect(await (await underWay).text()).toBe("in time");
  await stopped;
  await expect(fetch(`${gateway.url}/free/a`)).rejects.toThrow();
});
