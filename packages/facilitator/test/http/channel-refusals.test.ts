/**
 * Messages of channels that /verify and /settle refuse, each with a reason of its own. The facilitator
 * refuses them before it sends a transaction, so that it pays no gas for them.
 */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  authorizerOf,
  channelOf,
  deposited,
  depositBody,
  signVoucher,
  type BuyerChannel,
} from "../support/channels.testing.ts";
import {
  countOf,
  finalAfterBlocks,
  serveOn,
  startChain,
  walletAt,
  withMember,
  type Served,
} from "../support/facilitator.testing.ts";
import { keyIn } from "../support/api-keys.testing.ts";

const units = 30_000n;
const prefix = "invalid_batch_settlement_evm_";

let devnet: Devnet;
let served: Served;
let withKey: Record<string, string>;
/** It has a deposit, of which nothing is claimed yet. */
let channel: BuyerChannel;
/** Its claims are signed by the seller. */
let other: BuyerChannel;

beforeAll(async () => {
  devnet = await startChain({ buyers: 4 });
  const env = { FARTHING_CHANNEL_SECRET: "a secret of tests that has more than 32 characters" };
  served = await serveOn(devnet, { selfBuilt: false, env });
  withKey = { authorization: `Bearer ${await keyIn(served.databaseUrl, devnet.seller.address)}` };
  channel = channelOf(devnet, walletAt(devnet.buyers, 0), await authorizerOf(served, withKey));
  other = channelOf(devnet, walletAt(devnet.buyers, 1));
  const { body } = await served.post("/settle", depositBody(channel), withKey);
  expect(body).toMatchObject({ success: true });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

/** The message of a channel with another payload. */
function bodyWith(payload: JsonObject, of = channel) {
  const body = depositBody(of);
  return { ...body, paymentPayload: { ...body.paymentPayload, payload } };
}

const settle = async (body: object) => (await served.post("/settle", body, withKey)).body;
const verify = async (body: object) => (await served.post("/verify", body, withKey)).body;

const rowOf = (of: BuyerChannel, claimed = units, signature = signVoucher(of, units)) => ({
  voucher: { channel: of.config, maxClaimableAmount: `${units}` },
  signature,
  totalClaimed: `${claimed}`,
});

const claim = (...claims: JsonObject[]) => bodyWith({ type: "claim", claims });
const sweep = (receiver: string, token: string = channel.config.token) =>
  bodyWith({ type: "settle", receiver, token });

const voucherOf = (of: BuyerChannel, amount: bigint, by = of) => ({
  type: "voucher",
  channelConfig: of.config,
  voucher: {
    channelId: by.channelId,
    maxClaimableAmount: `${amount}`,
    signature: signVoucher({ ...by, privateKey: of.privateKey }, amount),
  },
});

const refund = (refundNonce: string, amount = 1n, of = channel) =>
  bodyWith({
    ...voucherOf(channel, units, of),
    type: "refund",
    amount: `${amount}`,
    refundNonce,
    claims: [],
  });

/** All that follows is refused without a transaction. */
async function sendsNothing(work: () => Promise<void>): Promise<void> {
  const before = await countOf(devnet, served.relayer);
  await work();
  expect(await countOf(devnet, served.relayer)).toBe(before);
}

test.each([
  ["a voucher of another channel", "channel_id_mismatch", () => voucherOf(channel, 1n, other)],
  [
    "more than the channel holds",
    "cumulative_exceeds_balance",
    () => voucherOf(channel, deposited + 1n),
  ],
  [
    "a voucher that another key has signed",
    "voucher_signature",
    () => voucherOf({ ...channel, privateKey: other.privateKey }, 1n),
  ],
] as const)("/verify of %s: %s", async (_, code, payload) => {
  const refused = { isValid: false, invalidReason: `${prefix}${code}` };
  expect(await verify(bodyWith(payload()))).toMatchObject(refused);
});

test("a deposit in the domain of another version of the token", async () => {
  const body = withMember(depositBody(other), "paymentRequirements.extra.version", "1");
  const code = `${prefix}missing_eip712_domain`;
  await sendsNothing(async () => {
    expect(await verify(body)).toMatchObject({ isValid: false, invalidReason: code });
    expect(await settle(body)).toMatchObject({ success: false, errorReason: code });
  });
});

test.each([
  [
    "a claim of more than is signed",
    "charge_exceeds_signed_cumulative",
    () => claim(rowOf(channel, units + 1n)),
  ],
  [
    "a claim by a voucher that another key has signed",
    "voucher_signature",
    () =>
      claim(
        rowOf(channel, units, signVoucher({ ...channel, privateKey: other.privateKey }, units)),
      ),
  ],
  [
    "one claim for two authorizers",
    "authorizer_address_mismatch",
    () => claim(rowOf(channel), rowOf(other)),
  ],
  ["a sweep to another address", "receiver_mismatch", () => sweep(other.config.payer)],
  [
    "a sweep of another token",
    "receiver_mismatch",
    () => sweep(channel.config.receiver, other.config.payer),
  ],
  ["a sweep of nothing", "nothing_to_settle", () => sweep(channel.config.receiver)],
  ["a refund with a nonce that is not the next one", "refund_payload", () => refund("7")],
  ["a refund of another channel", "channel_id_mismatch", () => refund("0", 1n, other)],
] as const)("/settle of %s: %s", async (_, code, body) => {
  await sendsNothing(async () => {
    const refused = { success: false, errorReason: `${prefix}${code}`, transaction: "" };
    expect(await settle(body())).toMatchObject(refused);
  });
});

test("a channel of another receiver: the key is for another address", async () => {
  const foreign = channelOf({ seller: walletAt(devnet.buyers, 2) }, walletAt(devnet.buyers, 1));
  await sendsNothing(async () => {
    for (const path of ["/verify", "/settle"]) {
      expect(await served.post(path, depositBody(foreign), withKey)).toMatchObject({
        status: 403,
        body: { error: "payee_mismatch" },
      });
    }
  });
});

test("a channel of the test network: a live key is told which one is needed", async () => {
  const { databaseUrl } = served;
  const live = await keyIn(databaseUrl, devnet.seller.address, { mode: "live" });
  await sendsNothing(async () => {
    for (const path of ["/verify", "/settle"]) {
      const message = depositBody(channelOf(devnet, walletAt(devnet.buyers, 3)));
      expect(await served.post(path, message, { authorization: `Bearer ${live}` })).toMatchObject({
        status: 401,
        body: { error: "unauthorized", message: expect.stringContaining("needs a test key") },
      });
    }
  });
});

test("a deposit whose payer has no money left when it is in a block", async () => {
  const before = await countOf(devnet, served.relayer);
  await devnet.rpc("evm_setAutomine", [false]);
  onTestFinished(() => devnet.rpc("evm_setAutomine", [true]));
  const settling = settle(depositBody(other));
  await expect.poll(() => countOf(devnet, served.relayer)).toBe(before + 1);
  await devnet.usdc.setBalance(other.config.payer, 0n);
  await devnet.mine(1 + finalAfterBlocks);
  const code = `${prefix}deposit_transaction_failed`;
  expect(await settling).toMatchObject({ success: false, errorReason: code });
});

test("what is claimed is not claimed again, and of what is returned nothing goes back again", async () => {
  expect(await settle(claim(rowOf(channel)))).toMatchObject({ success: true });
  await sendsNothing(async () => {
    expect(await settle(claim(rowOf(channel)))).toMatchObject({ success: true, transaction: "" });
  });
  // A voucher for what is claimed already pays for no call.
  expect(await verify(bodyWith(voucherOf(channel, units)))).toMatchObject({
    isValid: false,
    invalidReason: `${prefix}cumulative_below_claimed`,
  });
  const rest = deposited - units;
  expect(await settle(refund("0", rest))).toMatchObject({ success: true, amount: `${rest}` });
  await sendsNothing(async () => {
    expect(await settle(refund("1", rest))).toMatchObject({
      success: false,
      errorReason: `${prefix}refund_no_balance`,
    });
  });
});
