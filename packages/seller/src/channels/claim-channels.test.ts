/** Claims, sweeps and refunds of a seller, and what is left of a call when its process dies. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  addressOfKey,
  apothem,
  channelIdOf,
  member,
  parseAddress,
  parseChannelPayload,
  readReceipt,
  wireChannelCode,
  xdc,
  type ChannelConfig,
  type Hex,
} from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import type { Facilitator } from "../facilitator.ts";
import { ConfigurationError, createMemoryGrants } from "../index.ts";
import { createSqliteGrants } from "../payment-records/sqlite/sqlite.ts";
import {
  authorizerKey as ownKey,
  challengeOf,
  channelConfig,
  channelId,
  chargedBy,
  createChannelChain,
  openShop,
  signTotal,
  type Sent,
} from "./channel-shop.testing.ts";

const deposit: Sent = { type: "deposit", total: 1_000n };

test("a claim claims what was charged, once", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  await shop.pay({ total: 2_000n });
  const { claims } = await shop.seller.channels.claim();
  expect(claims).toMatchObject([{ outcome: "done", units: 2_000n, channelIds: [channelId] }]);
  expect(shop.chain.state().totalClaimed).toBe(2_000n);
  const again = await shop.seller.channels.claim();
  expect(again.claims).toEqual([]);
  // An earlier sweep may have failed.
  expect(again.sweeps).toMatchObject([{ outcome: "done", receiver: channelConfig.receiver }]);
  expect(chargedBy(await shop.pay({ total: 3_000n }))).toEqual(["1000", "3000"]);
});

test("a claim that fails is told, and tried again with the next one", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  const fault = { kind: "fault", reason: "unreachable", message: "It is away." } as const;
  shop.chain.failing.settle = fault;
  const { claims } = await shop.seller.channels.claim();
  expect(claims).toMatchObject([{ outcome: "open", reason: "It is away." }]);
  const errorReason = wireChannelCode("claim_simulation_failed");
  const settlement = { success: false, errorReason, transaction: "", network: "eip155:51" };
  shop.chain.failing.settle = { kind: "settlement", settlement };
  const refused = await shop.seller.channels.claim();
  expect(refused.claims).toMatchObject([{ outcome: "refused", reason: errorReason }]);
  delete shop.chain.failing.settle;
  const done = await shop.seller.channels.claim();
  expect(done.claims).toMatchObject([{ outcome: "done", units: 1_000n }]);
});

test("of a channel that holds less than was charged all that it holds is claimed", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  await shop.pay({ total: 2_000n });
  // Its payer has taken the rest out.
  shop.chain.set({ balance: 1_500n });
  const { claims } = await shop.seller.channels.claim();
  expect(claims).toMatchObject([{ outcome: "done", units: 1_500n, channelIds: [channelId] }]);
  expect(shop.chain.state()).toMatchObject({ balance: 1_500n, totalClaimed: 1_500n });
  const { claims: again } = await shop.seller.channels.claim();
  expect(again).toMatchObject([{ outcome: "refused" }]);
});

/** Several channels on one chain, which refuses every claim that has a row of `refused` in it. */
function createChannels(configs: readonly ChannelConfig[], refused?: Hex) {
  const chains = new Map(
    configs.map((config) => {
      const id = channelIdOf(apothem, config);
      return [id, createChannelChain(id)] as const;
    }),
  );
  const claimed: number[] = [];
  const errorReason = wireChannelCode("claim_simulation_failed");
  const failed = { success: false, errorReason, transaction: "", network: apothem.id };
  const chainOf = (payload: object) => {
    const parsed = parseChannelPayload({ ...payload });
    if (!parsed.ok) throw new Error(parsed.refusal.message);
    const { value } = parsed;
    if (value.type === "settle") return undefined;
    const rows = value.type === "claim" ? value.claims.map(({ config }) => config) : [value.config];
    const ids = rows.map((config) => channelIdOf(apothem, config));
    if (value.type === "claim") claimed.push(ids.length);
    return ids.length > 0 && ids.every((id) => id !== refused || value.type !== "claim")
      ? chains.get(ids[0] ?? channelId)
      : undefined;
  };
  const facilitator: Facilitator = {
    ...createChannelChain().facilitator,
    verify: async (request, limit) => {
      const chain = chainOf(request.paymentPayload.payload);
      if (!chain) throw new Error("Claims are not verified.");
      return chain.facilitator.verify(request, limit);
    },
    settle: async (request, limit) =>
      (await chainOf(request.paymentPayload.payload)?.facilitator.settle(request, limit)) ?? {
        kind: "settlement",
        settlement: failed,
      },
  };
  return { ids: [...chains.keys()], facilitator, claimed };
}

test("a row that the contract refuses keeps no other row of its claim back", async () => {
  const configs = ["0", "1", "2", "3", "4"].map((nth): ChannelConfig => {
    return { ...channelConfig, salt: `0x${nth.padStart(64, "0")}` };
  });
  const bad = channelIdOf(apothem, { ...channelConfig, salt: `0x${"3".padStart(64, "0")}` });
  const { ids, facilitator, claimed } = createChannels(configs, bad);
  const shop = openShop({ seller: { facilitator } });
  for (const config of configs) {
    expect((await shop.pay({ ...deposit, config })).status).toBe(200);
  }
  const { claims } = await shop.seller.channels.claim();
  const by = (outcome: string) =>
    claims.filter((one) => one.outcome === outcome).flatMap(({ channelIds }) => channelIds);
  expect(by("refused")).toEqual([bad]);
  expect(by("done").toSorted()).toEqual(ids.filter((id) => id !== bad).toSorted());
  // Five, then halves: three and two, and the one that has the bad row again.
  expect(claimed.length).toBeLessThanOrEqual(7);
  expect(Math.max(...claimed)).toBe(5);
  const again = await shop.seller.channels.claim();
  expect(again.claims).toMatchObject([{ outcome: "refused", channelIds: [bad] }]);
});

test("channels of another receiver, key or network are claimed apart, signed by their own key alone", async () => {
  const otherKey: Hex = `0x${"44".repeat(32)}`;
  const receiver = `0x${"55".repeat(20)}` as const;
  const configs = [
    channelConfig,
    { ...channelConfig, receiver },
    { ...channelConfig, receiverAuthorizer: addressOfKey(otherKey) },
  ];
  const { facilitator, ids } = createChannels(configs);
  const sent: unknown[] = [];
  const settle: Facilitator["settle"] = (request, limit) => {
    const { payload } = request.paymentPayload;
    const { type, ...more } = { type: "", ...payload };
    const isSigned = "claimAuthorizerSignature" in more || "refundAuthorizerSignature" in more;
    const { network, ...asked } = request.paymentRequirements;
    const row = [type, network, member(asked, "payTo"), isSigned];
    if (type === "claim" || type === "refund") sent.push(row);
    if (network === apothem.id) return facilitator.settle(request, limit);
    const settlement = { success: true, transaction: `0x${"cd".repeat(32)}`, network };
    return Promise.resolve({ kind: "settlement", settlement });
  };
  const grants = createMemoryGrants();
  const open = (payTo: string, authorizerKey: string) => {
    const channels = { authorizerKey };
    return openShop({
      seller: { facilitator: { ...facilitator, settle }, grants, payTo, channels },
    });
  };
  const shop = open(channelConfig.receiver, ownKey);
  await shop.pay(deposit);
  await open(receiver, ownKey).pay({ ...deposit, config: { receiver } });
  const { receiverAuthorizer } = configs[2] ?? channelConfig;
  await open(channelConfig.receiver, otherKey).pay({ ...deposit, config: { receiverAuthorizer } });
  const config = { ...channelConfig, token: xdc.usdc };
  const id = channelIdOf(xdc, config);
  const voucher = { channelId: id, maxClaimableAmount: 5n, signature: signTotal(5n) };
  const state = { ...createChannelChain().state(), balance: 5n };
  const holding = await grants.channels?.hold(id, { id, network: xdc.id, config, voucher, state });
  if (holding?.kind === "held") await holding.held.charge({ cost: 5n, voucher });
  const { claims, sweeps } = await shop.seller.channels.claim();
  expect(claims.map(({ outcome }) => outcome)).toEqual(["done", "done", "done", "done"]);
  const own = channelConfig.receiver;
  const expected = [
    ["claim", apothem.id, own, true],
    ["claim", apothem.id, own, false],
    ["claim", apothem.id, parseAddress(receiver), true],
    ["claim", xdc.id, own, true],
  ];
  // What the two of one receiver and network have claimed is sent together.
  expect(sweeps).toHaveLength(3);
  expect(sent.map(String).toSorted()).toEqual(expected.map(String).toSorted());
  await shop.seller.channels.refund(ids[2] ?? "");
  expect(sent.slice(4)).toEqual([["refund", apothem.id, own, false]]);
});

test("a refund claims what was charged and gives back the rest, or as much as the buyer asks for", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  const part = await shop.pay({ type: "refund", total: 1_000n, refund: 4_000n });
  expect(readReceipt(part.headers)).toMatchObject({ success: true, amount: "4000" });
  expect(shop.chain.state()).toMatchObject({ balance: 6_000n, totalClaimed: 1_000n });
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
  const rest = await shop.pay({ type: "refund", total: 2_000n });
  expect(readReceipt(rest.headers)).toMatchObject({ amount: "4000" });
  const { error } = challengeOf(await shop.pay({ type: "refund", total: 2_000n }));
  expect(error).toBe(wireChannelCode("refund_no_balance"));
});

test("a refund gives back no more than is left, whatever the buyer asks for", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  const all = await shop.pay({ type: "refund", total: 1_000n, refund: 10_000n });
  expect(readReceipt(all.headers)).toMatchObject({ success: true, amount: "9000" });
  expect(shop.chain.state()).toMatchObject({ balance: 1_000n, totalClaimed: 1_000n });
});

test("a refund gives back what the channel holds now, also where that was read a moment ago", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  // Another account has added to the deposit meanwhile.
  shop.chain.set({ balance: 20_000n });
  const all = await shop.pay({ type: "refund", total: 1_000n });
  expect(readReceipt(all.headers)).toMatchObject({ success: true, amount: "19000" });
  expect(shop.chain.state()).toMatchObject({ balance: 1_000n, totalClaimed: 1_000n });
});

test("a refund that is refused keeps nothing from calls, and the chain is read anew before the next one", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  const errorReason = wireChannelCode("refund_simulation_failed");
  const settlement = { success: false, errorReason, transaction: "", network: "eip155:51" };
  shop.chain.failing.settle = { kind: "settlement", settlement };
  const refused = await shop.pay({ type: "refund", total: 1_000n, refund: 9_000n });
  expect(challengeOf(refused).error).toBe(errorReason);
  delete shop.chain.failing.settle;
  shop.chain.calls.length = 0;
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
  expect(shop.chain.calls).toEqual(["verify"]);
});

test("a refund that cannot be made now says why, and the channel goes on", async () => {
  const [working, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const shop = openShop({
    async serve() {
      working.resolve();
      await released.promise;
      return new Response("report");
    },
  });
  const refund = (id: string = channelId) => shop.seller.channels.refund(id);
  const call = shop.pay(deposit);
  await working.promise;
  expect(await refund()).toEqual({ outcome: "busy" });
  released.resolve();
  expect(chargedBy(await call)).toEqual(["1000", "1000"]);
  expect(await refund(`0x${"44".repeat(32)}`)).toEqual({ outcome: "unknown" });
  const open = { outcome: "open", transaction: "", units: 0n, channelId };
  shop.chain.failing.verify = { kind: "fault", reason: "unreachable", message: "It is away." };
  expect(await refund()).toMatchObject({ ...open, reason: "It is away." });
  shop.chain.failing.verify = { kind: "verdict", verdict: { isValid: false } };
  expect(await refund()).toMatchObject({ ...open, reason: expect.stringContaining("state") });
  delete shop.chain.failing.verify;
  expect(shop.chain.calls.filter((one) => one === "settle refund")).toEqual([]);
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
  expect(await refund()).toMatchObject({ outcome: "done", units: 8_000n });
});

test("a refund of an unknown outcome keeps its amount from calls, and is sent again as it was", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  const fault = { kind: "fault", reason: "timed_out", message: "It is slow." } as const;
  shop.chain.failing.settle = fault;
  expect((await shop.pay({ type: "refund", total: 1_000n, refund: 8_500n })).status).toBe(503);
  delete shop.chain.failing.settle;
  const { error } = challengeOf(await shop.pay({ total: 2_000n }));
  expect(error).toBe(wireChannelCode("cumulative_exceeds_balance"));
  const again = await shop.pay({ type: "refund", total: 1_000n, refund: 4_000n });
  expect(readReceipt(again.headers)).toMatchObject({ success: true, amount: "8500" });
  const rest = await shop.seller.channels.refund(channelId);
  expect(rest).toMatchObject({ outcome: "done", units: 500n });
  expect(chargedBy(await shop.pay({ type: "deposit", total: 2_000n }))).toEqual(["1000", "2000"]);
  expect(await shop.seller.channels.refund("junk")).toEqual({ outcome: "unknown" });
});

test("a refund that was made unnoticed is not made again, and what is left is read anew", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  const fault = { kind: "fault", reason: "timed_out", message: "It is slow." } as const;
  shop.chain.failing.settle = fault;
  await shop.pay({ type: "refund", total: 1_000n, refund: 9_000n });
  delete shop.chain.failing.settle;
  shop.chain.set({ balance: 1_000n, totalClaimed: 1_000n, refundNonce: 1n });
  expect(await shop.seller.channels.refund(channelId)).toEqual({ outcome: "empty" });
  expect(shop.chain.state().balance).toBe(1_000n);
});

test("a process that dies between serving and recording loses that call alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "channels-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "grants.db");
  const chain = createChannelChain();
  let nowMs = Date.now();
  const open = () => {
    const grants = createSqliteGrants({ path, now: () => nowMs });
    onTestFinished(() => grants.close());
    return grants;
  };
  const first = openShop({ chain, seller: { grants: open() } });
  await first.pay(deposit);
  await first.pay({ total: 2_000n });
  const serving = Promise.withResolvers<undefined>();
  const dying = openShop({
    chain,
    seller: { grants: open() },
    serve: () => {
      serving.resolve(undefined);
      return new Promise(() => undefined);
    },
  });
  void dying.pay({ total: 3_000n });
  await serving.promise;
  // Its lease is still in force, and ends by itself.
  nowMs += 60_000;
  const next = openShop({ chain, seller: { grants: open() } });
  expect(chargedBy(await next.pay({ total: 3_000n }))).toEqual(["1000", "3000"]);
  const { claims } = await next.seller.channels.claim();
  expect(claims).toMatchObject([{ units: 3_000n }]);
});

const inProcess: Facilitator = { ...createChannelChain().facilitator, isInProcess: true };

test.each([
  ["a store without channels", { seller: { grants: withoutChannels() } }, "grants"],
  ["a pass beside it", { route: { pass: { uses: 3, validFor: "1d" } } }, "pass"],
  ["a delay of a minute", { route: { channel: { withdrawDelay: "1m" } } }, "channel.withdrawDelay"],
  ["a deposit in words", { route: { channel: { minDeposit: "much" } } }, "channel.minDeposit"],
  ["a receiver for each request", { route: { payTo: () => "0x" } }, "payTo"],
  [
    "a service before the money",
    { seller: { facilitator: inProcess }, route: { serveWhen: "queued" as const } },
    "serveWhen",
  ],
  ["a binding of payments", { route: { requireBinding: true } }, "requireBinding"],
  ["no object", { route: { channel: Object([]) } }, "channel"],
])("%s is an error at the start", (_name, options, field) => {
  expect(() => openShop(options)).toThrow(expect.objectContaining({ field }));
});

function withoutChannels() {
  const { channels: _channels, ...grants } = createMemoryGrants();
  return grants;
}

test("a facilitator that signs for no one, and no key: the check says what to do", async () => {
  const [network, scheme] = ["eip155:51", "batch-settlement"];
  const extra = { receiverAuthorizer: `0x${"66".repeat(20)}` };
  const none = { receiverAuthorizer: `0x${"00".repeat(20)}` };
  const kinds = [
    { scheme: "exact", network, extra },
    { scheme, network, extra: {} },
    { scheme, network: "eip155:50", extra },
    { scheme, network, extra: none },
  ];
  const { facilitator } = createChannelChain();
  const get = async () => ({ kind: "response", status: 200, body: { kinds } }) as const;
  const status = { url: "https://f.example", hasKey: false, isInProcess: true, get, key: get };
  const shop = openShop({ seller: { facilitator: { ...facilitator, status }, channels: {} } });
  expect(await shop.seller.check()).toMatchObject([
    { code: "channel_authorizer_missing", fix: expect.stringContaining("authorizerKey") },
  ]);
  await expect(shop.send()).rejects.toThrow(ConfigurationError);
  Object.assign(kinds[1] ?? {}, { extra: { receiverAuthorizer: `0x${"55".repeat(20)}` } });
  expect(await shop.seller.check()).toEqual([]);
  await shop.time.pass(5_000);
  const { extra: asked } = challengeOf(await shop.send());
  expect(asked).toMatchObject({ receiverAuthorizer: `0x${"55".repeat(20)}`, minDeposit: "10000" });
});

test("while a facilitator cannot be asked who signs, single payments alone are offered", async () => {
  const { facilitator } = createChannelChain();
  let body: object = { kinds: [] };
  const get = async () =>
    ({ kind: "response", status: "kinds" in body ? 200 : 503, body }) as const;
  const status = { url: "https://f.example", hasKey: false, isInProcess: true, get, key: get };
  body = {};
  const shop = openShop({ seller: { facilitator: { ...facilitator, status }, channels: {} } });
  expect(challengeOf(await shop.send()).extra).toEqual({});
});
