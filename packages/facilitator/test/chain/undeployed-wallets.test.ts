/**
 * Contract wallets that are not deployed yet pay through the batch contract, which deploys them first: on
 * a real chain, over HTTP.
 */
import { hostileFactoryCall, hostileFactoryCode, type Devnet } from "@farthing/devnet";
import { deploySafe, wrapErc6492, type SafeWallet } from "@farthing/devnet/testing/safe";
import type { Address, Hex, JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  batcher,
  bySafe,
  byUndeployed,
  fundSafe,
  makeSafe,
  placeContracts,
  withBatcher,
} from "../support/batch-contract.testing.ts";
import {
  bodyOn,
  oneCent,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";

const hostileFactory: Address = "0xbad0000000000000000000000000000000000002";

let devnet: Devnet;
let served: Served;
beforeAll(async () => {
  devnet = await startChain({ buyers: 3, relayers: 4 });
  await placeContracts(devnet);
  await devnet.rpc("anvil_setCode", [hostileFactory, hostileFactoryCode]);
  const env = { ...withBatcher, FARTHING_LANE_IN_FLIGHT: "1" };
  served = await serveOn(devnet, { wallets: [0], env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const hasCode = async ({ address }: SafeWallet) =>
  (await devnet.rpc<Hex>("eth_getCode", [address, "latest"])) !== "0x";
const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
const settle = async (body: JsonObject, prefer = "wait=20") =>
  (await served.post("/settle", body, { prefer })).body;
const verify = async (at: Served, body: JsonObject) => (await at.post("/verify", body)).body;
const notDeployed = { isValid: false, invalidReason: "wallet_not_deployed" };

test("one alone is valid, is deployed with its payment, and then pays as any other", async () => {
  const safe = await fundSafe(devnet, 3, 2);
  const body = byUndeployed(devnet, safe);
  expect(await verify(served, body)).toMatchObject({ isValid: true });
  expect(await hasCode(safe)).toBe(false);
  const first = await settle(body);
  expect(first).toMatchObject({ success: true });
  expect(await hasCode(safe)).toBe(true);
  const { to } = await devnet.rpc<{ to: string }>("eth_getTransactionByHash", [
    first["transaction"],
  ]);
  expect(to).toBe(batcher);
  // Its software may go on wrapping signatures.
  expect(await settle(byUndeployed(devnet, safe))).toMatchObject({ success: true });
  expect(await settle(bySafe(devnet, safe))).toMatchObject({ success: true });
});

test("several share a transaction with others; one that is deployed meanwhile is paid too", async () => {
  const safes = [
    await fundSafe(devnet, 1, 1),
    await fundSafe(devnet, 1, 1),
    await fundSafe(devnet, 2, 2),
  ];
  const [early] = safes;
  if (!early) throw new Error("there are Safes");
  const deployed = await makeSafe(devnet, 1, 1);
  const bodies = [
    ...safes.map((safe) => byUndeployed(devnet, safe)),
    bySafe(devnet, deployed),
    bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) }),
  ];
  await automine(false);
  onTestFinished(() => automine(true).then(() => undefined));
  await settle(bodyOn(devnet), "respond-async");
  const waiting = await Promise.all(bodies.map((body) => settle(body, "wait=0")));
  await devnet.mine();
  const pages = () =>
    Promise.all(
      waiting.map(async ({ id }) => (await served.get(`/settlements/${String(id)}`)).body),
    );
  const areSent = async () => (await pages()).every(({ transaction }) => transaction !== "");
  await expect.poll(areSent, { interval: 100 }).toBe(true);
  // Ahead of the transaction in the same block.
  await deploySafe(devnet, early);
  const arePaid = async () => {
    await devnet.mine();
    return (await pages()).every(({ status }) => status === "confirmed");
  };
  await expect.poll(arePaid, { interval: 200 }).toBe(true);
  const hashes = new Set((await pages()).map(({ transaction }) => transaction));
  expect(hashes.size).toBe(1);
  for (const body of bodies) expect(await usesOf(devnet, body)).toEqual([...hashes]);
  expect(await Promise.all(safes.map(hasCode))).toEqual([true, true, true]);
});

test("without the contract, or without its factory on the list, it has to be deployed first", async () => {
  const body = byUndeployed(devnet, await fundSafe(devnet, 1, 1));
  const none = await serveOn(devnet, { wallets: [1] });
  expect(await verify(none, body)).toMatchObject({
    ...notDeployed,
    invalidMessage: "The paying smart wallet is not deployed; deploy it first.",
  });
  await none.stop();
  for (const factories of ["none", hostileFactory]) {
    const env = { ...withBatcher, FARTHING_WALLET_FACTORIES: factories };
    const unlisted = await serveOn(devnet, { wallets: [2], env });
    expect(await verify(unlisted, body)).toMatchObject({
      ...notDeployed,
      invalidMessage: expect.stringContaining("does not call its factory"),
    });
    await unlisted.stop();
  }
});

test("a wallet that cannot pay is refused with the reason, and nothing is sent", async () => {
  const poor = await fundSafe(devnet, 1, 1);
  await devnet.usdc.setBalance(poor.address, oneCent - 1n);
  const noFunds = byUndeployed(devnet, poor);
  expect(await verify(served, noFunds)).toMatchObject({ invalidReason: "insufficient_funds" });
  const safe = await fundSafe(devnet, 1, 1);
  const another = await fundSafe(devnet, 1, 1);
  // The factory call deploys another wallet than the payer.
  const wrong = byUndeployed(devnet, { ...safe, factoryCall: another.factoryCall });
  expect(await settle(wrong)).toMatchObject({ success: false, transaction: "" });
  expect(await hasCode(another)).toBe(false);
});

test("one that is drained before the block fails with the reason, and is paused", async () => {
  const safe = await fundSafe(devnet, 1, 1);
  await automine(false);
  onTestFinished(() => automine(true).then(() => undefined));
  const { id } = await settle(byUndeployed(devnet, safe), "respond-async");
  await devnet.usdc.setBalance(safe.address, 0n);
  const page = async () => (await served.get(`/settlements/${String(id)}`)).body;
  const isOver = async () => {
    await devnet.mine();
    return (await page())["status"] !== "pending";
  };
  await expect.poll(isOver, { interval: 200 }).toBe(true);
  expect(await page()).toMatchObject({ status: "failed", errorReason: "insufficient_funds" });
  await devnet.usdc.setBalance(safe.address, oneCent);
  const next = await verify(served, bySafe(devnet, safe));
  expect(next).toMatchObject({ isValid: false, invalidReason: "payer_paused" });
});

test("a factory that burns its gas is refused, also where the list has it", async () => {
  const safe = await fundSafe(devnet, 1, 1);
  const alter = () => wrapErc6492(hostileFactory, hostileFactoryCall("burn-gas"), "0x12");
  const body = bodyOn(devnet, { authorization: { from: safe.address }, alter });
  const env = { ...withBatcher, FARTHING_WALLET_FACTORIES: hostileFactory };
  const trusting = await serveOn(devnet, { wallets: [3], env });
  expect(await verify(trusting, body)).toMatchObject({ isValid: false });
  await trusting.stop();
});
