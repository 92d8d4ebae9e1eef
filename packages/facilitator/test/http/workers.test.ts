/**
 * A service with workers responds as one without: the same requests, byte for byte but for names and
 * times. And what is counted is counted once for all workers.
 */
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "@farthing/devnet";
import { startRpcProxy } from "@farthing/lab/rpc-proxy";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  usesOf,
  withMember,
  type ServeOptions,
  type Served,
} from "../support/facilitator.testing.ts";
import { keyIn } from "../support/api-keys.testing.ts";
import { chainCases, shapeCases, termsCases } from "../support/refusal-cases.testing.ts";
import { rawPost, sendRaw } from "../support/raw-http.testing.ts";
import { ask, workersOf, type PlainRequest } from "../support/worker-processes.testing.ts";

const json = { "content-type": "application/json" };
const hosted = "/api/facilitator";
const workers = 3;

let devnet: Devnet;
/** The same service twice: in one process, and with workers. */
let both: readonly [alone: Served, shared: Served];
let keys: readonly [string, string];

beforeAll(async () => {
  devnet = await startChain({ chainId: 50, buyers: 6, relayers: 4 });
  const urls = [newDatabaseUrl(), newDatabaseUrl()] as const;
  keys = [
    await keyIn(urls[0], devnet.seller.address, { mode: "live" }),
    await keyIn(urls[1], devnet.seller.address, { mode: "live" }),
  ];
  const dashboardFolder = mkdtempSync(join(tmpdir(), "farthing-dashboard-"));
  writeFileSync(join(dashboardFolder, "index.html"), "<!doctype html><title>Dashboard</title>");
  const shared = { selfBuilt: false, dashboardFolder } as const;
  both = [
    await serveOn(devnet, { ...shared, databaseUrl: urls[0], wallets: [0] }),
    await serveOn(devnet, {
      ...shared,
      databaseUrl: urls[1],
      wallets: [1],
      env: { FARTHING_WORKERS: `${workers}` },
    }),
  ];
});
afterAll(async () => {
  await Promise.all((both ?? []).map((served) => served.stop()));
  await devnet?.stop();
});

/** Leaves out of a response what differs between any two. */
function plain(text: string): string {
  return text
    .replaceAll(/req_[0-9a-f]{32}/g, "req_")
    .replaceAll(/stl_[0-9a-f]+/g, "stl_")
    .replaceAll(/0x[0-9a-f]{64}/g, "0x")
    .replaceAll(/"logIndex":\d+/g, '"logIndex":0')
    .replaceAll(/\d+ s old/g, "0 s old")
    .replaceAll(/\d+ seconds? ago/g, "0 seconds ago")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "http://here");
}

/** Headers of the day and of the connection. */
const varying = new Set(["date", "connection", "keep-alive", "etag", "last-modified"]);

/** Sends a request to both; the responses must be the same, and one is returned. */
async function askBoth(makeFor: (index: 0 | 1) => PlainRequest | Promise<PlainRequest>) {
  const responses = [];
  for (const index of [0, 1] as const) {
    const { status, headers, text } = await ask(both[index].url, await makeFor(index));
    const named = Object.entries(headers).filter(([name]) => !varying.has(name));
    const head = named.map(([name, value]) => {
      const isLimit = name === "ratelimit" || name === "retry-after";
      return [name, isLimit ? "" : plain(String(value))] as const;
    });
    const sorted = head.toSorted(([a], [b]) => (a < b ? -1 : 1));
    // Its length differs with those of names.
    const length =
      text.length === plain(text).length
        ? sorted
        : sorted.filter(([name]) => name !== "content-length");
    responses.push({ status, head: length, text: plain(text) });
  }
  const [alone, shared] = responses;
  expect(shared).toEqual(alone);
  if (!alone) throw new Error("no response");
  return alone;
}

const post = (path: string, body: JsonObject | string, headers: Record<string, string> = {}) => ({
  path,
  headers: { ...json, ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const bearer = (index: 0 | 1) => ({ authorization: `Bearer ${keys[index]}` });

test("requests are read by workers", () => {
  expect(workersOf(process.pid)).toHaveLength(workers);
});

test.each([
  ["/verify", "isValid", "payload_type"],
  ["/settle", "success", "nothing_to_settle"],
])("the message of a channel at %s", async (path, member, code) => {
  const entry = {
    scheme: "batch-settlement",
    network: "eip155:50",
    amount: "0",
    asset: devnet.token,
    payTo: devnet.seller.address,
    maxTimeoutSeconds: 0,
    extra: {},
  };
  const payload = { type: "settle", receiver: entry.payTo, token: entry.asset };
  const body = {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: entry, payload },
    paymentRequirements: entry,
  };
  const { status, text } = await askBoth(() => post(`${hosted}${path}`, body));
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ [member]: false });
  expect(text).toContain(`invalid_batch_settlement_evm_${code}`);
});

describe("a valid payment", () => {
  test.each(["v1", "v2", "flat-v2"] as const)("of the shape %s", async (shape) => {
    const bodies = [bodyOn(devnet, { shape }), bodyOn(devnet, { shape })] as const;
    const verified = await askBoth((index) => post(`${hosted}/verify`, bodies[index]));
    expect([verified.status, verified.text]).toEqual([
      200,
      expect.stringMatching(/"isValid":true/),
    ]);
    const settled = await askBoth((index) => post(`${hosted}/settle`, bodies[index]));
    expect([settled.status, settled.text]).toEqual([200, expect.stringMatching(/"success":true/)]);
    const repeated = await askBoth((index) => post(`${hosted}/settle`, bodies[index]));
    expect(repeated.text).toMatch(/"replayed":true/);
    for (const body of bodies) expect(await usesOf(devnet, body)).toHaveLength(1);
  });

  test("with a key, on the public surface", async () => {
    const bodies = [bodyOn(devnet), bodyOn(devnet)] as const;
    await askBoth((index) => post("/verify", bodies[index], bearer(index)));
    const headers = { "idempotency-key": "one", "x-payment-reference": "order 7" };
    const settled = await askBoth((index) =>
      post("/settle", bodies[index], { ...bearer(index), ...headers, prefer: "wait=20" }),
    );
    expect(settled.text).toMatch(/"success":true/);
    expect(settled.head).toContainEqual(["preference-applied", "wait=20"]);
    const own = await askBoth((index) =>
      post("/settle", bodies[index], { ...bearer(index), ...headers }),
    );
    expect(own.text).toMatch(/"ownExchange":true/);
  });

  test("whose extension has a response", async () => {
    const bazaar = { info: { input: { type: "http", method: "GET" } } };
    const { head } = await askBoth(() =>
      post(`${hosted}/verify`, withMember(bodyOn(devnet), "paymentPayload.extensions", { bazaar })),
    );
    expect(head.map(([name]) => name)).toContain("extension-responses");
  });

  test.each([
    ["an idempotency key that is too long", { "idempotency-key": "x".repeat(256) }, 400],
    ["another account's key", { authorization: "Bearer fk_live_wrong" }, 401],
    ["a preference", { prefer: "respond-async" }, 401],
  ])("with %s", async (_, headers, status) => {
    const path = status === 401 ? "/settle" : `${hosted}/settle`;
    const response = await askBoth(() => post(path, bodyOn(devnet), headers));
    expect(response.status).toBe(status);
  });
});

describe("a refusal", () => {
  test.each([...shapeCases, ...termsCases, ...chainCases])("$name", async (one) => {
    await one.arrange?.(devnet);
    try {
      for (const path of [`${hosted}/verify`, `${hosted}/settle`]) {
        const body = one.body(devnet);
        const { text } = await askBoth(() => post(path, body));
        expect(text).toMatch(new RegExp(`"${one.code}"`));
      }
    } finally {
      await one.restore?.(devnet);
    }
  });

  // The pause of the token is noticed within a second, and its end within ten.
  test("for a paused token ends at both", async () => {
    for (const { url } of both) {
      const ready = async () => (await ask(url, { method: "GET", path: "/ready" })).status;
      await expect.poll(ready).toBe(200);
    }
  });
});

const deep = `{"a":${"[".repeat(80)}${"]".repeat(80)}}`;
const large = JSON.stringify({ a: "x".repeat(70_000) });

test.each<[string, PlainRequest, number]>([
  ["no body", { path: "/verify" }, 401],
  ["no body on a surface without keys", { path: `${hosted}/verify` }, 400],
  ["no JSON", post(`${hosted}/settle`, "{"), 400],
  ["a list", post(`${hosted}/settle`, "[]"), 400],
  ["a deep object", post(`${hosted}/verify`, deep), 400],
  ["a large body", post(`${hosted}/verify`, large), 413],
  ["a large body for another route", post(`${hosted}/accepts`, large), 413],
  [
    "a body in parts",
    { ...post(`${hosted}/verify`, large), headers: { ...json, "transfer-encoding": "chunked" } },
    413,
  ],
  [
    "another type",
    { path: `${hosted}/verify`, headers: { "content-type": "text/plain" }, body: "x" },
    415,
  ],
  ["a compressed body", post(`${hosted}/settle`, "{}", { "content-encoding": "gzip" }), 415],
  ["two slashes", post(`/${hosted}//verify`, "{}"), 200],
  ["an encoded letter", post(`${hosted}/%76erify`, "{}"), 200],
  ["a query", post(`${hosted}/verify?a=1`, "{}"), 200],
  ["a whole address", post(`http://elsewhere${hosted}/verify`, "{}"), 200],
  [
    "a form of a browser",
    post(`${hosted}/verify`, "{", { "sec-fetch-mode": "navigate", accept: "text/html" }),
    400,
  ],
  ["a path that cannot be decoded", post(`${hosted}/%zz`, "{}"), 400],
  ["a path without a route", { method: "GET", path: "/nothing" }, 404],
  [
    "a page without a route",
    { method: "GET", path: "/nothing", headers: { accept: "text/html" } },
    404,
  ],
  ["another method", { method: "GET", path: `${hosted}/verify` }, 405],
  [
    "an unusual method",
    { method: "PUT", path: `${hosted}/settle`, headers: json, body: "{}" },
    405,
  ],
  ["the head alone", { method: "HEAD", path: `${hosted}/supported` }, 200],
  ["the dashboard", { method: "GET", path: "/account/facilitator" }, 200],
  ["the description", { method: "GET", path: "/openapi.json" }, 200],
  ["the home page", { method: "GET", path: "/", headers: { accept: "text/html" } }, 200],
  ["a session", { method: "GET", path: "/v1/account" }, 401],
  ["health", { method: "GET", path: "/health" }, 200],
])("%s", async (_, wanted, status) => {
  expect((await askBoth(() => wanted)).status).toBe(status);
});

test.each([
  [
    "a header twice",
    rawPost(
      `${hosted}/verify`,
      ["Prefer: wait=1", "Prefer: wait=2", "Content-Type: application/json", "Content-Length: 2"],
      "{}",
    ),
  ],
  [
    "the same for another route",
    rawPost(
      `${hosted}/accepts`,
      ["Prefer: wait=1", "Prefer: wait=2", "Content-Type: application/json", "Content-Length: 2"],
      "{}",
    ),
  ],
  ["no HTTP", "HELLO\r\n\r\n"],
  ["HTTP/1.0 without a host", "GET /health HTTP/1.0\r\n\r\n"],
])("%s", async (_, bytes) => {
  const [alone, shared] = await Promise.all(both.map(({ url }) => sendRaw(url, bytes)));
  expect(alone?.status).toBeGreaterThan(0);
  expect([shared?.status, plain(JSON.stringify(shared?.body))]).toEqual([
    alone?.status,
    plain(JSON.stringify(alone?.body)),
  ]);
});

/** Starts a service with workers for one test. */
async function serveShared(
  env: Readonly<Record<string, string>>,
  options: ServeOptions = {},
): Promise<Served> {
  const served = await serveOn(devnet, {
    ...options,
    wallets: [2],
    env: { FARTHING_WORKERS: `${workers}`, ...env },
  });
  onTestFinished(() => served.stop());
  return served;
}

test("the rate limit is one for all workers, to the request", async () => {
  const { url } = await serveShared({ FARTHING_RATE_LIMIT: "12" });
  const body = bodyOn(devnet);
  const responses = await Promise.all(
    Array.from({ length: 30 }, () => ask(url, post("/verify", body))),
  );
  const left = responses.map(({ headers }) => /;r=(\d+);/.exec(String(headers["ratelimit"]))?.[1]);
  const allowed = responses.flatMap(({ status }, index) => (status === 200 ? [left[index]] : []));
  const inOrder = allowed.map(Number).toSorted((a, b) => a - b);
  expect(inOrder).toEqual(Array.from({ length: 12 }, (_, index) => index));
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(18);
  for (const { headers } of refused) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  // Requests that are passed on have the same count, whatever address they claim.
  const headers = { "x-farthing-caller": "192.0.2.1" };
  const read = await ask(url, { method: "GET", path: "/settlements/stl_1", headers });
  expect(read.status).toBe(429);
});

test("the bound on connections of an address is one for all workers", async () => {
  const { url } = await serveShared({ FARTHING_CONNECTIONS_PER_ADDRESS: "4" });
  const { hostname, port } = new URL(url);
  /** Resolves with what comes first: a response, or the end. */
  async function dial(): Promise<{ socket: Socket; isServed: boolean }> {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    socket.write("GET /health HTTP/1.1\r\nHost: here\r\n\r\n");
    const isServed = await Promise.race([
      once(socket, "data").then(() => true),
      once(socket, "close").then(() => false),
    ]);
    return { socket, isServed };
  }
  const dialed = [];
  for (let index = 0; index < 6; index++) dialed.push(await dial());
  expect(dialed.map(({ isServed }) => isServed)).toEqual([true, true, true, true, false, false]);
  dialed[1]?.socket.destroy();
  await expect.poll(async () => (await dial()).isServed).toBe(true);
});

test("a caller of /verify who hangs up has opened no exchange", async () => {
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  // One connection at a time: the next one is accepted when the end of the last is known.
  const env = { FARTHING_CONNECTIONS_PER_ADDRESS: "1" };
  const { url } = await serveShared(env, { rpcUrl: proxy.url });
  const body = bodyOn(devnet);
  const silence = Promise.withResolvers<void>();
  proxy.gate = silence.promise;
  proxy.reset();
  const { path, headers, body: text } = post("/verify", body);
  const call = request(`${url}${path}`, { method: "POST", headers, agent: false });
  call.on("error", () => undefined).end(text);
  await expect.poll(() => proxy.countOf("eth_call")).toBeGreaterThan(0);
  call.destroy();
  const next = (wanted: PlainRequest) =>
    expect.poll(() => ask(url, wanted).catch((error: Error) => error.message));
  await next({ method: "GET", path: "/health" }).toMatchObject({ status: 200 });
  silence.resolve();
  await next(post("/verify", body)).toMatchObject({ status: 200 });
  await next(post("/settle", body)).toMatchObject({ status: 200 });
  // A payment with one exchange repeats its first result; with two, only the facts.
  const whole = { status: 200, text: expect.stringMatching(/"success":true/) };
  await next(post("/settle", body)).toMatchObject(whole);
});
