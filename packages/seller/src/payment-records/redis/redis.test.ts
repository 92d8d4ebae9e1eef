/** Payment records in a real Redis: the promises of every store, and what only Redis can get wrong. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { closingSuite } from "../../exchange/closing.suite.ts";
import { balancesSuite } from "../balances/balances.suite.ts";
import { channelsSuite } from "../channels/channels.suite.ts";
import { opened as openedChannel } from "../channels/new-channels.testing.ts";
import { passesSuite } from "../passes/passes.suite.ts";
import { refundsSuite } from "../rules/refunds.suite.ts";
import { paymentRecordsSuite, type StoreKind } from "../rules/payment-records.suite.ts";
import type { EntryName } from "../balances/balance-store.ts";
import { RedisStore } from "./record-store.ts";
import { createRedisGrants } from "./redis.ts";
import { findRedisServer, startRedis } from "./redis-server.testing.ts";
import type { Access } from "../rules/payment-records.ts";

const access: Access = { proof: { token: "t" }, rule: "bound" };

const binding = { key: "a", fingerprint: "f", payload: "p", validBeforeMs: 253_402_300_799_000 };
const receipt = { success: true, transaction: "0x1", network: "eip155:50" };

/** An entry of a ledger. */
const line = (kind: "charge" | "top-up", key: string) => ({ kind, key, amount: 0n, atMs: 0 });

describe.skipIf(findRedisServer() === undefined)("redis", () => {
  let server: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());
  let opened = 0;

  const redis: StoreKind = {
    isShared: true,
    isBounded: false,
    forgetsByItself: true,
    async open() {
      const client = await server.connect();
      const prefix = `test-${++opened}:`;
      return {
        create: ({ now, answerBytesMax, leaseMs }) =>
          createRedisGrants({
            client,
            prefix,
            now,
            ...(answerBytesMax === undefined ? {} : { answerBytesMax }),
            ...(leaseMs === undefined ? {} : { leaseMs }),
          }),
        close: async () => client.destroy(),
      };
    },
  };

  paymentRecordsSuite("redis", redis);
  closingSuite("redis", redis);
  passesSuite("redis", redis);
  balancesSuite("redis", redis);
  channelsSuite("redis", redis);
  refundsSuite("redis", redis);

  test("by its own clock, records and responses are forgotten by Redis itself", async () => {
    const client = await server.connect();
    onTestFinished(() => client.destroy());
    const grants = createRedisGrants({ client });
    const acquired = await grants.acquire(binding, access);
    if (acquired.kind !== "acquired") throw new Error(`The record is ${acquired.kind}.`);
    expect((await grants.acquire(binding, access)).kind).toBe("busy");
    const response = { status: 200, headers: [], body: new Uint8Array([1, 2]) };
    expect(await acquired.lease.settling({ response })).toBe(true);
    expect(await acquired.lease.complete(receipt)).toBe(true);
    expect(await grants.acquire(binding, access)).toEqual({ kind: "delivered", receipt, response });
    expect(Math.ceil((await client.pTTL("farthing:{a}")) / 3_600_000)).toBe(24);
    expect(Math.ceil((await client.pTTL("farthing:{a}:answer")) / 60_000)).toBe(10);
  });

  test("a channel is forgotten by Redis itself once nothing of it is unclaimed", async () => {
    const client = await server.connect();
    onTestFinished(() => client.destroy());
    const { channels } = createRedisGrants({ client });
    const channel = openedChannel();
    const holding = await channels?.hold(channel.id, channel);
    if (holding?.kind !== "held") throw new Error(`The channel is ${holding?.kind}.`);
    const daysLeft = async () =>
      Math.ceil((await client.pTTL(`farthing:{channels}:${channel.id}`)) / 86_400_000);
    expect(await daysLeft()).toBe(30);
    await holding.held.charge({ cost: 5n, voucher: channel.voucher });
    expect(await client.pTTL(`farthing:{channels}:${channel.id}`)).toBe(-1);
    await channels?.claimed(channel.id, 5n);
    expect(await daysLeft()).toBe(30);
  });

  test("the oldest charges of a balance are forgotten, and nothing else of its ledger", async () => {
    const client = await server.connect();
    onTestFinished(() => client.destroy());
    const { balances } = new RedisStore({ client, prefix: "charges:", tokensMax: 1 });
    const payment = { payer: "0x1", amount: "0", network: "eip155:50", transaction: "0x1" };
    const none = { tokenHash: "", earlierHashes: [], reserves: [], openTopUps: [] };
    const balance = { id: "b", scope: "s", amount: 0n, payment, ...none };
    const charges = Array.from({ length: 10_001 }, (_one, nth) => line("charge", `${nth}`));
    await balances.compareAndSet(0, balance, [line("top-up", "first"), ...charges]);
    const has = async (entry: EntryName) => (await balances.get("b", entry)).isEntered;
    const lines = [line("top-up", "first"), ...charges.slice(0, 2), ...charges.slice(-1)];
    expect(await Promise.all(lines.map(has))).toEqual([true, false, true, true]);
  });

  test("the passes of a payer are remembered as long as the one that ends last", async () => {
    const client = await server.connect();
    onTestFinished(() => client.destroy());
    const { passes } = createRedisGrants({ client, prefix: "held:" });
    const payment = { payer: "0x1", amount: "1", network: "eip155:50", transaction: "0x1" };
    const sale = { scope: "s", uses: 2, isFinalOnly: false };
    await passes?.open("long", { ...sale, validForMs: 9 * 86_400_000 }, payment);
    await passes?.open("short", { ...sale, validForMs: 1_000 }, payment);
    const ends = (await client.keys("held:*")).map((key) => client.pTTL(key));
    const days = (await Promise.all(ends)).map((ms) => Math.ceil(ms / 86_400_000));
    expect(days.toSorted((a, b) => a - b)).toEqual([2, 10, 10]);
  });

  test("a record of the first version goes on, without a name and without a proof", async () => {
    const client = await server.connect();
    onTestFinished(() => client.destroy());
    const grants = createRedisGrants({ client, prefix: "first:" });
    const end = "253402300799000";
    const text = JSON.stringify(receipt);
    for (const state of ["claimed", "settling", "delivered"]) {
      const fields = { f: "f", p: "p", s: state, e: end, t: end };
      await client.hSet(`first:{${state}}`, state === "claimed" ? fields : { ...fields, r: text });
      await client.hSet(`first:{${state}}:answer`, { status: "200", headers: "[]", body: "AA==" });
    }
    const at = (key: string) => grants.acquire({ ...binding, key }, access);
    const [claimed, settling] = [await at("claimed"), await at("settling")];
    expect(claimed).toMatchObject({ lease: { state: "claimed", exchangeKey: expect.any(String) } });
    expect(settling).toMatchObject({ lease: { state: "settling", receipt } });
    expect(settling.kind === "acquired" && settling.lease.exchangeKey).toBeUndefined();
    expect(await at("delivered")).toEqual({ kind: "delivered", receipt });
  });

  test("the tokens that strangers show have a bound, and the newest are known", async () => {
    const client = await server.connect();
    onTestFinished(() => client.destroy());
    // Of those of one millisecond any may go first.
    let nowMs = Date.now();
    const now = () => ++nowMs;
    const grants = createRedisGrants({ client, prefix: "flood:", tokensMax: 3, now });
    for (let shown = 0; shown < 20; shown++) await grants.isTokenShared(`token ${shown}`, "one");
    const keys = await client.keys("flood:*");
    expect(keys.toSorted()).toEqual(["flood:{tokens}", "flood:{tokens}:times"]);
    expect(await client.hLen("flood:{tokens}")).toBe(3);
    expect(await client.zCard("flood:{tokens}:times")).toBe(3);
    expect(Math.ceil((await client.pTTL("flood:{tokens}")) / 3_600_000)).toBe(24);
    expect(await grants.isTokenShared("token 19", "other")).toBe(true);
    expect(await grants.isTokenShared("token 0", "other")).toBe(false);
  });

  test("an answer that outlived its record goes to nobody", async () => {
    const client = await server.connect();
    onTestFinished(() => client.destroy());
    const grants = createRedisGrants({ client, prefix: "evicted:" });
    const first = await grants.acquire(binding, access);
    if (first.kind !== "acquired") throw new Error(`The record is ${first.kind}.`);
    await first.lease.settling({ response: { status: 200, headers: [], body: new Uint8Array(1) } });
    // What Redis does by itself, key by key, where it may forget.
    await client.del("evicted:{a}");
    const next = await grants.acquire({ ...binding, fingerprint: "g" }, access);
    if (next.kind !== "acquired") throw new Error(`The record is ${next.kind}.`);
    await next.lease.settling();
    await next.lease.unlock();
    const last = await grants.acquire({ ...binding, fingerprint: "g" }, access);
    expect(last.kind === "acquired" && last.lease.response).toBeUndefined();
  });

  test("without memory for another record, none is taken", async () => {
    const small = await startRedis("--maxmemory", "1", "--maxmemory-policy", "noeviction");
    const client = await small.connect();
    onTestFinished(async () => {
      client.destroy();
      await small.stop();
    });
    expect(await createRedisGrants({ client }).acquire(binding, access)).toEqual({ kind: "full" });
  });
});
