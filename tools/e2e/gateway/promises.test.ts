/** What a gateway promises to whoever paid: streams, repeats, lost connections, changed prices. */
import { readReceipt } from "@farthing/protocol";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openGateway, report, usualRoutes, type GatewayShop } from "../support/gateway.testing.ts";
import { price, startMarket, type Market } from "../support/market.testing.ts";
import { signFor } from "../support/signed-payment.testing.ts";

const stream = { match: "GET /events/:name", upstream: "api", price, stream: "sse" };

let market: Market;
let shop: GatewayShop;
beforeAll(async () => {
  market = await startMarket();
  shop = await openGateway(market, {
    routes: [...usualRoutes, stream],
    // Streams here end because somebody ends them.
    upstream: { timeouts: { idle: "10m" }, headers: { Authorization: "Bearer of the origin" } },
  });
});
afterAll(async () => {
  await shop?.stop();
  await market?.stop();
});
beforeEach(() => shop.api.reset());

test("events that are paid for arrive one by one, with the receipt before the first", async () => {
  const buyer = market.newBuyer();
  const headers = await signFor(buyer, `${shop.url}/events/a`);
  let events: ServerResponse | undefined;
  shop.api.answer = (_, response) => {
    events = response;
    response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
  };
  const response = await fetch(`${shop.url}/events/a`, { headers });
  await market.expectPaidOnce(response, buyer.address);
  const reader = response.body?.getReader();
  if (!reader || !events) throw new Error("There is no stream.");
  for (const event of ["data: 1\n\n", "data: 2\n\n"]) {
    // The next one is written only after this one was read at the other end.
    events.write(event);
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(event);
  }
  events.end();
  expect((await reader.read()).done).toBe(true);
  // A stream is not kept, and the upstream is not asked again.
  const again = await fetch(`${shop.url}/events/a`, { headers });
  expect([again.status, await again.json()]).toMatchObject([409, { error: "already_delivered" }]);
  expect(shop.api.heard).toHaveLength(1);
});

test("a paid stream ends when its buyer leaves", async () => {
  const headers = await signFor(market.newBuyer(), `${shop.url}/events/a`);
  const { promise: isClosed, resolve } = Promise.withResolvers<void>();
  shop.api.answer = (_, response) => {
    response.once("close", resolve);
    response.writeHead(200, { "Content-Type": "text/event-stream" }).write("data: 1\n\n");
  };
  const leaving = new AbortController();
  const response = await fetch(`${shop.url}/events/a`, { headers, signal: leaving.signal });
  expect(response.status).toBe(200);
  leaving.abort();
  await isClosed;
});

test("a stream that does not start with success is not charged", async () => {
  const buyer = market.newBuyer();
  const headers = await signFor(buyer, `${shop.url}/events/a`);
  shop.api.answer = (_, response) => void response.writeHead(503).end("later");
  const response = await fetch(`${shop.url}/events/a`, { headers });
  expect([response.status, await response.text()]).toEqual([503, "later"]);
  expect(await market.transfers(buyer.address)).toEqual([]);
});

test("whoever leaves before a paid answer finds it when he comes back", async () => {
  const buyer = market.newBuyer();
  const headers = await signFor(buyer, `${shop.url}/paid/7`);
  const leaving = new AbortController();
  const { promise: isAnswered, resolve } = Promise.withResolvers<void>();
  shop.api.answer = (heard, response) => {
    leaving.abort();
    report(shop.api.heard)(heard, response);
    resolve();
  };
  const left = fetch(`${shop.url}/paid/7`, { headers, signal: leaving.signal });
  await expect(left).rejects.toThrow();
  await isAnswered;
  const response = await fetch(`${shop.url}/paid/7`, { headers });
  expect(response.headers.get("X-Payment-Replayed")).toBe("true");
  expect(await response.clone().json()).toEqual({ report: 1 });
  await market.expectPaidOnce(response, buyer.address);
  expect(shop.api.heard).toHaveLength(1);
});

test("the receipt is ours, the origin's cookie and credentials stay inside, parts are not sold", async () => {
  const buyer = market.newBuyer();
  const headers = await signFor(buyer, `${shop.url}/paid/7`);
  shop.api.answer = (_, response) => {
    response.setHeader("PAYMENT-RESPONSE", "e30=").setHeader("X-PAYMENT-RESPONSE", "e30=");
    response.setHeader("Set-Cookie", "session=1").setHeader("Cache-Control", "public").end("{}");
  };
  const response = await fetch(`${shop.url}/paid/7`, {
    headers: { ...headers, Range: "bytes=0-1", "If-None-Match": '"a"', "If-Range": '"a"' },
  });
  const { transaction } = await market.expectPaidOnce(response, buyer.address);
  expect(readReceipt(response.headers)?.transaction).toBe(transaction);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(response.headers.get("Cache-Control")).toBe("private, no-store");
  const [heard] = shop.api.heard;
  expect(heard?.headers).toMatchObject({ authorization: "Bearer of the origin" });
  for (const name of ["range", "if-none-match", "if-range"]) {
    expect(heard?.headers).not.toHaveProperty(name);
  }
});

test("an answer made for one session is not given to another with the same payment", async () => {
  const personal = { ...usualRoutes[1], pass: ["cookie"] };
  const open = await openGateway(market, { routes: [personal] });
  const headers = await signFor(market.newBuyer(), `${open.url}/paid/7`);
  const ask = async (cookie: string) =>
    (await fetch(`${open.url}/paid/7`, { headers: { ...headers, Cookie: cookie } })).status;
  expect([await ask("session=1"), await ask("session=2"), await ask("session=1")]).toEqual([
    200, 409, 200,
  ]);
  expect(open.api.heard).toMatchObject([{ headers: { cookie: "session=1" } }]);
  await open.stop();
});

test("a price that was signed before it changed still buys, and only what was signed", async () => {
  const [early, late] = [market.newBuyer(), market.newBuyer()];
  const signedEarly = await signFor(early, `${shop.url}/paid/7`);
  const signedForOther = await signFor(late, `${shop.url}/paid/7`);
  const dearer = { ...usualRoutes[1], price: "0.05" };
  shop.reloadWith({ routes: [dearer, { ...dearer, match: "GET /dear/:id", price: "0.09" }] });
  const bought = await fetch(`${shop.url}/paid/7`, { headers: signedEarly });
  expect(await bought.clone().json()).toEqual({ report: 1 });
  await market.expectPaidOnce(bought, early.address);
  // The old price of one route is none of another's.
  const refused = await fetch(`${shop.url}/dear/7`, { headers: signedForOther });
  expect([refused.status, await refused.json()]).toMatchObject([402, { error: "amount_mismatch" }]);
  const asked = await fetch(`${shop.url}/paid/7`);
  expect(await asked.json()).toMatchObject({ accepts: [{ maxAmountRequired: "50000" }, {}] });
  expect(await market.transfers(late.address)).toEqual([]);
  shop.reloadWith({});
});

test("what is being paid for when the rules change is delivered under the old ones", async () => {
  const buyer = market.newBuyer();
  const init = { method: "POST", body: "{}" };
  const headers = await signFor(buyer, `${shop.url}/jobs`, { init });
  const { promise: isSettling, resolve } = Promise.withResolvers<void>();
  market.tap.loses = ({ name }) => {
    if (name === "POST /settle") resolve();
    return false;
  };
  const buying = fetch(`${shop.url}/jobs`, { ...init, headers });
  await isSettling;
  shop.reloadWith({ routes: usualRoutes.slice(0, 1) });
  const bought = await buying;
  expect(await bought.clone().json()).toEqual({ report: 1 });
  await market.expectPaidOnce(bought, buyer.address);
  expect((await fetch(`${shop.url}/jobs`, init)).status).toBe(404);
  shop.reloadWith({});
  market.tap.loses = () => false;
});

test.each([
  ["larger than is kept", { maxEntryBytes: "1KiB" }, "x".repeat(2_000)],
  ["kept for too short a time", { ttl: "1ms" }, "short"],
])("an answer that is %s is not made again for the same payment", async (_, replay, body) => {
  const small = await openGateway(market, { more: { replay } });
  small.api.answer = (_heard, response) => void response.end(body);
  const buyer = market.newBuyer();
  const headers = await signFor(buyer, `${small.url}/paid/7`);
  const bought = await fetch(`${small.url}/paid/7`, { headers });
  expect(await bought.clone().text()).toBe(body);
  await market.expectPaidOnce(bought, buyer.address);
  const again = await fetch(`${small.url}/paid/7`, { headers });
  expect([again.status, await again.json()]).toMatchObject([409, { error: "already_delivered" }]);
  expect(readReceipt(again.headers)).toMatchObject({ success: true });
  expect(small.api.heard).toHaveLength(1);
  await small.stop();
});

test("a gateway that runs dry goes as far as the upstream, and moves no money", async () => {
  const dry = await openGateway(market, { isDryRun: true });
  const buyer = market.newBuyer();
  const headers = await signFor(buyer, `${dry.url}/paid/7`);
  const response = await fetch(`${dry.url}/paid/7`, { headers });
  expect([response.status, await response.json()]).toMatchObject([402, { error: "dry_run" }]);
  expect(dry.api.heard).toHaveLength(1);
  expect(await market.transfers(buyer.address)).toEqual([]);
  await dry.stop();
});
