/** Passes of the gateway: a route's, or those of several routes, and what reaches the upstream. */
import { headerNames } from "@farthing/protocol";
import { payFor } from "@farthing/seller/testing/buyer";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gatewayConfig, rule } from "./configuration/gateway-file.testing.ts";
import { configOf, takesEveryPayment } from "./gateway.testing.ts";
import { startGateway, type Gateway } from "./gateway.ts";

const passes = { uses: 3, validFor: "30d" };
let asked: Record<string, unknown>[];
let status: number;
/** While set, the upstream does not respond; called when its caller has left. */
let onLeft: (() => void) | undefined;
let upstream: Listening;
let gateway: Gateway;
beforeEach(async () => {
  asked = [];
  status = 200;
  onLeft = undefined;
  upstream = await listen((request, response) => {
    asked.push(request.headers);
    if (onLeft) request.once("close", onLeft);
    else {
      response.writeHead(status, { "PAYMENT-PASS": "forged", "X-Pass-Remaining": "99" });
      response.end("content");
    }
  });
  const shared = { passes: { ...passes, scope: "all" }, settle: "before-upstream" };
  const routes = [
    rule("GET /items/:id 1", { passes }),
    rule("GET /a 1", shared),
    rule("GET /b 1", shared),
    rule("GET /final 1", { passes: { ...passes, finalAbove: "0.99" } }),
    rule("POST /text 1", { passes }),
    rule("GET /cheap 1", { passes: { ...passes, finalAbove: "1" } }),
  ];
  const config = configOf(upstream.url, {
    publicUrl: "http://shop.example",
    store: "memory",
    routes,
  });
  gateway = await startGateway({ config, facilitator: takesEveryPayment });
});
afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

async function buy(path: string) {
  const url = `${gateway.url}${path}`;
  const response = await fetch(url, { headers: await payFor(url) });
  return { response, headers: { "PAYMENT-PASS": response.headers.get("PAYMENT-PASS") ?? "" } };
}

const left = ({ headers }: Response) => headers.get("X-Pass-Remaining");

test("one payment opens the requests of a route, whatever its parameters", async () => {
  const { response, headers } = await buy("/items/1");
  expect([response.status, left(response)]).toEqual([200, "2"]);
  expect(left(await fetch(`${gateway.url}/items/2`, { headers }))).toBe("1");
  status = 500;
  const failed = await fetch(`${gateway.url}/items/3`, { headers });
  expect([failed.status, left(failed)]).toEqual([500, "1"]);
  expect(failed.headers.get(headerNames.paymentCharged)).toBe("no");
  status = 200;
  expect(left(await fetch(`${gateway.url}/items/3`, { headers }))).toBe("0");
  expect((await fetch(`${gateway.url}/items/4`, { headers })).status).toBe(402);
  expect((await fetch(`${gateway.url}/a`, { headers })).status).toBe(402);
  expect(asked.map((one) => one["payment-pass"])).toEqual(asked.map(() => undefined));
  // The upstream learns with each use who has paid what.
  const [first, ...uses] = asked.map((one) => [one["x-payment-payer"], one["x-payment-amount"]]);
  expect(first).toEqual([expect.stringMatching(/^0x/), "1000000"]);
  expect(uses).toEqual(uses.map(() => first));
});

test.each([
  ["a request that shows a pass alone", {}],
  ["a request that names itself", { "Idempotency-Key": "report-2" }],
])("the holder of a pass who leaves before the work fails has used it: %s", async (_, more) => {
  const { headers } = await buy("/items/1");
  const hasLeft = Promise.withResolvers<void>();
  onLeft = hasLeft.resolve;
  const leaving = new AbortController();
  const { signal } = leaving;
  const waiting = fetch(`${gateway.url}/items/2`, { headers: { ...headers, ...more }, signal });
  await expect.poll(() => asked.length).toBe(2);
  leaving.abort();
  await expect(waiting).rejects.toThrow("aborted");
  await hasLeft.promise;
  onLeft = undefined;
  expect(left(await fetch(`${gateway.url}/items/3`, { headers }))).toBe("0");
});

test("a pass opens no other route", async () => {
  const { headers } = await buy("/cheap");
  expect((await fetch(`${gateway.url}/items/1`, { headers })).status).toBe(402);
  expect(left(await fetch(`${gateway.url}/cheap`, { headers }))).toBe("1");
});

test("routes of one scope share a pass", async () => {
  const { headers } = await buy("/a");
  expect(left(await fetch(`${gateway.url}/b`, { headers }))).toBe("1");
});

test("above the price that has to be final, a pass opens nothing before", async () => {
  const { headers } = await buy("/final");
  // This facilitator returns no settlement id, so the gateway cannot learn when the payment is final.
  const waiting = await fetch(`${gateway.url}/final`, { headers });
  expect([waiting.status, await waiting.json()]).toMatchObject([
    503,
    { error: "settlement_pending" },
  ]);
  const cheap = await buy("/cheap");
  expect((await fetch(`${gateway.url}/cheap`, { headers: cheap.headers })).status).toBe(200);
});

const tooLong = "a".repeat(1024 ** 2 + 1);
const bodies: [string, () => RequestInit][] = [
  ["of a declared length", () => ({ body: tooLong })],
  ["without a declared length", () => ({ body: new Blob([tooLong]).stream(), duplex: "half" })],
];
test.each(bodies)("a body %s that is too long uses no pass", async (_, bodyOf) => {
  const url = `${gateway.url}/text`;
  const bought = await fetch(url, {
    method: "POST",
    headers: await payFor(url, { method: "POST" }),
  });
  const headers = { "PAYMENT-PASS": bought.headers.get("PAYMENT-PASS") ?? "" };
  expect([bought.status, left(bought)]).toEqual([200, "2"]);
  for (const more of [{}, { "X-Other": "1", Authorization: "Basic YTpi" }]) {
    const init: RequestInit = { method: "POST", headers: { ...headers, ...more }, ...bodyOf() };
    const refused = await fetch(url, init);
    expect([refused.status, await refused.json()]).toMatchObject([
      413,
      { error: "request_too_large" },
    ]);
  }
  expect(asked).toHaveLength(1);
  expect(left(await fetch(url, { method: "POST", headers, body: "short" }))).toBe("1");
});

const read = (more: object) => gatewayConfig({ routes: [rule("GET /a 1", { passes: more })] });

test("the file says how many uses, and how long", () => {
  expect(read(passes).routes[0]?.passes).toEqual({ uses: 3, validFor: 30 * 86_400_000 });
  for (const odd of [{ uses: 0, validFor: "1d" }, { uses: 1 }, { uses: 1, validFor: "401d" }]) {
    expect(() => read(odd)).toThrow(/routes\[0\]\.passes\.(uses|validFor) is/);
  }
  const queued = { facilitator: "embedded", serveWhen: "queued" };
  const routes = [rule("GET /a 1", { passes })];
  expect(() => gatewayConfig({ ...queued, routes })).toThrow(/passes needs serveWhen: confirmed/);
  const free = [rule("GET /a free", { passes })];
  expect(() => gatewayConfig({ routes: free })).toThrow(/passes makes no sense on a free route/);
});
