/** One payment opens one response, whoever repeats it, when and where; and is never called failed. */
import { DatabaseSync } from "node:sqlite";
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import type { DevnetWallet } from "@farthing/devnet";
import { headerNames, type Address } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fetchPaid } from "../support/buyers.testing.ts";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import { startMarket, type Market } from "../support/market.testing.ts";
import { openExpressShop, openHonoShop } from "../support/shops.testing.ts";

let market: Market;
beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.stop());
afterEach(() => {
  market.tap.loses = () => false;
});

function buyAs({ privateKey }: DevnetWallet, send: typeof fetch) {
  return wrapFetch(send, { signer: privateKeySigner(privateKey) });
}

/** Sends a paid request to several addresses at once and returns the answer of the first. */
function sendToAll(urls: readonly string[], answers: Response[]) {
  return fetchPaid(async (request) => {
    const sent = urls.map((url) => fetch(new Request(url, request.clone())));
    answers.push(...(await Promise.all(sent)));
    const [first] = answers;
    if (!first) throw new Error("Nothing was sent.");
    return first.clone();
  });
}

describe.each([
  ["Express", openExpressShop],
  ["Hono", openHonoShop],
] as const)("our %s seller", (_name, openShop) => {
  test.each(["public", "hosted"] as const)(
    "makes one report for five requests at once with the same payment (%s)",
    async (face) => {
      const shop = await openShop(market, face);
      const buyer = market.newBuyer();
      const answers: Response[] = [];
      const urls = Array.from({ length: 5 }, () => shop.url);
      const response = await buyAs(buyer, sendToAll(urls, answers))(shop.url);
      await market.expectPaidOnce(response, buyer.address);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      for (const answer of answers) expect(await answer.json()).toEqual({ report: 1 });
      expect(shop.made()).toBe(1);
      await shop.close();
    },
  );

  test("hands the same report out again when its answer was lost", async () => {
    const shop = await openShop(market, "public");
    const buyer = market.newBuyer();
    const send = fetchPaid(async (request, nth) => {
      const answer = await fetch(request);
      if (nth > 1) return answer;
      await answer.body?.cancel();
      throw new TypeError("fetch failed");
    });
    const response = await buyAs(buyer, send)(shop.url);
    expect(await response.clone().json()).toEqual({ report: 1 });
    expect(response.headers.get("X-Payment-Replayed")).toBe("true");
    await market.expectPaidOnce(response, buyer.address);
    expect(shop.made()).toBe(1);
    await shop.close();
  });

  test("opens nothing else for a payment that has opened a report", async () => {
    const shop = await openShop(market, "public");
    const buyer = market.newBuyer();
    const other = shop.url.replace(/report$/, "other");
    const answers: Response[] = [];
    const send = fetchPaid(async (request) => {
      const answer = await fetch(request.clone());
      // The same address with another body, and another address.
      answers.push(await fetch(new Request(request.clone(), { method: "POST", body: "more" })));
      answers.push(await fetch(new Request(other, request)));
      return answer;
    });
    await market.expectPaidOnce(await buyAs(buyer, send)(shop.url), buyer.address);
    for (const answer of answers) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await answer.text()).not.toContain('"report":');
    }
    expect(shop.made()).toBe(1);
    await shop.close();
  });
});

test.each(["public", "hosted"] as const)(
  "two seller processes that share no memory open one report for one payment (%s)",
  async (face) => {
    const shops = [await openExpressShop(market, face), await openHonoShop(market, face)];
    const [first, second] = shops.map(({ url }) => url);
    if (first === undefined || second === undefined) throw new Error("A shop is missing.");
    const buyer = market.newBuyer();
    const answers: Response[] = [];
    let header = new Headers();
    const both = sendToAll([first, second], answers);
    const send: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (request.headers.has(headerNames.paymentSignature)) header = request.headers;
      return both(request);
    };
    await buyAs(buyer, send)(first);
    // And once more when all is over.
    answers.push(await fetch(first, { headers: header }), await fetch(second, { headers: header }));
    expect(await market.transfers(buyer.address)).toHaveLength(1);
    expect(shops.reduce((made, shop) => made + shop.made(), 0)).toBe(1);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    for (const shop of shops) await shop.close();
  },
);

test("an answer of /settle that is lost costs the buyer nothing", async () => {
  const shop = await openExpressShop(market, "public");
  const buyer = market.newBuyer();
  const { tap } = market;
  let lost = 0;
  tap.loses = ({ name }) => name === "POST /settle" && ++lost === 1;
  const response = await buyAs(buyer, fetch)(shop.url);
  expect(await response.clone().json()).toEqual({ report: 1 });
  await market.expectPaidOnce(response, buyer.address);
  expect([lost, shop.made()]).toEqual([2, 1]);
  await shop.close();
});

/** Sends a payment once and gives the answer with a way to send the very same again. */
async function payOnce(url: string, buyer: DevnetWallet) {
  const stopping = new AbortController();
  const seen = Promise.withResolvers<{ answer: Response; again: () => Promise<Response> }>();
  const send = fetchPaid(async (request) => {
    const { url, headers } = request;
    const answer = await fetch(request);
    const { status } = answer;
    const copy = new Response(await answer.text(), { status, headers: answer.headers });
    seen.resolve({ answer: copy.clone(), again: () => fetch(url, { headers }) });
    stopping.abort();
    return copy;
  });
  const paying = buyAs(buyer, send)(url, { signal: stopping.signal });
  await expect(paying).rejects.toMatchObject({ code: "interrupted" });
  return seen.promise;
}

/** Neither a challenge, which asks for another payment, nor a receipt of failure. */
async function expectNotFailed(answer: Response): Promise<void> {
  expect(answer.status).toBe(503);
  expect(answer.headers.get(headerNames.paymentRequired)).toBeNull();
  expect(answer.headers.get(headerNames.paymentResponse)).toBeNull();
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({ error: "seller_account_problem", retryable: true });
  expect(text).not.toMatch(/fail|plan|credit|key/i);
}

/** What the operator does to an account; written here because there is no command for it yet. */
function setPlan(plan: "active" | "inactive"): void {
  const database = new DatabaseSync(market.databaseUrl.replace(/^sqlite:/, ""));
  database.prepare("update accounts set plan = ?").run(plan);
  database.close();
}

describe("a seller with a problem of his own", () => {
  test("a key of another payee: nothing is taken, and the buyer is not told of a failure", async () => {
    const other: Address = market.devnet.treasury.address;
    const apiKey = await keyIn(market.databaseUrl, other);
    const facilitator = { url: market.tap.url, apiKey };
    const shop = await openExpressShop(market, "public", { facilitator });
    const buyer = market.newBuyer();
    const { answer } = await payOnce(shop.url, buyer);
    await expectNotFailed(answer);
    expect([shop.made(), await market.transfers(buyer.address)]).toEqual([0, []]);
    await shop.close();
  });

  test("a plan that is inactive: the same payment opens the report once it is active", async () => {
    const shop = await openExpressShop(market, "public");
    const buyer = market.newBuyer();
    setPlan("inactive");
    const { answer, again } = await payOnce(shop.url, buyer);
    await expectNotFailed(answer);
    expect([shop.made(), await market.transfers(buyer.address)]).toEqual([0, []]);
    setPlan("active");
    await market.expectPaidOnce(await again(), buyer.address);
    expect(shop.made()).toBe(1);
    await shop.close();
  });
});
