/** What the gateway does when an upstream is slow, away, or has enough to do. */
import type { ServerResponse } from "node:http";
import { payFor } from "@farthing/seller/testing/buyer";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startBefore, takesEveryPayment } from "./gateway.testing.ts";
import type { Gateway } from "./gateway.ts";

let serve: (response: ServerResponse, target: string) => void;
let upstream: Listening;
let gateway: Gateway | undefined;
beforeEach(async () => {
  serve = (response) => void response.end("ok");
  upstream = await listen((request, response) => serve(response, request.url ?? ""));
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await upstream.close();
});

async function start(settings: object, url = upstream.url): Promise<string> {
  const routes = [
    { match: "GET /free/*", upstream: "api", free: true },
    { match: "GET /paid/*", upstream: "api", price: "0.01", settle: "before-upstream" },
  ];
  const changes = { upstream: { ...settings }, routes };
  gateway = await startBefore(url, changes, { facilitator: takesEveryPayment });
  return gateway.url;
}

test.each([
  ["headers", { headers: "300ms" }],
  ["total", { total: "300ms" }],
])("an answer that does not start within `%s` is a 504", async (_name, timeouts) => {
  serve = () => {};
  const response = await fetch(`${await start({ timeouts })}/free/a`);
  expect([response.status, await response.json()]).toMatchObject([
    504,
    { error: "upstream_timed_out", retryable: true },
  ]);
});

test("an answer that pauses for longer than `idle` is broken off", async () => {
  serve = (response) => void response.writeHead(200).write("half");
  const response = await fetch(`${await start({ timeouts: { idle: "300ms" } })}/free/a`);
  await expect(response.text()).rejects.toThrow();
});

test("an upstream that is away is a 502, and its address stays inside", async () => {
  const response = await fetch(`${await start({}, "http://127.0.0.1:9")}/free/a`);
  const text = await response.text();
  expect([response.status, text.includes("upstream_unreachable")]).toEqual([502, true]);
  expect(text).not.toMatch(/127\.0\.0\.1|ECONN/);
});

test("calls beyond `concurrency` wait, and are told to come back when it takes too long", async () => {
  const open: ServerResponse[] = [];
  const { promise: isBusy, resolve } = Promise.withResolvers<void>();
  serve = (response) => {
    open.push(response);
    resolve();
  };
  const url = await start({ concurrency: 1, timeouts: { connect: "300ms" } });
  const first = fetch(`${url}/free/a`);
  await isBusy;
  const second = await fetch(`${url}/free/b`);
  expect([second.status, second.headers.get("Retry-After")]).toEqual([503, "2"]);
  expect(await second.json()).toMatchObject({ error: "upstream_busy", retryable: true });
  expect(open).toHaveLength(1);
  serve = (response) => void response.end("ok");
  const third = fetch(`${url}/free/c`);
  open[0]?.end("done");
  expect(await (await first).text()).toBe("done");
  expect((await third).status).toBe(200);
});

test("nothing is paid for what the upstream has no room for", async () => {
  serve = () => {};
  const url = await start({ concurrency: 1 });
  const headers = { "PAYMENT-SIGNATURE": "e30=" };
  // Judged, as long as there is room.
  expect((await fetch(`${url}/paid/a`, { headers })).status).toBe(402);
  const leaving = new AbortController();
  const { signal } = leaving;
  const crowd = Array.from({ length: 10 }, (_, index) => fetch(`${url}/free/${index}`, { signal }));
  const asked = Promise.allSettled(crowd);
  // The first one is told no when the line is full, and so it is.
  expect((await Promise.race(crowd)).status).toBe(503);
  const refused = await fetch(`${url}/paid/a`, { headers });
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: "upstream_busy" }]);
  // Whoever only asks for the price is told it.
  expect((await fetch(`${url}/paid/a`)).status).toBe(402);
  leaving.abort();
  await asked;
});

test("free calls leave a slot to those that are paid for, and follow one another in the rest", async () => {
  const open: ServerResponse[] = [];
  const isBegun = Promise.withResolvers<void>();
  serve = (response, target) => {
    if (target.startsWith("/paid")) response.end("paid");
    else {
      open.push(response);
      isBegun.resolve();
    }
  };
  const url = await start({ concurrency: 2 });
  const free = [fetch(`${url}/free/a`), fetch(`${url}/free/b`)];
  await isBegun.promise;
  const headers = await payFor(`${url}/paid/a`);
  const paid = await fetch(`${url}/paid/a`, { headers });
  expect([paid.status, await paid.text(), open.length]).toEqual([200, "paid", 1]);
  serve = (response) => void response.end("free");
  open[0]?.end("free");
  expect(await Promise.all(free.map(async (one) => (await one).text()))).toEqual(["free", "free"]);
});

const leaving = new AbortController();
test.each<[name: string, path: string, init: RequestInit & { duplex?: "half" }]>([
  ["has no body", "/free/empty", {}],
  ["is only a head", "/free/a", { method: "HEAD" }],
  [
    "is to a body that is too large",
    "/free/early",
    { method: "POST", body: tooMuch(), duplex: "half" },
  ],
  ["is left in the middle", "/free/half", { signal: leaving.signal }],
  ["breaks", "/free/broken", {}],
])("an answer that %s makes room for the next call", async (_name, path, init) => {
  serve = (response, target) => {
    if (target === "/free/empty") response.writeHead(204).end();
    else if (target === "/free/half") response.writeHead(200).write("half");
    else if (target === "/free/broken")
      response.writeHead(200).write("half", () => response.destroy());
    else response.end("ok");
  };
  const routes = [{ match: "* /free/*", upstream: "api", free: true }];
  const settings = { concurrency: 1, maxRequestBytes: "64KiB" };
  gateway = await startBefore(upstream.url, { upstream: settings, routes });
  const response = await fetch(gateway.url + path, init);
  if (path === "/free/half") leaving.abort();
  await response.text().catch(() => undefined);
  expect((await fetch(`${gateway.url}/free/next`)).status).toBe(200);
});

/** Far more than a route takes, in pieces. */
function tooMuch(): ReadableStream<Uint8Array> {
  return new Blob([new Uint8Array(1_000_000)]).stream();
}
