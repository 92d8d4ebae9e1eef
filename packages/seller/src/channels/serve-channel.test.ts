/** Calls of a channel at a seller: what is served, what is refused, and what is charged when things fail. */
import {
  headerNames,
  readReceipt,
  wireChannelCode,
  xdc,
  type ChannelCode,
  type ChannelState,
} from "@farthing/protocol";
import { expect, test, vi } from "vitest";
import type { Facilitator } from "../facilitator.ts";
import { createMemoryGrants } from "../index.ts";
import {
  authorizerKey,
  challengeOf,
  channelId,
  chargedBy,
  createChannelChain,
  openShop,
  type Sent,
} from "./channel-shop.testing.ts";
import { maxWaitingCalls } from "./channel-turns.ts";

const deposit: Sent = { type: "deposit", total: 1_000n };
const other = `0x${"44".repeat(32)}` as const;

async function openedShop(options: Parameters<typeof openShop>[0] = {}) {
  const shop = openShop(options);
  expect((await shop.pay(deposit)).status).toBe(200);
  return shop;
}

test("a deposit is made before the work, and later calls ask nobody while the mirror is fresh", async () => {
  const shop = openShop();
  const response = await shop.pay(deposit);
  expect(await response.text()).toBe("report 1");
  expect(readReceipt(response.headers)).toMatchObject({ amount: "10000", success: true });
  expect(chargedBy(response)).toEqual(["1000", "1000"]);
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
  expect(shop.chain.calls).toEqual(["verify", "settle deposit"]);
  await shop.time.pass(5 * 60 * 1000);
  expect(chargedBy(await shop.pay({ total: 3_000n }))).toEqual(["1000", "3000"]);
  // What the chain said then is fresh again.
  expect(chargedBy(await shop.pay({ total: 4_000n }))).toEqual(["1000", "4000"]);
  expect(shop.chain.calls).toEqual(["verify", "settle deposit", "verify"]);
});

test.each<[ChannelCode, Sent]>([
  ["voucher_signature", { total: 2_000n, key: other }],
  // A voucher of the same words for the other chain.
  ["voucher_signature", { total: 2_000n, chainId: 50 }],
  ["channel_id_mismatch", { total: 2_000n, id: other }],
  ["receiver_mismatch", { total: 2_000n, config: { receiver: `0x${"55".repeat(20)}` } }],
  [
    "receiver_authorizer_mismatch",
    { total: 2_000n, config: { receiverAuthorizer: `0x${"55".repeat(20)}` } },
  ],
  ["withdraw_delay_mismatch", { total: 2_000n, config: { withdrawDelay: 900 } }],
  ["token_mismatch", { total: 2_000n, config: { token: `0x${"55".repeat(20)}` } }],
  ["voucher_signature", { total: 2_000n, config: { payerAuthorizer: `0x${"00".repeat(20)}` } }],
  ["payload_type", { total: 2_000n, change: (message) => ({ ...message, payload: 7 }) }],
  ["payload_type", { total: 2_000n, change: (message) => ({ ...message, x402Version: 1 }) }],
  [
    "network_mismatch",
    {
      total: 2_000n,
      change: ({ accepted, ...message }) => ({
        ...message,
        accepted: { ...Object(accepted), network: "eip155:50", asset: xdc.usdc },
      }),
    },
  ],
  ["cumulative_amount_mismatch", { total: 2_001n }],
  ["cumulative_amount_mismatch", { type: "deposit", total: 1_000n }],
  ["cumulative_amount_mismatch", { type: "refund", total: 2_000n }],
])("%s: nothing is served, charged or asked", async (code, sent) => {
  const shop = await openedShop();
  const asked = shop.chain.calls.length;
  const response = await shop.pay(sent);
  expect(challengeOf(response).error).toBe(wireChannelCode(code));
  expect(response.headers.get(headerNames.paymentResponse)).toBeNull();
  expect(shop.chain.calls).toHaveLength(asked);
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
});

test("a wrong total is answered with what was charged and the voucher that proves it", async () => {
  const shop = await openedShop();
  const { extra } = challengeOf(await shop.pay({ total: 9_000n }));
  expect(extra).toMatchObject({
    channelState: { channelId, balance: "10000", chargedCumulativeAmount: "1000" },
    voucherState: { signedMaxClaimable: "1000", signature: expect.stringMatching(/^0x/) },
  });
});

test("a channel that is unknown here counts from what the chain says was claimed", async () => {
  const shop = openShop();
  expect(challengeOf(await shop.pay({ total: 1_000n })).error).toBe(
    wireChannelCode("channel_not_found"),
  );
  shop.chain.set({ balance: 10_000n, totalClaimed: 4_000n });
  const { extra, error } = challengeOf(await shop.pay({ total: 7_000n }));
  expect(error).toBe(wireChannelCode("cumulative_amount_mismatch"));
  expect(extra).toMatchObject({ channelState: { chargedCumulativeAmount: "4000" } });
  expect(extra).not.toHaveProperty("voucherState");
  expect(chargedBy(await shop.pay({ total: 5_000n }))).toEqual(["1000", "5000"]);
});

test("is served only up to what can be claimed beside a withdrawal", async () => {
  const shop = await openedShop();
  shop.chain.set({ withdrawing: 8_000n, withdrawRequestedAt: 1 });
  await shop.time.pass(5 * 60 * 1000);
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
  const { error } = challengeOf(await shop.pay({ total: 3_000n }));
  expect(error).toBe(wireChannelCode("cumulative_exceeds_balance"));
});

test("a channel that is used up asks for a deposit, which goes on", async () => {
  const shop = openShop({ route: { price: 6_000n } });
  expect((await shop.pay({ ...deposit, total: 6_000n })).status).toBe(200);
  const { error } = challengeOf(await shop.pay({ total: 12_000n }));
  expect(error).toBe(wireChannelCode("cumulative_exceeds_balance"));
  const topUp = await shop.pay({ type: "deposit", total: 12_000n, deposit: 2_000n });
  expect(chargedBy(topUp)).toEqual(["6000", "12000"]);
});

test.each<[ChannelCode, Partial<ChannelState>]>([
  ["cumulative_exceeds_balance", { withdrawing: 9_500n, withdrawRequestedAt: 1 }],
  ["cumulative_amount_mismatch", { totalClaimed: 3_000n }],
])("%s after a deposit: nothing is served, and the buyer learns of it", async (code, change) => {
  const chain = createChannelChain();
  const settle: Facilitator["settle"] = (...call) => {
    chain.set(change);
    return chain.facilitator.settle(...call);
  };
  const shop = openShop({ chain, seller: { facilitator: { ...chain.facilitator, settle } } });
  const response = await shop.pay(deposit);
  expect(challengeOf(response).error).toBe(wireChannelCode(code));
  expect(readReceipt(response.headers)).toMatchObject({ success: true, amount: "10000" });
  expect(chargedBy(response)?.[0]).toBe("0");
});

test("a payer who calls too often waits, and is charged nothing; the deposit is told", async () => {
  const shop = await openedShop({ seller: { rateLimit: { perPayer: 1 } } });
  const limited = await shop.pay({ ...deposit, total: 2_000n });
  expect([limited.status, await limited.json()]).toMatchObject([429, { error: "rate_limited" }]);
  expect(readReceipt(limited.headers)).toMatchObject({ success: true, amount: "10000" });
  await shop.time.pass(60_000);
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
});

/** The seller's check of a request. */
function check({ url }: Request): Response | undefined {
  const isKnown = url.endsWith("/report");
  return isKnown ? undefined : Response.json({ error: "no such report" }, { status: 404 });
}

test("a call that the seller's check refuses sends no request and takes no deposit", async () => {
  const shop = openShop({ route: { check } });
  const wrong = await shop.pay(deposit, { path: "/reports" });
  expect([wrong.status, await wrong.json()]).toEqual([404, { error: "no such report" }]);
  expect(shop.chain.calls).toEqual([]);
  expect((await shop.pay(deposit)).status).toBe(200);
});

test("a facilitator that fails leaves everything open, and nobody is asked to sign again", async () => {
  const shop = openShop();
  const fault = { kind: "fault", reason: "unreachable", message: "It is away." } as const;
  shop.chain.failing.verify = fault;
  expect((await shop.pay(deposit)).status).toBe(503);
  delete shop.chain.failing.verify;
  shop.chain.failing.settle = fault;
  expect((await shop.pay(deposit)).status).toBe(503);
  delete shop.chain.failing.settle;
  expect(chargedBy(await shop.pay(deposit))).toEqual(["1000", "1000"]);
});

test("a deposit that is under way is asked about until it is made, and is never told as refused", async () => {
  const shop = openShop();
  const underWay = {
    status: "pending",
    errorReason: "settlement_pending",
    transaction: "",
  } as const;
  const settlement = { success: false, network: "eip155:51", ...underWay };
  shop.chain.failing.settle = { kind: "settlement", settlement };
  const late = shop.pay(deposit);
  await vi.waitFor(() => expect(shop.chain.calls).toContain("settle deposit"));
  await shop.time.pass(120_000);
  const response = await late;
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: "settlement_pending", retryable: true });
  expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
  const asked = shop.chain.calls.length;
  expect(asked).toBeGreaterThan(5);
  const paying = shop.pay(deposit);
  await vi.waitFor(() => expect(shop.chain.calls).toHaveLength(asked + 2));
  delete shop.chain.failing.settle;
  await shop.time.pass(2_500);
  expect(chargedBy(await paying)).toEqual(["1000", "1000"]);
  expect(shop.chain.state().balance).toBe(10_000n);
});

test("a deposit that is refused is no channel, and its code goes to the buyer", async () => {
  const grants = createMemoryGrants();
  const shop = openShop({ seller: { grants } });
  const errorReason = wireChannelCode("deposit_transaction_failed");
  const settlement = { success: false, errorReason, transaction: "", network: "eip155:51" };
  shop.chain.failing.settle = { kind: "settlement", settlement };
  expect(challengeOf(await shop.pay(deposit)).error).toBe(errorReason);
  expect(await grants.channels?.find(channelId)).toBeUndefined();
  delete shop.chain.failing.settle;
  expect((await shop.pay(deposit)).status).toBe(200);
});

test("calls of one channel work one after the other; as many wait as may, the rest is busy", async () => {
  let working = 0;
  let most = 0;
  const serve = async () => {
    most = Math.max(most, ++working);
    await new Promise((resolve) => setImmediate(resolve));
    working--;
    return new Response("it");
  };
  const shop = await openedShop({ serve });
  const calls = Array.from({ length: maxWaitingCalls + 3 }, () => shop.pay({ total: 2_000n }));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(most).toBe(1);
  // One is served; those that waited have signed a total that is charged by then.
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 402)).toHaveLength(maxWaitingCalls);
  expect(statuses.filter((status) => status === 409)).toHaveLength(2);
  const busy = (await Promise.all(calls)).find(({ status }) => status === 409);
  expect(await busy?.json()).toMatchObject({ error: wireChannelCode("channel_busy") });
});

test.each([
  ["throws", () => Promise.reject(new Error("broken"))],
  ["responds 500", () => new Response("broken", { status: 500 })],
  ["responds 404", () => new Response("none", { status: 404 })],
])("a handler that %s charges nothing", async (_name, broken) => {
  let isBroken = false;
  const serve = () => (isBroken ? broken() : new Response("it"));
  const shop = await openedShop({ serve });
  isBroken = true;
  const failed = await shop.pay({ total: 2_000n });
  expect(failed.status).toBeGreaterThanOrEqual(404);
  expect(failed.headers.get(headerNames.paymentCharged)).toBe("no");
  expect(chargedBy(failed)).toBeUndefined();
  isBroken = false;
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
});

test("the cost is charged, at most the price; one that is unreadable is the price", async () => {
  let said = "0.0003";
  const route = { cost: ({ headers }: Response) => headers.get("X-Cost") };
  const serve = () => new Response("it", { headers: { "X-Cost": said } });
  const shop = await openedShop({ serve, route });
  const charged = async (total: bigint) => chargedBy(await shop.pay({ total }));
  expect(await charged(1_300n)).toEqual(["300", "600"]);
  said = "5";
  expect(await charged(1_600n)).toEqual(["1000", "1600"]);
  said = "much";
  const response = await shop.pay({ total: 2_600n });
  expect(chargedBy(response)).toEqual(["1000", "2600"]);
  expect(response.headers.get("X-Cost")).toBeNull();
  expect(shop.events.map(({ type }) => type)).toContain("cost_unreadable");
});

test("a cost below nothing is nothing, and gives back nothing of what was charged", async () => {
  const shop = await openedShop({ route: { cost: () => -500n } });
  expect(chargedBy(await shop.pay({ total: 1_000n }))).toEqual(["0", "0"]);
});

test("a stream costs the price, and no failed response shows what it would have cost", async () => {
  let status = 200;
  const headers = { "Content-Type": "text/event-stream", "X-Cost": "0.0003" };
  const serve = () => new Response(new Blob(["data: 1\n\n"]).stream(), { status, headers });
  const route = { channel: { costHeader: "X-Cost" } };
  const shop = openShop({ serve, route });
  expect(chargedBy(await shop.pay(deposit))).toEqual(["1000", "1000"]);
  status = 404;
  const failed = await shop.pay({ total: 2_000n });
  expect([failed.status, failed.headers.get("X-Cost")]).toEqual([404, null]);
});

const failures: readonly [string, () => Promise<undefined>][] = [
  ["cannot be recorded", () => Promise.reject(new Error("The disk is full."))],
  ["comes after its lease has ended", async () => undefined],
];

test.each(failures)(
  "a charge that %s is no content, and the call can be repeated",
  async (_, charge) => {
    const grants = createMemoryGrants();
    const { channels } = grants;
    if (!channels) throw new Error("The store keeps no channels.");
    let isDown = false;
    const failing: typeof channels = {
      ...channels,
      async hold(...of) {
        const holding = await channels.hold(...of);
        if (holding.kind !== "held" || !isDown) return holding;
        return { kind: "held", held: { ...holding.held, charge } };
      },
    };
    const shop = await openedShop({ seller: { grants: { ...grants, channels: failing } } });
    isDown = true;
    const lost = await shop.pay({ total: 2_000n });
    expect(lost.status).toBe(503);
    expect(await lost.text()).not.toContain("report");
    isDown = false;
    expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
  },
);

test("a channel that another process opens meanwhile is charged there, and here no second time", async () => {
  const grants = createMemoryGrants();
  const { channels } = grants;
  if (!channels) throw new Error("The store keeps no channels.");
  const first = openShop({ seller: { grants } });
  const late: typeof channels = {
    ...channels,
    async hold(id, opened) {
      if (opened) expect((await first.pay(deposit)).status).toBe(200);
      return channels.hold(id, opened);
    },
  };
  const second = openShop({
    chain: first.chain,
    seller: { grants: { ...grants, channels: late } },
  });
  const { extra } = challengeOf(await second.pay(deposit));
  expect(extra).toMatchObject({ channelState: { chargedCumulativeAmount: "1000" } });
  expect(first.chain.state().balance).toBe(10_000n);
  expect(chargedBy(await second.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
});

test("what somebody else has claimed was charged", async () => {
  const shop = await openedShop();
  shop.chain.set({ totalClaimed: 3_000n });
  await shop.time.pass(5 * 60 * 1000);
  const { extra } = challengeOf(await shop.pay({ total: 2_000n }));
  expect(extra).toMatchObject({ channelState: { chargedCumulativeAmount: "3000" } });
  // The voucher that is kept proves less.
  expect(extra).not.toHaveProperty("voucherState");
});

test("the key is in no response, no event and no error", async () => {
  const shop = await openedShop();
  await shop.seller.channels.claim();
  const texts = [JSON.stringify(shop.events), JSON.stringify(shop.chain.calls)];
  const half = authorizerKey.slice(2, 34);
  for (const text of texts) expect(text).not.toContain(half);
  const wrong = `${authorizerKey}00`;
  expect(() => openShop({ seller: { channels: { authorizerKey: wrong } } })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(half) }),
  );
});
