/** What the upstream hears of a client, and what a client hears of the upstream. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rawRequest, sendRaw, startBefore } from "../gateway.testing.ts";
import type { Gateway } from "../gateway.ts";

let heard: IncomingHttpHeaders[] = [];
let answer: (response: ServerResponse) => void;
let upstream: Listening;
let gateway: Gateway;
beforeEach(async () => {
  heard = [];
  answer = (response) => void response.end("ok");
  upstream = await listen((request, response) => {
    heard.push(request.headers);
    answer(response);
  });
  gateway = await startBefore(`${upstream.url}/base`, {
    upstream: {
      headers: { Authorization: "Bearer of the origin", "X-Origin-Key": "k", X_Tenant_Key: "t" },
    },
    routes: [
      { match: "GET /free/*", upstream: "api", free: true },
      { match: "GET /open/*", upstream: "api", free: true, pass: ["cookie", "set-cookie"] },
    ],
  });
});
afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

/** The headers that reached the upstream. */
async function askWith(headers: readonly string[], path = "/free/a"): Promise<IncomingHttpHeaders> {
  await sendRaw(gateway.url, rawRequest(`GET ${path}`, headers));
  const [got] = heard;
  if (!got) throw new Error("Nothing reached the upstream.");
  return got;
}

test.each([
  "Authorization: Bearer of the client",
  "Cookie: session=1",
  "PAYMENT-SIGNATURE: e30=",
  "X-PAYMENT: e30=",
  "X-Payment-Payer: 0x1",
  "X_Payment_Payer: 0x1",
  "Payment-Anything: 1",
  "Forwarded: for=1.2.3.4",
  "X-Forwarded-User: root",
  "X_Forwarded_User: root",
  "X-Real-IP: 1.2.3.4",
  "X-Original-URL: /v1/reports/7",
  "X-Rewrite-URL: /v1/reports/7",
  "X-HTTP-Method-Override: POST",
  "X-Origin-Key: of the client",
  "X_Origin_Key: of the client",
  "X-Tenant-Key: of the client",
  "Proxy-Authorization: Basic eA==",
  "TE: trailers",
  "Keep-Alive: timeout=5",
  "Expect: 100-continue",
])("%s does not reach the upstream", async (header) => {
  const [name = "", value = ""] = header.split(": ");
  const got = await askWith([header]);
  expect(got[name.toLowerCase()]).not.toBe(value);
});

test("what Connection names does not reach the upstream, and takes nothing of ours with it", async () => {
  const got = await askWith([
    "Connection: X-Secret, Authorization, X-Origin-Key, X-Forwarded-For",
    "X-Secret: 1",
  ]);
  expect(got["x-secret"]).toBeUndefined();
  expect(got).toMatchObject({ authorization: "Bearer of the origin", "x-origin-key": "k" });
  expect(got["x-forwarded-for"]).toBe("127.0.0.1");
});

test("the rest does, with credentials, the client's address and the public one", async () => {
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const got = await askWith([
    "Accept: text/plain",
    "X-Forwarded-For: 6.6.6.6",
    "Host: evil.example",
    "Range: bytes=0-1",
    `traceparent: 00-${trace}-b7ad6b7169203331-01`,
  ]);
  expect(got).toMatchObject({
    accept: "text/plain",
    authorization: "Bearer of the origin",
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-host": "api.example.com",
    "x-forwarded-proto": "https",
    // Of a free route: a part of it may be asked for.
    range: "bytes=0-1",
    host: new URL(upstream.url).host,
  });
  expect(got["x-request-id"]).toMatch(/^req_[0-9a-f]{32}$/);
  expect(got["traceparent"]).toMatch(
    new RegExp(`^00-${trace}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`),
  );
});

test("a trace that makes no sense is begun anew", async () => {
  const got = await askWith(["traceparent: 00-zz-1-01", "tracestate: a=b"]);
  expect(got["traceparent"]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(got["tracestate"]).toBeUndefined();
});

test("cookies pass in both directions where the route says so", async () => {
  answer = (response) => void response.setHeader("Set-Cookie", ["a=1", "b=2"]).end();
  const response = await fetch(`${gateway.url}/open/a`, { headers: { Cookie: "c=3" } });
  expect(heard[0]?.cookie).toBe("c=3");
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect((await fetch(`${gateway.url}/free/a`)).headers.getSetCookie()).toEqual([]);
});

test("an upstream forges no receipt, and sends nobody round the gateway", async () => {
  const forged = {
    "PAYMENT-RESPONSE": "e30=",
    "X-PAYMENT-RESPONSE": "e30=",
    "PAYMENT-REQUIRED": "e30=",
    "X-Payment-Replayed": "true",
    X_Payment_Response: "e30=",
    "Alt-Svc": 'h2="origin.internal:443"',
    "Keep-Alive": "timeout=5",
    Connection: "X-Internal",
    "X-Internal": "1",
    "X-Kept": "1",
  };
  answer = (response) => void response.writeHead(200, forged).end("ok");
  const { headers } = await fetch(`${gateway.url}/free/a`);
  for (const name of Object.keys(forged)) {
    if (name !== "X-Kept" && name !== "Connection" && name !== "Keep-Alive") {
      expect([name, headers.get(name)]).toEqual([name, null]);
    }
  }
  expect(headers.get("X-Kept")).toBe("1");
  expect(headers.get("Keep-Alive")).not.toBe("timeout=5");
});

test.each([
  ["/base/free/b?x=1", "https://api.example.com/free/b?x=1"],
  ["{origin}/base/free/b#c", "https://api.example.com/free/b#c"],
  ["{origin}/other", null],
  ["//{host}/base/b", "https://api.example.com/b"],
  ["https://{host}/base/b", null],
  ["https://elsewhere.example/a", "https://elsewhere.example/a"],
  ["b", "b"],
])("a Location of %s becomes %s", async (location, expected) => {
  const { origin, host } = new URL(upstream.url);
  const given = location.replace("{origin}", origin).replace("{host}", host);
  answer = (response) => void response.writeHead(302, { Location: given }).end();
  const response = await fetch(`${gateway.url}/free/a`, { redirect: "manual" });
  expect([response.status, response.headers.get("Location")]).toEqual([302, expected]);
  expect(heard).toHaveLength(1);
});

test("what trusted proxies say of the client is passed on, and nobody else's word", async () => {
  const behind = await startBefore(upstream.url, { trustedProxies: ["127.0.0.1", "10.0.0.0/8"] });
  const forwarded = "X-Forwarded-For: 6.6.6.6, 7.7.7.7, 10.0.0.1";
  await sendRaw(behind.url, rawRequest("GET /free/a", [forwarded]));
  // The nearest that is not trusted is the client; what he says himself counts for nothing.
  expect(heard[0]?.["x-forwarded-for"]).toBe("7.7.7.7, 10.0.0.1, 127.0.0.1");
  await behind.stop();
});
