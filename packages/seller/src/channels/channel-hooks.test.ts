/** The hooks of extensions are called for each call over a channel, with its cost and the totals. */
import { expect, test } from "vitest";
import type { HookContext, SellerExtension } from "../extensions/hooks.ts";
import { challengeOf, channelId, chargedBy, openShop, type Sent } from "./channel-shop.testing.ts";

const deposit: Sent = { type: "deposit", total: 1_000n };
const hooks = ["beforeVerify", "afterVerify", "beforeSettle", "afterSettle"] as const;
type Hook = (typeof hooks)[number];

/** An extension that notes its calls and refuses, or fails, where a test says so. */
function createExtension() {
  const calls: unknown[][] = [];
  const refusing: { at?: Hook; fails?: boolean } = {};
  const noteAt = (name: Hook) => (context: HookContext) => {
    const { payment, sent } = context;
    calls.push([name, payment.amount, payment.channel?.id, payment.channel?.total, sent]);
    if (refusing.at !== name) return undefined;
    if (refusing.fails === true) throw new Error("The ledger is away.");
    return { refuse: "We do not know you." };
  };
  const extension: SellerExtension = {
    key: "acme",
    ...Object.fromEntries(hooks.map((name) => [name, noteAt(name)])),
  };
  return { extension, calls, refusing };
}

const change: NonNullable<Sent["change"]> = (message) => ({
  ...message,
  extensions: { acme: "from the buyer" },
});

function openHooked() {
  const { extension, calls, refusing } = createExtension();
  const shop = openShop({
    seller: { extensions: [extension] },
    route: { cost: () => "0.0004" },
  });
  return { ...shop, calls, refusing };
}

test("each of them once, with the channel, the price or the cost, and the total before and after", async () => {
  const shop = openHooked();
  await shop.pay(deposit);
  shop.calls.length = 0;
  expect((await shop.pay({ total: 1_400n, change })).status).toBe(200);
  expect(shop.calls).toEqual([
    ["beforeVerify", "1000", channelId, "400", "from the buyer"],
    ["afterVerify", "1000", channelId, "400", "from the buyer"],
    ["beforeSettle", "400", channelId, "400", "from the buyer"],
    ["afterSettle", "400", channelId, "800", "from the buyer"],
  ]);
});

test.each(["beforeVerify", "afterVerify", "beforeSettle"] as const)(
  "%s refuses a call, or fails, and nothing is charged",
  async (at) => {
    const shop = openHooked();
    await shop.pay(deposit);
    shop.refusing.at = at;
    const refused = await shop.pay({ total: 1_400n });
    expect(challengeOf(refused).error).toBe("extension_refused");
    expect(await refused.text()).toContain("We do not know you.");
    shop.refusing.fails = true;
    expect((await shop.pay({ total: 1_400n })).status).toBe(503);
    expect(shop.events.at(-1)).toMatchObject({ type: "broken" });
    delete shop.refusing.at;
    expect(chargedBy(await shop.pay({ total: 1_400n }))).toEqual(["400", "800"]);
  },
);

test("a deposit is not made for a call that is refused before", async () => {
  const shop = openHooked();
  shop.refusing.at = "afterVerify";
  expect(challengeOf(await shop.pay(deposit)).error).toBe("extension_refused");
  expect(shop.chain.calls).toEqual(["verify"]);
});

test("afterSettle withholds what was charged, also from a repeat", async () => {
  const shop = openHooked();
  await shop.pay(deposit);
  shop.refusing.at = "afterSettle";
  const buyer = { Authorization: "Bearer buyer" };
  const withheld = await shop.pay({ total: 1_400n }, buyer);
  expect([withheld.status, chargedBy(withheld)]).toEqual([403, ["400", "800"]]);
  expect(await withheld.text()).toContain("We do not know you.");
  expect(shop.events.at(-1)).toMatchObject({ type: "undelivered" });
  expect((await shop.pay({ total: 1_400n }, buyer)).status).toBe(402);
});

test("a repeat of a kept response, and a voucher for another total, ask no hook", async () => {
  const { extension, calls } = createExtension();
  const { afterSettle: _afterSettle, ...before } = extension;
  const shop = openShop({ seller: { extensions: [before] } });
  const buyer = { Authorization: "Bearer buyer" };
  await shop.pay(deposit, buyer);
  calls.length = 0;
  expect((await shop.pay(deposit, buyer)).status).toBe(200);
  expect((await shop.pay({ total: 9_000n })).status).toBe(402);
  expect(calls).toEqual([]);
});

test("a refund is no call, and asks no hook", async () => {
  const shop = openHooked();
  await shop.pay(deposit);
  shop.calls.length = 0;
  expect((await shop.pay({ type: "refund", total: 400n })).status).toBe(200);
  expect(shop.calls).toEqual([]);
});
