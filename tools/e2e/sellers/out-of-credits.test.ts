/**
 * A seller who has run out of credits, or whose plan is inactive: the buyer is told to come back,
 * never that his payment failed, and the payment that he has signed is taken once all is well.
 */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { openStore, systemClock, type ServiceStore } from "@farthing/facilitator";
import { createSeller, type SellerOptions } from "@farthing/seller";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchPaid } from "../support/buyers.testing.ts";
import { startMarket, type Face, type Market } from "../support/market.testing.ts";
import { openExpressShop, openHonoShop } from "../support/shops.testing.ts";

let market: Market;
let store: ServiceStore;
beforeAll(async () => {
  market = await startMarket({ env: { FARTHING_CREDITS_PER_SETTLEMENT: "1" } });
  store = await openStore(market.databaseUrl);
});
afterAll(async () => {
  await store?.close();
  await market?.stop();
});

/** What puts the seller's account in order again. */
const remedies = {
  "no credits": {
    before: async () => {},
    after: async () => {
      const grant = { kind: "grant", credits: 1, actor: "test", note: null } as const;
      const account = market.devnet.seller.address;
      await store.grantCredits({ account, ...grant }, systemClock.nowMs());
    },
  },
  "an inactive plan": {
    before: async () => {
      await remedies["no credits"].after();
      await store.setPlan(market.devnet.seller.address, "inactive");
    },
    after: async () => {
      await store.setPlan(market.devnet.seller.address, "active");
    },
  },
};

test.for([
  ["no credits", "Express", openExpressShop],
  ["no credits", "Hono", openHonoShop],
  ["an inactive plan", "Express", openExpressShop],
] as const)("%s, %s: later, with the same payment", async ([problem, , openShop]) => {
  await remedies[problem].before();
  const events: unknown[] = [];
  const shop = await openShop(market, "public", { onEvent: (event) => events.push(event) });
  const { address, privateKey } = market.newBuyer();
  const answers: Response[] = [];
  const send = fetchPaid(async (request, nth) => {
    const answer = await fetch(request);
    answers.push(answer.clone());
    if (nth > 1) return answer;
    expect(await market.transfers(address)).toEqual([]);
    await remedies[problem].after();
    // The seller asks for a minute, which is longer than a test should take.
    const headers = new Headers(answer.headers);
    headers.set("Retry-After", "1");
    return new Response(answer.body, { status: answer.status, headers });
  });
  const response = await wrapFetch(send, { signer: privateKeySigner(privateKey) })(shop.url);
  const [refused] = answers;
  const text = await refused?.text();
  expect(refused?.status).toBe(503);
  expect(refused?.headers.get("Retry-After")).toMatch(/^\d+$/);
  expect(text).toContain("seller_account_problem");
  expect(text).not.toMatch(/fail|credit|plan|invalid/i);
  // The seller hears what it is.
  const code =
    problem === "no credits" ? "insufficient_facilitator_credits" : "seller_plan_inactive";
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "account_problem",
      problem: expect.objectContaining({ code }),
    }),
  );

  // The same payment again, by itself: our buyers keep to what they have signed.
  await market.expectPaidOnce(response, address);
  expect(shop.made()).toBe(1);
  await shop.close();
});

test("check() tells the seller at the start, on each surface of the service", async () => {
  const { network, devnet } = market;
  const check = async (face: Face, own: Partial<SellerOptions<Request>> = {}, key?: string) => {
    const facilitator = {
      ...market.facilitator(face),
      ...(key === undefined ? {} : { apiKey: key }),
    };
    const terms = { facilitator, payTo: devnet.seller.address, network: network.id, ...own };
    return (await createSeller(terms).check()).map(({ code }) => code);
  };
  const { url } = market.facilitator("public");
  expect(await check("public")).toEqual([]);
  expect(await check("hosted")).toEqual([]);
  expect(await check("public", { facilitator: { url } })).toEqual(["key_missing"]);
  expect(await check("public", {}, `${market.apiKey}x`)).toEqual(["key_refused"]);
  expect(await check("hosted", {}, market.apiKey)).toEqual([]);
  expect(await check("public", { payTo: market.newBuyer().address })).toEqual([
    "key_of_other_account",
  ]);
  expect(await check("public", { network: "eip155:50" })).toContain("network_not_supported");
  expect(await check("public", { facilitator: { url: `${url}/x402` } })).toEqual([
    "facilitator_invalid",
  ]);
});
