/** Claims, sweeps and refunds of a seller, and what is left of a call when its process dies. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  apothem,
  channelIdOf,
  parseChannelPayload,
  readReceipt,
  wireChannelCode,
  type Hex,
} from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import type { Facilitator } from "../facilitator.ts";
import { ConfigurationError, createMemoryGrants } from "../index.ts";
import { createSqliteGrants } from "../payment-records/sqlite/sqlite.ts";
import {
  challengeOf,
  channelConfig,
  channelId,
  chargedBy,
  createChannelChain,
  openShop,
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
  expect((await shop.seller.channels.claim()).claims).toEqual([]);
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
function createChannels(count: number, refused: Hex) {
  const configs = Array.from({ length: count }, (_, at) => {
    const salt: Hex = `0x${`${at}`.padStart(64, "0")}`;
    return { ...channelConfig, salt };
  });
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
      ? chains.get(ids[0] ?? refused)
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
  return { configs, ids: [...chains.keys()], facilitator, claimed };
}

test("a row that the contract refuses keeps no other row of its claim back", async () => {
  const bad = channelIdOf(apothem, { ...channelConfig, salt: `0x${"3".padStart(64, "0")}` });
  const { configs, ids, facilitator, claimed } = createChannels(5, bad);
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

test("a refund of an unknown outcome keeps its amount from calls, and is sent again as it was", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  const fault = { kind: "fault", reason: "timed_out", message: "It is slow." } as const;
  shop.chain.failing.settle = fault;
  expect((await shop.pay({ type: "refund", total: 1_000n, refund: 8_500n })).status).toBe(503);
  delete shop.chain.failing.settle;
  const { error } = challengeOf(await shop.pay({ total: 2_000n }));
  expect(error).toBe(wireChannelCode("cumulative_exceeds_balance"));
  const again = await shop.seller.channels.refund(channelId);
  expect(again).toMatchObject({ outcome: "done", units: 8_500n });
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

test.each([
  ["a store without channels", { seller: { grants: withoutChannels() } }, "grants"],
  ["a pass beside it", { route: { pass: { uses: 3, validFor: "1d" } } }, "pass"],
  ["a delay of a minute", { route: { channel: { withdrawDelay: "1m" } } }, "channel.withdrawDelay"],
  ["a deposit in words", { route: { channel: { minDeposit: "much" } } }, "channel.minDeposit"],
  ["a receiver for each request", { route: { payTo: () => "0x" } }, "payTo"],
  ["no object", { route: { channel: Object([]) } }, "channel"],
])("%s is an error at the start", (_name, options, field) => {
  expect(() => openShop(options)).toThrow(expect.objectContaining({ field }));
});

function withoutChannels() {
  const { channels: _channels, ...grants } = createMemoryGrants();
  return grants;
}

test("a facilitator that signs for no one, and no key: the check says what to do", async () => {
  const kinds = [
    { scheme: "exact", network: "eip155:51" },
    { scheme: "batch-settlement", network: "eip155:51", extra: {} },
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
  const { extra } = challengeOf(await shop.send());
  expect(extra).toMatchObject({ receiverAuthorizer: `0x${"55".repeat(20)}`, minDeposit: "10000" });
});
