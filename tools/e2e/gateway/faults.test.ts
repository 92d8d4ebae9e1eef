/** Upstreams that fail: who pays what, and what the same payment is worth afterwards. */
import { readReceipt } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  openGateway,
  report,
  usualRoutes,
  type Api,
  type GatewayShop,
} from "../support/gateway.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import { signFor } from "../support/signed-payment.testing.ts";

/** Short enough for a test, long enough for loopback. */
const timeouts = { connect: "300ms", headers: "400ms", idle: "400ms", total: "700ms" };

/** What goes wrong, and what the buyer hears. */
const faults: readonly [name: string, answer: Api["answer"], status: number, error: string][] = [
  ["hangs", () => {}, 504, "upstream_timed_out"],
  ["answers 500", (_, response) => void response.writeHead(500).end("no"), 500, ""],
  ["answers 404", (_, response) => void response.writeHead(404).end("no"), 404, ""],
  ["closes the connection", (_, response) => void response.destroy(), 502, "upstream_broken"],
  [
    "breaks in the middle of its body",
    (_, response) => {
      response.writeHead(200, { "Content-Length": "1000" });
      response.write("half", () => response.destroy());
    },
    502,
    "upstream_broken",
  ],
  [
    "stops in the middle of its body",
    (_, response) => void response.writeHead(200, { "Content-Length": "1000" }).write("half"),
    504,
    "upstream_timed_out",
  ],
  [
    "answers more than it may",
    (_, response) => void response.end("x".repeat(100_000)),
    502,
    "upstream_answer_too_large",
  ],
];

let market: Market;
let shop: GatewayShop;
beforeAll(async () => {
  market = await startMarket();
  shop = await openGateway(market, {
    upstream: { timeouts, maxResponseBytes: "64KiB" },
    more: { listen: { http: "127.0.0.1:0", metrics: "127.0.0.1:0" } },
  });
});
afterAll(async () => {
  await shop?.stop();
  await market?.stop();
});
beforeEach(() => shop.api.reset());

describe("a route that settles after success", () => {
  test.each(faults)(
    "charges nothing when the upstream %s",
    async (_name, answer, status, error) => {
      const buyer = market.newBuyer();
      const headers = await signFor(buyer, `${shop.url}/paid/7`);
      shop.api.answer = answer;
      const failed = await fetch(`${shop.url}/paid/7`, { headers });
      const text = await failed.text();
      expect([failed.status, text.includes(error)]).toEqual([status, true]);
      expect(readReceipt(failed.headers)).toBeUndefined();
      expect(await market.transfers(buyer.address)).toEqual([]);
      expect(shop.api.heard).toHaveLength(1);
      // Nothing was sent to be settled, so the same payment still buys.
      shop.api.answer = report(shop.api.heard);
      const bought = await fetch(`${shop.url}/paid/7`, { headers });
      expect(await bought.clone().json()).toEqual({ report: 2 });
      await market.expectPaidOnce(bought, buyer.address);
    },
  );

  test("sells a redirect once or withholds it, does not follow it, names no internal address", async () => {
    const buyer = market.newBuyer();
    const headers = await signFor(buyer, `${shop.url}/paid/7`);
    const get = (method = "GET") =>
      fetch(`${shop.url}/paid/7`, { method, headers, redirect: "manual" });
    shop.api.answer = (_, response) =>
      void response.writeHead(302, { Location: `${shop.api.url}/free/other?a=1` }).end();
    expect([(await get("HEAD")).status, shop.api.heard]).toEqual([402, []]);
    const [free, paid] = usualRoutes;
    shop.reloadWith({ routes: [{ ...free }, { ...paid, redirects: "withhold" }] });
    const withheld = await get();
    shop.reloadWith({});
    const text = (await withheld.text()) + JSON.stringify([...withheld.headers]);
    expect([withheld.status, text.includes("other")]).toEqual([502, false]);
    expect(withheld.headers.get("X-Payment-Charged")).toBe("no");
    expect(await market.transfers(buyer.address)).toEqual([]);
    const moved = await get();
    expect([moved.status, moved.headers.get("Location")]).toEqual([
      302,
      "http://localhost:1/free/other?a=1",
    ]);
    const transfers = await market.transfers(buyer.address);
    expect(transfers.map(({ transaction }) => transaction)).toEqual([
      readReceipt(moved.headers)?.transaction,
    ]);
    expect(shop.api.heard).toHaveLength(2);
  });

  test("does not begin what could end after the payment does", async () => {
    const buyer = market.newBuyer();
    const validBefore = BigInt(Math.floor(Date.now() / 1000) + 8);
    const headers = await signFor(buyer, `${shop.url}/paid/7`, { validBefore });
    const refused = await fetch(`${shop.url}/paid/7`, { headers });
    expect([refused.status, await refused.json()]).toMatchObject([
      402,
      { error: "authorization_expired" },
    ]);
    expect(shop.api.heard).toEqual([]);
    expect(await market.transfers(buyer.address)).toEqual([]);
  });

  test("asks the upstream once for ten requests at once with one payment", async () => {
    const buyer = market.newBuyer();
    const headers = await signFor(buyer, `${shop.url}/paid/7`);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => fetch(`${shop.url}/paid/7`, { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const replayed = answers.filter(({ headers: of }) => of.has("X-Payment-Replayed"));
    expect(replayed).toHaveLength(9);
    const bodies = await Promise.all(answers.map((answer) => answer.clone().json()));
    expect(bodies).toEqual(answers.map(() => ({ report: 1 })));
    expect(shop.api.heard).toHaveLength(1);
    const [first] = answers;
    if (first) await market.expectPaidOnce(first, buyer.address);
  });

  test("does not open another request with the same payment", async () => {
    const buyer = market.newBuyer();
    const headers = await signFor(buyer, `${shop.url}/paid/7`);
    await fetch(`${shop.url}/paid/7`, { headers });
    for (const path of ["/paid/8", "/paid/7?x=1", "/jobs"]) {
      const method = path === "/jobs" ? "POST" : "GET";
      const other = await fetch(`${shop.url}${path}`, { method, headers });
      expect([path, [402, 409].includes(other.status)]).toEqual([path, true]);
    }
    expect(shop.api.heard).toHaveLength(1);
  });
});

describe("a route that settles before the upstream", () => {
  test.each(faults.filter(([, , status]) => status >= 500))(
    "says that it is paid and not delivered when the upstream %s, and delivers later for nothing",
    async (_name, answer, status) => {
      const buyer = market.newBuyer();
      const init = { method: "POST", body: "{}" };
      const headers = await signFor(buyer, `${shop.url}/jobs`, { init });
      shop.api.answer = answer;
      const failed = await fetch(`${shop.url}/jobs`, { ...init, headers });
      expect([failed.status, await failed.json()]).toMatchObject([
        status,
        { error: "paid_undelivered" },
      ]);
      expect(readReceipt(failed.headers)).toMatchObject({ success: true });
      expect(await market.transfers(buyer.address)).toHaveLength(1);
      shop.api.answer = report(shop.api.heard);
      const served = await fetch(`${shop.url}/jobs`, { ...init, headers });
      expect(await served.clone().json()).toEqual({ report: 2 });
      await market.expectPaidOnce(served, buyer.address);
    },
  );
});

/** The number behind a metric's name and labels; 0 before it is counted. */
function countOf(text: string, what: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`x402_gateway_${what} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

test("what was not charged, not delivered and delivered again is counted", async () => {
  const read = async (): Promise<string> => (await fetch(`${shop.metricsUrl}/metrics`)).text();
  const [paid, jobs] = ['route="GET /paid/:report"', 'route="POST /jobs"'];
  const counters = [
    `uncharged_total{${paid},reason="status_5xx"}`,
    `undelivered_total{${jobs}}`,
    `requests_total{${paid},outcome="upstream_failed"}`,
    `requests_total{${paid},outcome="paid"}`,
    `requests_total{${paid},outcome="replayed"}`,
    `requests_total{${paid},outcome="rejected"}`,
    `settle_duration_seconds_count{facilitator="${market.facilitator("public").url}"}`,
  ];
  const before = await read();
  shop.api.answer = (_, response) => void response.writeHead(500).end();
  const [buyer, other] = [market.newBuyer(), market.newBuyer()];
  const headers = await signFor(buyer, `${shop.url}/paid/7`);
  await fetch(`${shop.url}/paid/7`, { headers });
  const init = { method: "POST", body: "{}" };
  const forJobs = await signFor(other, `${shop.url}/jobs`, { init });
  await fetch(`${shop.url}/jobs`, { ...init, headers: forJobs });
  shop.api.answer = report(shop.api.heard);
  for (const path of ["/paid/7", "/paid/7", "/paid/8"]) await fetch(shop.url + path, { headers });
  const after = await read();
  const differences = counters.map((name) => countOf(after, name) - countOf(before, name));
  expect(differences.slice(0, 6)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(differences[6]).toBeGreaterThanOrEqual(2);
  expect(countOf(after, "replay_store_bytes")).toBeGreaterThan(0);
});

test("an upstream that refuses connections costs nothing", async () => {
  const closed = await openGateway(market, { upstream: { timeouts, url: "http://127.0.0.1:9" } });
  const buyer = market.newBuyer();
  const headers = await signFor(buyer, `${closed.url}/paid/7`);
  const failed = await fetch(`${closed.url}/paid/7`, { headers });
  expect([failed.status, await failed.json()]).toMatchObject([
    502,
    { error: "upstream_unreachable" },
  ]);
  expect(await market.transfers(buyer.address)).toEqual([]);
  await closed.stop();
});
