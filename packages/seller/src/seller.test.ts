/** The core on web-standard requests, behind the smallest server there is. */
import { expect, onTestFinished, test, vi } from "vitest";
import { payFor } from "./buyer.testing.ts";
import { sellerSuite } from "./seller.suite.ts";
import { ConfigurationError, createSeller } from "./index.ts";
import { listenFetch } from "./adapters/listen.testing.ts";
import { startScriptedFacilitator } from "./scripted-facilitator.testing.ts";
import { createVirtualTime } from "./virtual-time.testing.ts";

sellerSuite("core", (options, route, app) => {
  const paid = createSeller(options).route(route);
  return listenFetch((request) =>
    paid
      .charge(request, async (payment) => {
        const {
          body = "",
          status = 200,
          headers = {},
        } = await app({
          body: await request.text(),
          payment,
        });
        return new Response(body, { status, headers });
      })
      .then(({ response }) => response),
  );
});

const facilitator = { url: "https://facilitator.example" };
const payTo = "xdc209693Bc6afc0C5328bA36FaF03C514EF312287C";

test("charge uses the price of the seller's options", async () => {
  const seller = createSeller({ facilitator, payTo, price: 5n, network: ["xdc", "eip155:51"] });
  const response = await seller
    .charge(new Request("http://shop.example/a"), () => new Response())
    .then(({ response }) => response);
  expect(await response.json()).toMatchObject({
    accepts: [
      { network: "xdc", payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" },
      { network: "xdc-apothem" },
      { network: "eip155:50", amount: "5" },
      { network: "eip155:51", amount: "5" },
    ],
  });
});

test("charge without any price says so", async () => {
  const seller = createSeller({ facilitator, payTo });
  const answer = seller
    .charge(new Request("http://shop.example/a"), () => new Response())
    .then(({ response }) => response);
  await expect(answer).rejects.toThrow(ConfigurationError);
});

test("who listens to nothing is warned on the console of a facilitator that errs", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const scripted = await startScriptedFacilitator();
  const seller = createSeller({ facilitator: { url: scripted.url }, payTo, price: "0.01" });
  const shop = await listenFetch((request) =>
    seller.charge(request, () => new Response("it")).then(({ response }) => response),
  );
  onTestFinished(async () => {
    warn.mockRestore();
    await shop.close();
    await scripted.close();
  });
  scripted.script.settle.push({ status: 503, json: { error: "service_unavailable" } });
  expect((await fetch(shop.url, { headers: await payFor(shop.url) })).status).toBe(503);
  const says = expect.stringMatching(/does not answer as it should; buyers are asked to repeat/);
  expect(warn.mock.calls).toEqual([["@farthing/seller:", says, expect.anything()]]);
  // A sale as it should be is no line.
  expect((await fetch(shop.url, { headers: await payFor(shop.url) })).status).toBe(200);
  expect(warn).toHaveBeenCalledTimes(1);
  // A price below what the facilitator settles is the seller's to change.
  const isValid = false;
  scripted.script.verify.push({ json: { isValid, invalidReason: "amount_below_minimum" } });
  expect((await fetch(shop.url, { headers: await payFor(shop.url) })).status).toBe(402);
  expect(warn.mock.lastCall).toEqual([
    "@farthing/seller:",
    expect.stringMatching(/price of .* is below the minimum .* buyers cannot pay it/),
  ]);
});

test("a problem that stays the same is a line a minute, and every other line is printed", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const scripted = await startScriptedFacilitator();
  const time = createVirtualTime();
  const options = { facilitator: { url: scripted.url }, payTo, price: "0.01" };
  const seller = createSeller(options, time.clock);
  let isBroken = false;
  const shop = await listenFetch((request) =>
    seller
      .charge(request, () => {
        if (isBroken) throw new Error("broken work");
        return new Response("it");
      })
      .then(({ response }) => response),
  );
  onTestFinished(async () => {
    warn.mockRestore();
    await shop.close();
    await scripted.close();
  });
  const buy = async (): Promise<number> =>
    (await fetch(shop.url, { headers: await payFor(shop.url) })).status;
  const fail = (status: number, error: string): void =>
    void scripted.script.settle.push({ status, json: { error } });
  const lines = () => warn.mock.calls.map(([, line]) => String(line));
  for (let request = 0; request < 4; request++) {
    fail(503, "service_unavailable");
    expect(await buy()).toBe(503);
  }
  expect(lines()).toEqual([
    "The facilitator does not answer as it should; buyers are asked to repeat.",
  ]);
  // Another problem is not hidden by the first, nor is a buyer who paid and got nothing.
  fail(403, "insufficient_facilitator_credits");
  expect(await buy()).toBe(503);
  isBroken = true;
  expect([await buy(), await buy()]).toEqual([500, 500]);
  expect(lines().slice(1)).toEqual([
    expect.stringMatching(/^Payments stand still/),
    expect.stringMatching(/^A paid request was not answered/),
    expect.stringMatching(/^A paid request was not answered/),
  ]);
  time.skip(60_000);
  fail(503, "service_unavailable");
  expect(await buy()).toBe(503);
  expect(lines().at(-1)).toBe(
    "The facilitator does not answer as it should; buyers are asked to repeat. (3 more since the last warning)",
  );
  expect(lines()).toHaveLength(5);
});

test("what a listener rejects with costs nobody anything", async () => {
  let heard = 0;
  const onEvent = async (): Promise<void> => {
    heard++;
    throw new Error("no log");
  };
  const unhandled = vi.fn<(reason: unknown) => void>();
  process.on("unhandledRejection", unhandled);
  onTestFinished(() => void process.off("unhandledRejection", unhandled));
  // oxlint-disable-next-line typescript/no-misused-promises -- what sellers do nevertheless
  const seller = createSeller({ facilitator, payTo, price: "1", onEvent });
  const request = new Request("http://shop.example/a");
  expect(
    (await seller.charge(request, () => new Response()).then(({ response }) => response)).status,
  ).toBe(402);
  await new Promise((resolve) => setImmediate(resolve));
  expect([heard, unhandled.mock.calls]).toEqual([1, []]);
});

test("the trace of a request goes to the facilitator, unless the program has a tracer of its own", async () => {
  const scripted = await startScriptedFacilitator();
  const seller = createSeller({ facilitator: { url: scripted.url }, payTo, price: "0.01" });
  const shop = await listenFetch((request) =>
    seller.charge(request, () => new Response("it")).then(({ response }) => response),
  );
  const registeredKey = Symbol.for("opentelemetry.js.api.1");
  onTestFinished(async () => {
    Reflect.deleteProperty(globalThis, registeredKey);
    await shop.close();
    await scripted.close();
  });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const buy = async (trace: Record<string, string>) => {
    scripted.calls.length = 0;
    const response = await fetch(shop.url, {
      headers: { ...(await payFor(shop.url)), ...trace },
    });
    expect(response.status).toBe(200);
    return scripted.calls.map((call) => call.trace);
  };
  const passed = [traceparent, "buyer=1"];
  expect(await buy({ traceparent, tracestate: "buyer=1" })).toEqual([passed, passed]);
  expect(await buy({ traceparent: "00-zz-1-01", tracestate: "buyer=1" })).toEqual([
    undefined,
    undefined,
  ]);
  // Its instrumentation of fetch adds the headers, and twice they are void.
  Reflect.set(globalThis, registeredKey, { trace: {} });
  expect(await buy({ traceparent })).toEqual([undefined, undefined]);
});

test("v2-only leaves version 1 out", async () => {
  const seller = createSeller({ facilitator, payTo, price: "1", mode: "v2-only" });
  const response = await seller
    .charge(new Request("http://shop.example/a"), () => new Response())
    .then(({ response }) => response);
  expect(await response.json()).toMatchObject({ x402Version: 2, accepts: [{ amount: "1000000" }] });
});
