/** Repeats of calls over a channel: what their buyer lost comes again, and nobody else gets it. */
import {
  addressOfKey,
  headerNames,
  readReceipt,
  wireChannelCode,
  type Hex,
} from "@farthing/protocol";
import { expect, test } from "vitest";
import { createMemoryGrants } from "../index.ts";
import { challengeOf, chargedBy, openShop, type Sent } from "./channel-shop.testing.ts";

const deposit: Sent = { type: "deposit", total: 1_000n };
const buyer = { Authorization: "Bearer buyer" };
const second: Sent = { total: 2_000n };

async function openedShop(options: Parameters<typeof openShop>[0] = {}) {
  const shop = openShop(options);
  expect(await (await shop.pay(deposit, buyer)).text()).toBe("report 1");
  return shop;
}

function withToken(token: string): NonNullable<Sent["change"]> {
  const extensions = { "request-binding": { info: { version: 1, token } } };
  return (message) => ({ ...message, extensions });
}

async function expectCorrected(response: Response, total: string): Promise<void> {
  const { error, extra } = challengeOf(response);
  expect(error).toBe(wireChannelCode("cumulative_amount_mismatch"));
  expect(extra).toMatchObject({ channelState: { chargedCumulativeAmount: total } });
  expect(response.headers.get(headerNames.paymentResponse)).toBeNull();
  expect(await response.text()).not.toMatch(/^report/);
}

test("a repeat of the same buyer gets the response that was lost, with its receipt, for no further charge", async () => {
  const shop = await openedShop();
  const lost = await shop.pay(second, buyer);
  const again = await shop.pay(second, buyer);
  expect([again.status, await again.text()]).toEqual([200, await lost.text()]);
  expect(again.headers.get("X-Payment-Replayed")).toBe("true");
  expect(chargedBy(again)).toEqual(["1000", "2000"]);
  expect(shop.events.at(-1)).toMatchObject({ type: "repeated", isKept: true });
  expect(chargedBy(await shop.pay({ total: 3_000n }, buyer))).toEqual(["1000", "3000"]);
  // Also when the buyer has gone on meanwhile.
  expect(chargedBy(await shop.pay(second, buyer))).toEqual(["1000", "2000"]);
});

test("a price that has changed meanwhile changes nothing of what was charged before", async () => {
  let price = 1_000n;
  const shop = await openedShop({ route: { price: () => price } });
  const lost = await shop.pay(second, buyer);
  price = 2_000n;
  const again = await shop.pay(second, buyer);
  expect([again.status, await again.text()]).toEqual([200, await lost.text()]);
  expect(chargedBy(again)).toEqual(["1000", "2000"]);
  expect(chargedBy(await shop.pay({ total: 4_000n }, buyer))).toEqual(["2000", "4000"]);
});

test("the deposit of a call that was lost is made once, and its receipt comes again", async () => {
  const shop = await openedShop();
  const again = await shop.pay(deposit, buyer);
  expect([again.status, await again.text()]).toEqual([200, "report 1"]);
  expect(readReceipt(again.headers)).toMatchObject({ amount: "10000", success: true });
  expect(shop.chain.calls).toEqual(["verify", "settle deposit"]);
});

test("the token of the challenge proves the buyer as well", async () => {
  const shop = await openedShop();
  const first = { ...second, change: withToken("one") };
  expect((await shop.pay(first)).status).toBe(200);
  expect(chargedBy(await shop.pay(first))).toEqual(["1000", "2000"]);
  await expectCorrected(await shop.pay({ ...second, change: withToken("other") }), "2000");
});

test("the token opens no response that was made for other credentials, and none once two payers have shown it", async () => {
  const shop = await openedShop();
  const first = { ...second, change: withToken("one") };
  expect((await shop.pay(first, buyer)).status).toBe(200);
  await expectCorrected(await shop.pay(first, { Cookie: "session=thief" }), "2000");
  const third = { total: 3_000n, change: withToken("two") };
  expect((await shop.pay(third)).status).toBe(200);
  const key: Hex = `0x${"44".repeat(32)}`;
  const payer = addressOfKey(key);
  await shop.pay({ ...third, key, config: { payer, payerAuthorizer: payer } });
  await expectCorrected(await shop.pay(third), "3000");
});

test("a cookie proves the buyer as well", async () => {
  const shop = await openedShop();
  const cookie = { Cookie: "session=buyer" };
  expect((await shop.pay(second, cookie)).status).toBe(200);
  expect(chargedBy(await shop.pay(second, cookie))).toEqual(["1000", "2000"]);
});

test.each<[string, Sent, Record<string, string>]>([
  ["the voucher alone", second, {}],
  ["other credentials", second, { Authorization: "Bearer thief" }],
  ["another request", second, { ...buyer, path: "/report?page=2" }],
  ["another total", { total: 1_500n }, buyer],
])("%s gets the corrected total, and no content", async (_name, sent, shown) => {
  const shop = await openedShop();
  await shop.pay(second, buyer);
  await expectCorrected(await shop.pay(sent, shown), "2000");
});

test("a first request that showed nothing is kept for nobody, and so is one on a route that never repeats", async () => {
  const bare = await openedShop();
  await bare.pay(second);
  await expectCorrected(await bare.pay(second), "2000");
  await expectCorrected(await bare.pay(second, buyer), "2000");
  const never = await openedShop({ route: { redeliver: "never" } });
  await never.pay(second, buyer);
  await expectCorrected(await never.pay(second, buyer), "2000");
});

test("whoever repeats on a route for anyone has to prove it all the same: claimed vouchers are public", async () => {
  const shop = await openedShop({ route: { redeliver: "anyone" } });
  await shop.pay(second, buyer);
  await expectCorrected(await shop.pay(second), "2000");
  expect((await shop.pay(second, buyer)).status).toBe(200);
});

test("a call that cost nothing leaves the total as it was: the same voucher is a new call", async () => {
  let cost = "0";
  const serve = () => new Response(`costs ${cost}`, { headers: { "X-Cost": cost } });
  const route = { cost: ({ headers }: Response) => headers.get("X-Cost") };
  const shop = openShop({ serve, route });
  expect(chargedBy(await shop.pay(deposit, buyer))).toEqual(["0", "0"]);
  cost = "0.0005";
  const next = await shop.pay({ total: 1_000n }, buyer);
  expect([chargedBy(next), await next.text()]).toEqual([["500", "500"], "costs 0.0005"]);
  const again = await shop.pay({ total: 1_000n }, buyer);
  expect([chargedBy(again), await again.text()]).toEqual([["500", "500"], "costs 0.0005"]);
  expect(again.headers.get("X-Cost")).toBeNull();
});

test("a process that dies after the charge leaves the response to the next one", async () => {
  const grants = createMemoryGrants();
  const { channels } = grants;
  if (!channels) throw new Error("The store keeps no channels.");
  const dying: typeof channels = {
    ...channels,
    async hold(...of) {
      const holding = await channels.hold(...of);
      if (holding.kind !== "held") return holding;
      const charge: typeof holding.held.charge = async (made) => {
        await holding.held.charge(made);
        throw new Error("The process has died.");
      };
      return { kind: "held", held: { ...holding.held, charge } };
    },
  };
  const shop = await openedShop({ seller: { grants } });
  const dead = openShop({ chain: shop.chain, seller: { grants: { ...grants, channels: dying } } });
  expect((await dead.pay(second, buyer)).status).toBe(503);
  const again = await shop.pay(second, buyer);
  expect([again.status, await again.text()]).toEqual([200, "report 1"]);
  expect(chargedBy(again)).toEqual(["1000", "2000"]);
  await expectCorrected(await shop.pay(second), "2000");
});
