/**
 * Deposits to channels are settled once: whoever dies or forgets in between, the money moves once, and
 * nobody is told that it failed.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Devnet } from "@farthing/devnet";
import { channelIdOf, type JsonObject } from "@farthing/protocol";
import { channelNetwork, channelOf, deposited, depositBody } from "../support/channels.testing.ts";
import {
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  walletAt,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain({ buyers: 6 });
});
afterAll(() => devnet?.stop());

const sent = async () =>
  Number(
    await devnet.rpc<string>("eth_getTransactionCount", [devnet.relayers[0]?.address, "pending"]),
  );

/** What went from a buyer into its channel. */
async function paidBy(buyer: number, before: bigint): Promise<bigint> {
  return before - (await devnet.usdc.balanceOf(walletAt(devnet.buyers, buyer).address));
}

const balanceOf = (buyer: number) => devnet.usdc.balanceOf(walletAt(devnet.buyers, buyer).address);

const made = (body: JsonObject) => ({
  success: body["success"],
  amount: body["amount"],
  transaction: body["transaction"],
});

test("a service that stops before the block leaves the deposit to the next one", async () => {
  const databaseUrl = newDatabaseUrl();
  const body = depositBody(channelOf(devnet, walletAt(devnet.buyers, 0)));
  const before = await balanceOf(0);
  await devnet.rpc("evm_setAutomine", [false]);
  const first = await serveOn(devnet, { databaseUrl });
  const sentBefore = await sent();
  const asked = first.post("/settle", body);
  await expect.poll(sent).toBe(sentBefore + 1);
  await first.stop();
  // Unknown, so neither a success nor a failure.
  const told = (await asked).body;
  expect(told).toMatchObject({ success: false, errorReason: "settlement_pending" });
  const second = await serveOn(devnet, { databaseUrl });
  const repeated = second.post("/settle", body);
  await devnet.rpc("evm_setAutomine", [true]);
  await devnet.mine(3);
  expect(made((await repeated).body)).toEqual({
    success: true,
    amount: `${deposited}`,
    transaction: textAt(told, "transaction"),
  });
  expect(await sent()).toBe(sentBefore + 1);
  expect(await paidBy(0, before)).toBe(deposited);
  await second.stop();
});

/** Of the devnet's contract wallet, whose owner signs its vouchers. */
function contractChannel() {
  const { address, owner } = devnet.smartWallet;
  const { config } = channelOf(devnet, { ...owner, address });
  const signed = { ...config, payerAuthorizer: owner.address };
  const channelId = channelIdOf(channelNetwork, signed);
  return { config: signed, channelId, privateKey: owner.privateKey };
}

test.each([
  ["", () => channelOf(devnet, walletAt(devnet.buyers, 1))],
  [" of a contract wallet", contractChannel],
] as const)(
  "a service that has lost its database tells of the deposit%s from the chain",
  async (_, channelOfPayer) => {
    const channel = channelOfPayer();
    const body = depositBody(channel);
    const before = await devnet.usdc.balanceOf(channel.config.payer);
    const first = await serveOn(devnet, { wallets: [1] });
    const settled = await first.post("/settle", body);
    expect(settled.body).toMatchObject({ success: true });
    await first.stop();
    const second = await serveOn(devnet, { wallets: [1] });
    const verified = await second.post("/verify", body);
    // The balance contains the deposit, which is not added a second time.
    expect(verified.body).toMatchObject({ isValid: true, extra: { balance: `${deposited}` } });
    expect(made((await second.post("/settle", body)).body)).toEqual(made(settled.body));
    expect(before - (await devnet.usdc.balanceOf(channel.config.payer))).toBe(deposited);
    await second.stop();
  },
);

test("twelve equal deposits at once move the money once", async () => {
  const body = depositBody(channelOf(devnet, walletAt(devnet.buyers, 2)));
  const before = await balanceOf(2);
  const served = await serveOn(devnet, { wallets: [2] });
  const all = await Promise.all(Array.from({ length: 12 }, () => served.post("/settle", body)));
  const results = new Set(all.map((one) => JSON.stringify(made(one.body))));
  expect(results.size).toBe(1);
  expect(all[0]?.body).toMatchObject({ success: true });
  expect(await paidBy(2, before)).toBe(deposited);
  await served.stop();
});

test("a payer without the money, and a deposit that another key signed, are refused", async () => {
  const served = await serveOn(devnet, { wallets: [3] });
  const poor = walletAt(devnet.buyers, 3);
  await devnet.usdc.setBalance(poor.address, deposited - 1n);
  const prefix = "invalid_batch_settlement_evm_";
  const short = depositBody(channelOf(devnet, poor));
  const refusedFor = async (body: object, code: string) => {
    const verdict = (await served.post("/verify", body)).body;
    expect(verdict).toMatchObject({ isValid: false, invalidReason: `${prefix}${code}` });
    const result = (await served.post("/settle", body)).body;
    expect(result).toMatchObject({ success: false, errorReason: `${prefix}${code}` });
  };
  await refusedFor(short, "insufficient_balance");
  const channel = channelOf(devnet, walletAt(devnet.buyers, 4));
  const { privateKey } = walletAt(devnet.buyers, 5);
  const foreign = depositBody({ ...channel, privateKey });
  const own = depositBody(channel).paymentPayload.payload;
  // The voucher is the payer's, the deposit is not.
  foreign.paymentPayload.payload.voucher = own.voucher;
  await refusedFor(foreign, "receive_authorization_signature");
  await served.stop();
});
