/**
 * Servers on node:http and web-standard ones notice a buyer who hangs up: the use of their pass is
 * spent, and a stream that is sold by use costs what it does for a buyer who leaves.
 */
import { once } from "node:events";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import type { SellerEvent, SellerOptions } from "../index.ts";
import { payTo } from "../scene.testing.ts";
import { startScriptedFacilitator } from "../scripted-facilitator.testing.ts";
import { farthing as honoFarthing } from "./hono.ts";
import { listen, listenFetch, type Listening } from "./listen.testing.ts";
import { farthing as nodeFarthing } from "./node.ts";

const route = {
  price: "1.00",
  pass: { uses: 3, validFor: "1h" },
  settle: "after-success",
} as const;

/** Opens a shop that calls off slow work when its buyer leaves; `begun` is called before. */
type OpenShop = (options: SellerOptions, begun: () => void) => Promise<Listening>;

const onNode: OpenShop = (options, begun) =>
  listen(
    nodeFarthing({ ...options })(route, async (req, res) => {
      if (req.headers["x-slow"] === undefined) return res.end("content");
      begun();
      await once(res, "close");
      throw new Error("The work was called off with the buyer.");
    }),
  );

const onHono: OpenShop = (options, begun) => {
  const hono = new Hono();
  hono.get("*", honoFarthing({ ...options })(route), async (c) => {
    if (c.req.header("X-Slow") === undefined) return c.text("content");
    begun();
    await once(c.req.raw.signal, "abort");
    throw new Error("The work was called off with the buyer.");
  });
  hono.onError((_error, c) => c.text("Internal Server Error", 500));
  return listenFetch((request) => hono.fetch(request));
};

test.each([
  ["node:http", onNode],
  ["Hono", onHono],
])("%s", async (_name, open) => {
  const facilitator = await startScriptedFacilitator();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<SellerEvent>();
  const onEvent = (event: SellerEvent): void => {
    if (event.type === "undelivered" || event.type === "uncharged") ended.resolve(event);
  };
  const shop = await open({ facilitator: { url: facilitator.url }, payTo, onEvent }, begun.resolve);
  const bought = await fetch(shop.url, { headers: await payFor(shop.url) });
  const shown = { "PAYMENT-PASS": bought.headers.get("PAYMENT-PASS") ?? "" };
  const leaving = new AbortController();
  const headers = { ...shown, "X-Slow": "yes" };
  const lost = fetch(shop.url, { headers, signal: leaving.signal });
  await begun.promise;
  leaving.abort();
  await expect(lost).rejects.toThrow();
  expect((await ended.promise).type).toBe("undelivered");
  const next = await fetch(shop.url, { headers: shown });
  expect([next.status, next.headers.get("X-Pass-Remaining")]).toEqual([200, "0"]);
  await shop.close();
  await facilitator.close();
});

const metered = { balance: { topUp: "5.00", reserve: "0.05" } } as const;
const events = { "Content-Type": "text/event-stream" };
const firstEvent = "data: one\n\n";

/** Opens a shop whose metered stream has no end. */
type OpenStream = (options: SellerOptions) => Promise<Listening>;

const streamOnNode: OpenStream = (options) =>
  listen(
    nodeFarthing({ ...options })(metered, (_req, res, payment) => {
      payment.meter?.add("0.01");
      res.writeHead(200, events).write(firstEvent);
    }),
  );

const streamOnHono: OpenStream = (options) => {
  const hono = new Hono();
  hono.get("*", honoFarthing({ ...options })(metered), (c) => {
    c.get("payment").meter?.add("0.01");
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(firstEvent)),
    });
    return c.body(body, 200, events);
  });
  return listenFetch((request) => hono.fetch(request));
};

test.each([
  ["node:http", streamOnNode],
  ["Hono", streamOnHono],
])(
  "a metered stream of %s ends because its buyer left, and not by a failure",
  async (_name, open) => {
    const facilitator = await startScriptedFacilitator();
    const ended = Promise.withResolvers<string>();
    const cost: SellerOptions["cost"] = (_response, use) => {
      ended.resolve(use.end);
      return use.metered;
    };
    const more = { balance: metered.balance, cost, onEvent: () => undefined };
    const shop = await open({ facilitator: { url: facilitator.url }, payTo, ...more });
    const leaving = new AbortController();
    const headers = await payFor(shop.url);
    const response = await fetch(shop.url, { headers, signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    expect(await ended.promise).toBe("buyer-left");
    await shop.close();
    await facilitator.close();
  },
);

/** One step of a handler that is sold by use: what it counts, and whether it waits and fails with its buyer. */
interface Work {
  readonly counts?: bigint;
  readonly isCalledOff?: boolean;
}

/** Opens a shop whose handler takes one step of `works` for each request. */
type OpenWorks = (options: SellerOptions, works: Work[], begun: () => void) => Promise<Listening>;

const worksOnNode: OpenWorks = (options, works, begun) =>
  listen(
    nodeFarthing({ ...options })(metered, async (_req, res, payment) => {
      const { counts, isCalledOff } = works.shift() ?? {};
      if (counts !== undefined) payment.meter?.add(counts);
      if (!isCalledOff) return res.end("content");
      begun();
      await once(res, "close");
      throw new Error("The work was called off with the buyer.");
    }),
  );

const worksOnHono: OpenWorks = (options, works, begun) => {
  const hono = new Hono();
  hono.get("*", honoFarthing({ ...options })(metered), async (c) => {
    const { counts, isCalledOff } = works.shift() ?? {};
    if (counts !== undefined) c.get("payment").meter?.add(counts);
    if (!isCalledOff) return c.text("content");
    begun();
    await once(c.req.raw.signal, "abort");
    throw new Error("The work was called off with the buyer.");
  });
  hono.onError((_error, c) => c.text("Internal Server Error", 500));
  return listenFetch((request) => hono.fetch(request));
};

describe.each([
  ["node:http", worksOnNode],
  ["Hono", worksOnHono],
])("work by use on %s that fails when its buyer leaves", (_name, open) => {
  test.each<[what: string, cost: number, lost: Work, repeat: Work]>([
    ["with the cost of its repeat", 9_100, { counts: 100n }, { counts: 9_100n }],
    ["with its own cost where the repeat costs less", 9_100, { counts: 9_100n }, { counts: 100n }],
    ["with its reserve where nothing was counted", 50_000, {}, { counts: 9_100n }],
  ])("is charged once, %s", async (_what, cost, lost, repeat) => {
    const facilitator = await startScriptedFacilitator();
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<string>();
    const onEvent = ({ type }: SellerEvent): void => {
      if (type === "undelivered" || type === "uncharged") ended.resolve(type);
    };
    const works = [{ counts: 0n }, { ...lost, isCalledOff: true }, repeat, { counts: 0n }];
    const options = { facilitator: { url: facilitator.url }, payTo, onEvent };
    const shop = await open(options, works, begun.resolve);
    const bought = await fetch(shop.url, { headers: await payFor(shop.url) });
    const token = { "PAYMENT-PASS": bought.headers.get("PAYMENT-PASS") ?? "" };
    const headers = { ...token, "Idempotency-Key": "order 7" };
    const leaving = new AbortController();
    const left = fetch(shop.url, { headers, signal: leaving.signal });
    await begun.promise;
    leaving.abort();
    await expect(left).rejects.toThrow();
    expect(await ended.promise).toBe("undelivered");
    const again = await fetch(shop.url, { headers });
    expect([again.status, await again.text()]).toEqual([200, "content"]);
    const last = await fetch(shop.url, { headers: token });
    expect(last.headers.get("X-Balance-Remaining")).toBe(`${5_000_000 - cost}`);
    await shop.close();
    await facilitator.close();
  });
});
