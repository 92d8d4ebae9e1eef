/** The credits of claims and refunds that a seller asks for by /settle. */
import type { Devnet } from "@farthing/devnet";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { isObject, type Address, type JsonObject } from "@farthing/protocol";
import { systemClock } from "@farthing/engine/base";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createClockWithWaits } from "../../../test/support/changed-waits.testing.ts";
import {
  authorizerOf,
  channelOf,
  deposited,
  depositBody,
  signVoucher,
  type BuyerChannel,
} from "../../../test/support/channels.testing.ts";
import {
  countOf,
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { createApiKey } from "../api-keys/key-text.ts";
import { openStore, type ServiceStore } from "../open-store.ts";

/** A caller's wait for a claim to be in a block: 25 seconds, which a test shortens. */
let callMs = 25_000;

/** The claimer looks every ten seconds; here every tenth of one. */
const clock = createClockWithWaits((ms) => (ms === 10_000 ? 100 : ms === 25_000 ? callMs : ms));

let devnet: Devnet;
let proxy: RpcProxy;
let opened: ServiceStore;
let served: Served;
let withKey: Record<string, string>;
let authorizer: Address;
let isFailing = false;
/** What happens before the end of a transaction is stored. */
let beforeClosing: (data: string) => Promise<unknown> = async () => undefined;
/** Where the database fails once: after the signed bytes were stored, or after they were sent. */
let failingAt: "recordSigned" | "recordSent" | undefined;

beforeAll(async () => {
  devnet = await startChain({ buyers: 10 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  const databaseUrl = newDatabaseUrl();
  opened = await openStore(databaseUrl);
  const account = devnet.seller.address;
  const { text } = await createApiKey(opened, systemClock, { account, mode: "test", label: "t" });
  withKey = { authorization: `Bearer ${text}` };
  const store: ServiceStore = {
    ...opened,
    spendReservations(...parameters) {
      if (isFailing) return Promise.reject(new Error("The database is gone"));
      return opened.spendReservations(...parameters);
    },
    async closeNonce(transaction, ...parameters) {
      const { data } = { data: "", ...transaction };
      await beforeClosing(data);
      return opened.closeNonce(transaction, ...parameters);
    },
    async recordSigned(...parameters) {
      const submitted = await opened.recordSigned(...parameters);
      failOnce("recordSigned");
      return submitted;
    },
    async recordSent(...parameters) {
      failOnce("recordSent");
      return opened.recordSent(...parameters);
    },
  };
  const env = {
    FARTHING_CHANNEL_SECRET: "a secret of tests that has more than 32 characters",
    FARTHING_CREDITS_PER_SETTLEMENT: "1",
  };
  const of = { selfBuilt: false, databaseUrl, store, env, clock };
  served = await serveOn(devnet, { ...of, rpcUrl: proxy.url });
  authorizer = await authorizerOf(served, withKey);
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});

function failOnce(at: typeof failingAt): void {
  if (failingAt !== at) return;
  failingAt = undefined;
  throw new Error("The database is gone");
}

const creditsNow = async () => (await opened.findCredits(devnet.seller.address)).available;

/** Changes the account's credits, which are `credits` then. */
async function setCredits(credits: number): Promise<void> {
  const change = credits - (await creditsNow());
  const of = { account: devnet.seller.address, credits: change, actor: "test", note: null };
  if (change > 0) await opened.grantCredits({ ...of, kind: "grant" }, systemClock.nowMs());
  if (change < 0) await opened.grantCredits({ ...of, kind: "adjustment" }, systemClock.nowMs());
}

/** A channel with a deposit, and an account that has `credits` afterwards. */
async function open(buyer: number, credits: number): Promise<BuyerChannel> {
  await setCredits(1);
  const channel = channelOf(devnet, walletAt(devnet.buyers, buyer), authorizer);
  const { body } = await served.post("/settle", depositBody(channel), withKey);
  expect(body).toMatchObject({ success: true });
  await setCredits(credits);
  return channel;
}

/** A row of a claim. */
function rowOf(channel: BuyerChannel, units: bigint) {
  const voucher = { channel: channel.config, maxClaimableAmount: `${units}` };
  return { voucher, signature: signVoucher(channel, units), totalClaimed: `${units}` };
}

function settle(channel: BuyerChannel, payload: JsonObject) {
  const body = depositBody(channel);
  const paymentPayload = { ...body.paymentPayload, payload };
  return served.post("/settle", { ...body, paymentPayload }, withKey);
}

const claim = (channel: BuyerChannel, units: bigint) =>
  settle(channel, { type: "claim", claims: [rowOf(channel, units)] });

/** Hands a voucher over, for which the account's only credit is reserved. */
async function keepVoucher(channel: BuyerChannel, units: bigint): Promise<void> {
  const signature = signVoucher(channel, units);
  const total = `${units}`;
  const row = {
    channelConfig: channel.config,
    maxClaimableAmount: total,
    signature,
    charged: total,
  };
  await served.post("/v1/channels/vouchers", { vouchers: [row] }, withKey);
  expect(await creditsNow()).toBe(0);
}

async function keptOf({ channelId }: BuyerChannel): Promise<JsonObject | undefined> {
  const { vouchers } = (await served.get("/v1/channels/vouchers", withKey)).body;
  const rows = Array.isArray(vouchers) ? vouchers.filter(isObject) : [];
  return rows.find((one) => one["channelId"] === channelId);
}

test("a claim for which the database fails before it is sent is not sent, and costs nothing", async () => {
  const channel = await open(0, 3);
  isFailing = true;
  onTestFinished(() => void (isFailing = false));
  const before = await countOf(devnet, served.relayer);
  expect((await claim(channel, 20_000n)).status).toBeGreaterThanOrEqual(500);
  expect(await countOf(devnet, served.relayer)).toBe(before);
  expect(await creditsNow()).toBe(3);
});

test("a claim that is not sent costs nothing", async () => {
  const channel = await open(1, 3);
  expect((await claim(channel, deposited + 1n)).body).toMatchObject({
    errorReason: "invalid_batch_settlement_evm_claim_simulation_failed",
  });
  expect(await creditsNow()).toBe(3);
  proxy.react = ({ method }) => (method === "eth_estimateGas" ? "down" : undefined);
  onTestFinished(() => void (proxy.react = () => undefined));
  expect((await claim(channel, 20_000n)).status).toBe(503);
  expect(await creditsNow()).toBe(3);
});

test("a claim is paid once a block may contain it, whatever the database says afterwards", async () => {
  const sent = await open(5, 3);
  failingAt = "recordSent";
  expect((await claim(sent, 20_000n)).body).toMatchObject({ success: true });
  expect(await creditsNow()).toBe(2);
  const signed = await open(6, 3);
  failingAt = "recordSigned";
  const errorReason = "settlement_pending";
  expect((await claim(signed, 20_000n)).body).toMatchObject({ errorReason });
  expect(await creditsNow()).toBe(2);
});

test.each([
  ["sending", "recordSent", 7],
  ["signature", "recordSigned", 8],
] as const)(
  "what the vault has reserved is not given back for a claim whose %s the database has not confirmed",
  async (_, at, buyer) => {
    const channel = await open(buyer, 1);
    await keepVoucher(channel, 20_000n);
    failingAt = at;
    await served.post("/v1/channels/claim", {}, withKey);
    await expect.poll(() => keptOf(channel)).toMatchObject({ claimed: "20000" });
    expect([failingAt, await creditsNow()]).toEqual([undefined, 0]);
  },
);

test("what the vault has reserved is spent by a claim that is asked for", async () => {
  const channel = await open(2, 1);
  await keepVoucher(channel, 20_000n);
  expect((await claim(channel, 20_000n)).body).toMatchObject({ success: true });
  await expect.poll(() => keptOf(channel)).toMatchObject({ claimed: "20000" });
  expect(await creditsNow()).toBe(0);
});

test("it is spent also where a look of the vault sees the claim before its caller is answered", async () => {
  const channel = await open(2, 1);
  await keepVoucher(channel, 30_000n);
  const signature = signVoucher(channel, 30_000n).slice(2);
  beforeClosing = async (data) => {
    // A sweep goes on: looks wait for its end.
    if (!data.includes(signature)) return;
    await expect.poll(() => keptOf(channel)).toMatchObject({ claimed: "30000" });
  };
  onTestFinished(() => void (beforeClosing = async () => undefined));
  expect((await claim(channel, 30_000n)).body).toMatchObject({ success: true });
  expect(await creditsNow()).toBe(0);
});

test("a claim that is repeated while it is under way is sent and paid for once", async () => {
  const channel = await open(9, 3);
  await devnet.rpc("evm_setAutomine", [false]);
  callMs = 100;
  onTestFinished(async () => {
    callMs = 25_000;
    await devnet.rpc("evm_setAutomine", [true]);
  });
  const errorReason = "settlement_pending";
  const told = new Set<unknown>();
  for (let call = 0; call < 3; call++) {
    const { body } = await claim(channel, 20_000n);
    expect(body).toMatchObject({ errorReason, transaction: expect.stringMatching(/^0x/) });
    told.add(body["transaction"]);
  }
  expect(told.size).toBe(1);
  expect(await creditsNow()).toBe(2);
  await devnet.mine();
  callMs = 25_000;
  await devnet.rpc("evm_setAutomine", [true]);
  const claimed = async () => (await claim(channel, 20_000n)).body;
  await expect.poll(claimed).toMatchObject({ success: true, transaction: "" });
  expect(await creditsNow()).toBe(2);
});

test("a claim that is in a block, or was not sent, keeps the next one from nothing", async () => {
  const channel = await open(9, 5);
  const refused = "invalid_batch_settlement_evm_claim_simulation_failed";
  expect((await claim(channel, 3n * deposited)).body).toMatchObject({ errorReason: refused });
  for (const units of [30_000n, 40_000n]) {
    expect((await claim(channel, units)).body).toMatchObject({ success: true });
  }
  expect(await creditsNow()).toBe(3);
});

test("of a refund's rows those of other channels cost credits", async () => {
  const other = await open(3, 0);
  const channel = await open(4, 0);
  const { channelId, config: channelConfig } = channel;
  const signature = signVoucher(channel, 30_000n);
  const refund = (claims: readonly object[]) =>
    settle(channel, {
      type: "refund",
      channelConfig,
      voucher: { channelId, maxClaimableAmount: "30000", signature },
      amount: "70000",
      refundNonce: "0",
      claims,
    });
  const own = rowOf(channel, 30_000n);
  expect((await refund([own, rowOf(other, 20_000n)])).status).toBe(403);
  expect((await refund([own])).body).toMatchObject({ success: true, amount: "70000" });
});
