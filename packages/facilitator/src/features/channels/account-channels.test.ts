/** What an account sees of its channels: webhooks, credits, revenue, and what a reorganisation changes. */
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Devnet } from "@farthing/devnet";
import {
  channelContract,
  channelIdOf,
  isObject,
  type Address,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import { systemClock } from "@farthing/engine/base";
import * as Hash from "ox/Hash";
import {
  authorizerOf,
  channelNetwork,
  channelOf,
  deposited,
  depositBody,
  signVoucher,
  type BuyerChannel,
} from "../../../test/support/channels.testing.ts";
import { openSignedIn, stepUp, type Browser } from "../../../test/support/browser.testing.ts";
import { createClockWithWaits } from "../../../test/support/changed-waits.testing.ts";
import {
  memberAt,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { listenHere } from "../../../test/support/listening.testing.ts";
import { createApiKey } from "../api-keys/key-text.ts";
import { openStore, type ServiceStore } from "../open-store.ts";

/** The claimer looks every ten seconds; here every tenth of one. */
const clock = createClockWithWaits((ms) => (ms === 10_000 ? 100 : ms));

let devnet: Devnet;
let served: Served;
let store: ServiceStore;
let seller: Browser;
let key: string;
let authorizer: Address;
let hook: Server;
const received: JsonObject[] = [];

beforeAll(async () => {
  devnet = await startChain({ buyers: 8 });
  const env = {
    FARTHING_CHANNEL_SECRET: "a secret of tests that has more than 32 characters",
    FARTHING_CREDITS_PER_SETTLEMENT: "1",
    FARTHING_WEBHOOK_INSECURE: "yes",
    FARTHING_HEAD_AGE_MAX: "0",
  };
  served = await serveOn(devnet, { selfBuilt: false, env, clock });
  store = await openStore(served.databaseUrl);
  const account = devnet.seller.address;
  const input = { account, mode: "test", label: "shop" } as const;
  key = (await createApiKey(store, systemClock, input)).text;
  seller = await openSignedIn(served, { wallet: devnet.seller });
  authorizer = await authorizerOf(served, withKey());
  await subscribe();
});
afterAll(async () => {
  hook?.closeAllConnections();
  hook?.close();
  await store?.close();
  await served?.stop();
  await devnet?.stop();
});

const withKey = () => ({ authorization: `Bearer ${key}` });

async function subscribe(): Promise<void> {
  hook = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      const message: unknown = JSON.parse(text);
      if (isObject(message)) received.push(message);
      response.writeHead(204).end();
    });
  });
  const url = `http://127.0.0.1:${await listenHere(hook)}/hook`;
  const signed = await stepUp(seller, devnet.seller, "webhook_secret", { url });
  const ofChannels = ["opened", "claimed", "withdrawing", "refunded", "closed"];
  const ofPayments = ["confirmed", "finalized", "failed"];
  const events = [
    ...ofChannels.map((event) => `channel.${event}`),
    ...ofPayments.map((event) => `settlement.${event}`),
  ];
  const added = await seller.post("/v1/account/webhooks", { url, events, stepUp: signed });
  expect(added.status).toBe(201);
}

/** What webhooks were told of a channel, in the order of their names. */
const toldOf = ({ channelId }: BuyerChannel) =>
  received
    .filter(({ type }) => String(type).startsWith("channel."))
    .filter((message) => textAt(message, "data.channelId") === channelId)
    .map((message) => textAt(message, "type").replace("channel.", ""))
    .toSorted();

async function grant(credits: number): Promise<void> {
  const { address: account } = devnet.seller;
  await store.grantCredits(
    { account, kind: credits > 0 ? "grant" : "adjustment", credits, actor: "test", note: null },
    systemClock.nowMs(),
  );
}

const creditsNow = async () => (await store.findCredits(devnet.seller.address)).available;

async function open(buyer: number): Promise<BuyerChannel> {
  const channel = channelOf(devnet, walletAt(devnet.buyers, buyer), authorizer);
  const settled = await served.post("/settle", depositBody(channel), withKey());
  expect(settled.body).toMatchObject({ success: true });
  return channel;
}

async function hand(channel: BuyerChannel, charged: bigint): Promise<JsonObject> {
  const signature = signVoucher(channel, charged);
  const row = { channelConfig: channel.config, maxClaimableAmount: `${charged}`, signature };
  // All of it, as by a seller that has had no answer yet.
  const sold = [{ resource: "https://shop.example/r", route: "GET /r", units: `${charged}` }];
  const vouchers = [{ ...row, charged: `${charged}`, sold }];
  return (await served.post("/v1/channels/vouchers", { vouchers }, withKey())).body;
}

const askForClaims = () => served.post("/v1/channels/claim", {}, withKey());

/** What the vault has of a channel. */
async function keptOf({ channelId }: BuyerChannel): Promise<JsonObject> {
  const { vouchers } = (await served.get("/v1/channels/vouchers", withKey())).body;
  const rows = Array.isArray(vouchers) ? vouchers.filter(isObject) : [];
  return rows.find((one) => one["channelId"] === channelId) ?? {};
}

async function callAs(from: Address, data: Hex): Promise<Hex> {
  await devnet.rpc("anvil_impersonateAccount", [from]);
  return devnet.rpc<Hex>("eth_sendTransaction", [{ from, to: channelContract, data }]);
}

const callAsPayer = ({ config }: BuyerChannel, data: Hex) => callAs(config.payer, data);

test("webhooks are told once of each event, and a claim costs a credit that is reserved", async () => {
  await grant(3);
  const channel = await open(0);
  await expect.poll(() => toldOf(channel)).toEqual(["opened"]);
  expect(await creditsNow()).toBe(2);
  await hand(channel, 40_000n);
  await hand(channel, 50_000n);
  expect(await creditsNow()).toBe(1);
  // Whatever happens to the credits meanwhile, the claim is made.
  await grant(-1);
  await askForClaims();
  await expect.poll(() => keptOf(channel)).toMatchObject({ claimed: "50000" });
  await expect.poll(() => toldOf(channel)).toEqual(["claimed", "opened"]);
  // Nothing is unclaimed; a payer who withdraws is seen all the same.
  await callAsPayer(channel, channelCalls.initiateWithdraw(channel.config, 50_000n));
  await expect.poll(() => toldOf(channel)).toEqual(["claimed", "opened", "withdrawing"]);
  await devnet.rpc("evm_increaseTime", [1_000]);
  await devnet.mine();
  await callAsPayer(channel, channelCalls.finalizeWithdraw(channel.config));
  await expect.poll(() => toldOf(channel)).toEqual(["claimed", "closed", "opened", "withdrawing"]);
  const [claimed] = received.filter(({ type }) => type === "channel.claimed");
  expect(claimed).toMatchObject({
    data: { network: "eip155:51", amount: "50000", claimed: "50000", charged: "50000" },
  });
  expect(await creditsNow()).toBe(0);
});

test("an account without credits is refused the voucher, not the claim", async () => {
  await grant(1);
  const channel = await open(1);
  const code = "insufficient_facilitator_credits";
  expect(await hand(channel, 10_000n)).toMatchObject({
    kept: [],
    refused: [{ errorReason: code }],
  });
  await grant(1);
  expect(await hand(channel, 10_000n)).toMatchObject({ refused: [] });
  expect(await creditsNow()).toBe(0);
  // Claimed by the seller itself: the reserved credit comes back.
  const row = {
    config: channel.config,
    maxClaimableAmount: 10_000n,
    signature: signVoucher(channel, 10_000n),
    totalClaimed: 10_000n,
  };
  await devnet.rpc("anvil_setBalance", [devnet.seller.address, "0xde0b6b3a7640000"]);
  const claim = channelCalls.claim([row]);
  await callAs(devnet.seller.address, claim);
  await expect.poll(creditsNow).toBe(1);
  expect(await keptOf(channel)).toMatchObject({ claimed: "10000", claimBy: null });
});

test("a claim that a reorganisation undoes is made again, for nothing", async () => {
  await grant(1);
  const channel = await open(2);
  await hand(channel, 20_000n);
  const before = await creditsNow();
  // No block comes after the claim's: one that the service has seen as final cannot vanish.
  await devnet.rpc("evm_setAutomine", [false]);
  await askForClaims();
  await expect.poll(() => devnet.rpc("txpool_status")).toMatchObject({ pending: "0x1" });
  await devnet.mine();
  await expect.poll(() => toldOf(channel)).toEqual(["claimed", "opened"]);
  const told = received.find(
    (message) =>
      message["type"] === "channel.claimed" &&
      textAt(message, "data.channelId") === channel.channelId,
  );
  const block = Number(memberAt(told ?? {}, "data.blockNumber"));
  const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
  await devnet.rpc("anvil_reorg", [head - block + 1, []]);
  await devnet.rpc("anvil_dropAllTransactions", []);
  await devnet.mine();
  await expect.poll(() => keptOf(channel)).toMatchObject({ claimed: "0" });
  expect(typeof (await keptOf(channel))["claimBy"]).toBe("number");
  await devnet.rpc("evm_setAutomine", [true]);
  await askForClaims();
  // The wallet sends its transaction again with the next block after it has seen the reorganisation.
  const afterBlock = () => devnet.mine().then(() => keptOf(channel));
  await expect.poll(afterBlock).toMatchObject({ claimed: "20000", claimBy: null });
  expect(await creditsNow()).toBe(before);
});

const channelsOf = async (query = "") =>
  (await seller.get(`/v1/account/channels?network=eip155:51${query}`)).body;

test("the account reads what its channels come to, each of them, and a file", async () => {
  const all = await channelsOf();
  expect(all).toMatchObject({
    sums: { open: 2, charged: "80000", claimed: "80000", atRisk: "0", nextClaimAt: null },
  });
  expect(memberAt(all, "sums.days")).toMatchObject([{ charged: "80000", claimed: "80000" }]);
  const rows = Array.isArray(all["channels"]) ? all["channels"].filter(isObject) : [];
  expect(rows.map(({ claimed }) => claimed)).toEqual(["20000", "10000", "50000"]);
  const closed = await channelsOf("&state=closed");
  expect(closed["channels"]).toMatchObject([{ state: "closed", balance: "50000" }]);
  const first = await channelsOf("&limit=1");
  const { channels } = await channelsOf(`&limit=5&cursor=${textAt(first, "next")}`);
  expect(channels).toEqual(rows.slice(1));
  const [newest] = rows;
  const path = `/v1/account/channels/${textAt(newest ?? {}, "channelId")}`;
  const events = async () => {
    const { body } = await seller.get(path);
    const list = Array.isArray(body["events"]) ? body["events"].filter(isObject) : [];
    return list.map(({ what, isReorganised }) => [what, isReorganised]);
  };
  // The claim that was made again is seen with the next look.
  await expect.poll(events).toContainEqual(["claimed", false]);
  expect((await events()).at(-1)).toEqual(["deposited", false]);
  const lines = await seller.download("/v1/account/channels?network=eip155:51&format=csv");
  expect(lines).toHaveLength(4);
  const stranger = await openSignedIn(served, { wallet: walletAt(devnet.buyers, 4) });
  expect((await stranger.get(path)).status).toBe(404);
  // A key reads the same, of networks of its kind; without one and without a session nothing is told.
  const listing = "/v1/account/channels?network=eip155:51";
  expect((await served.get(listing, withKey())).body).toEqual(await channelsOf());
  expect((await served.get(path, withKey())).body["channelId"]).toBe(newest?.["channelId"]);
  const { address: other } = walletAt(devnet.buyers, 4);
  const strange = await createApiKey(store, systemClock, {
    account: other,
    mode: "test",
    label: "",
  });
  const asOther = { authorization: `Bearer ${strange.text}` };
  expect((await served.get(path, asOther)).status).toBe(404);
  expect((await served.get(listing, asOther)).body["channels"]).toEqual([]);
  expect((await served.get(path)).status).toBe(401);
});

test("what was charged is revenue; a deposit is none", async () => {
  const query = "network=eip155:51&by=payer";
  const { body } = await seller.get(`/v1/account/revenue?${query}`);
  expect(body).toMatchObject({ total: { amount: "80000" } });
  const names = Array.isArray(body["names"]) ? body["names"].filter(isObject) : [];
  expect(names.map(({ amount }) => amount)).toEqual(["50000", "20000", "10000"]);
  for (const [basis, name] of [
    ["route", "GET /r"],
    ["resource", "https://shop.example/r"],
  ]) {
    const shown = await seller.get(`/v1/account/revenue?network=eip155:51&by=${basis}`);
    expect(shown.body).toMatchObject({ names: [{ name, amount: "80000", settlements: 0 }] });
  }
  const { body: found } = await seller.get("/v1/account/customers?network=eip155:51");
  expect(found["customers"]).toHaveLength(3);
  expect(await store.auditCredits(10)).toEqual([]);
});

test("a channel that has lost its money without an event holds up no other claim", async () => {
  await grant(4);
  const [empty, good] = [await open(3), await open(5)];
  await hand(empty, 30_000n);
  await hand(good, 40_000n);
  // The contract's first mapping: balance and claimed total of each channel.
  const slot = Hash.keccak256(`0x${empty.channelId.slice(2)}${"0".repeat(64)}`);
  await devnet.rpc("anvil_setStorageAt", [channelContract, slot, `0x${"0".repeat(64)}`]);
  await askForClaims();
  await expect.poll(() => keptOf(good)).toMatchObject({ claimed: "40000" });
  await expect.poll(() => keptOf(empty)).toMatchObject({ balance: "0", claimBy: null });
  expect(toldOf(empty)).toEqual(["opened"]);
});

test("a stolen key of a payer's authorizer pays nobody but the seller and the payer", async () => {
  await grant(2);
  const [thief, payer] = [walletAt(devnet.buyers, 4), walletAt(devnet.buyers, 6)];
  const own = channelOf(devnet, payer, authorizer);
  const config = { ...own.config, payerAuthorizer: thief.address };
  const channel = { ...own, config, channelId: channelIdOf(channelNetwork, config) };
  const stolen = { ...channel, privateKey: thief.privateKey };
  const body = depositBody(channel);
  const { payload } = body.paymentPayload;
  const voucher = { ...payload.voucher, signature: signVoucher(stolen, 1_000n) };
  const paymentPayload = { ...body.paymentPayload, payload: { ...payload, voucher } };
  const settled = await served.post("/settle", { ...body, paymentPayload }, withKey());
  expect(settled.body).toMatchObject({ success: true });
  // The payer's own key signs no vouchers of this channel.
  expect(await hand(channel, 25_000n)).toMatchObject({ kept: [] });
  expect(await hand(stolen, 25_000n)).toMatchObject({ refused: [] });
  const balances = () =>
    Promise.all([thief, payer].map(({ address }) => devnet.usdc.balanceOf(address)));
  const [before, paidIn] = await balances();
  await callAs(thief.address, channelCalls.initiateWithdraw(config, deposited));
  // The claim comes first, since the withdrawal has to wait.
  await expect.poll(() => keptOf(channel)).toMatchObject({ claimed: "25000" });
  await devnet.rpc("evm_increaseTime", [1_000]);
  await devnet.mine();
  await callAs(thief.address, channelCalls.finalizeWithdraw(config));
  await expect.poll(() => toldOf(channel)).toContain("closed");
  expect(await balances()).toEqual([before, (paidIn ?? 0n) + deposited - 25_000n]);
});

test("a voucher that anybody reads from a claim claims no more than its seller has charged", async () => {
  await grant(3);
  const channel = await open(4);
  const signature = signVoucher(channel, 90_000n);
  const signed = { maxClaimableAmount: "90000", signature, charged: "20000" };
  const vouchers = [{ channelConfig: channel.config, ...signed }];
  await served.post("/v1/channels/vouchers", { vouchers }, withKey());
  await askForClaims();
  await expect.poll(() => keptOf(channel)).toMatchObject({ claimed: "20000" });
  const claim = (totalClaimed: string) => {
    const body = depositBody(channel);
    const voucher = { channel: channel.config, maxClaimableAmount: "90000" };
    const payload = { type: "claim", claims: [{ voucher, signature, totalClaimed }] };
    return { ...body, paymentPayload: { ...body.paymentPayload, payload } };
  };
  const errorReason = "invalid_batch_settlement_evm_authorizer_not_configured";
  const refused = await served.post("/api/facilitator/settle", claim("90000"));
  expect(refused.body).toMatchObject({ errorReason });
  // The seller's own costs what a claim of the vault costs, and is not made without credits.
  const before = await creditsNow();
  expect((await served.post("/settle", claim("30000"), withKey())).body["success"]).toBe(true);
  if (before > 1) await grant(1 - before);
  expect(await creditsNow()).toBe(0);
  expect((await served.post("/settle", claim("31000"), withKey())).status).toBe(403);
  expect(await store.auditCredits(10)).toEqual([]);
});

test("a refund is told, and a deposit is never told as a payment", async () => {
  await grant(2);
  const channel = await open(7);
  await hand(channel, 30_000n);
  const { paymentPayload, paymentRequirements } = depositBody(channel);
  const { config: channelConfig, channelId } = channel;
  const signature = signVoucher(channel, 30_000n);
  const voucher = { channelId, maxClaimableAmount: "30000", signature };
  const claim = {
    voucher: { channel: channelConfig, maxClaimableAmount: "30000" },
    signature,
    totalClaimed: "30000",
  };
  const terms = { amount: "70000", refundNonce: "0", claims: [claim] };
  const payload = { type: "refund", channelConfig, voucher, ...terms };
  const body = {
    x402Version: 2,
    paymentPayload: { ...paymentPayload, payload },
    paymentRequirements: { ...paymentRequirements, amount: "0" },
  };
  expect((await served.post("/settle", body, withKey())).body).toMatchObject({
    success: true,
    amount: "70000",
  });
  const all = ["claimed", "closed", "opened", "refunded"];
  await expect.poll(() => toldOf(channel)).toEqual(all);
  const refunded = received.find(({ type }) => type === "channel.refunded");
  expect(refunded).toMatchObject({
    data: { channelId, amount: "70000", balance: "30000", charged: "30000" },
  });
  // Sellers serve by the events of payments.
  expect(received.map(({ type }) => type)).not.toContain("settlement.confirmed");
});
