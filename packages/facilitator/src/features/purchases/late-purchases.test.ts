/** Purchases that go another way: paid late, paid without us, reorganised, failed, reviewed. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { openSignedIn, type Browser } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  createSteeredClock,
  frontRun,
  hexAt,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import {
  availableOf,
  beginPurchase,
  mineToFinal,
  payPurchase,
  purchaseIn,
  purchasesPath,
  readPurchase,
  signPurchase,
} from "./purchases.testing.ts";
import { openStore, type ServiceStore } from "../open-store.ts";

let devnet: Devnet;
let served: Served;
let letGo: () => void;
let store: ServiceStore;
const clock = createSteeredClock();

beforeAll(async () => {
  devnet = await startChain({ buyers: 10 });
  served = await serveOn(devnet, {
    selfBuilt: false,
    clock,
    env: { FARTHING_TREASURY: devnet.treasury.address, FARTHING_HEAD_AGE_MAX: "0" },
  });
  store = await openStore(served.databaseUrl);
  // Whatever is answered in these tests is as /openapi.json describes it.
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await store?.close();
  await served?.stop();
  await devnet?.stop();
});
afterEach(() => devnet.rpc("evm_setAutomine", [true]));

let buyersTaken = 0;

async function openAccount(): Promise<{ wallet: DevnetWallet; browser: Browser }> {
  const wallet = walletAt(devnet.buyers, buyersTaken++);
  return { wallet, browser: await openSignedIn(served, { wallet }) };
}

/** The payment as its payer could bring it to the token himself. */
function paymentOf(purchase: JsonObject, payer: DevnetWallet, changes: object = {}): JsonObject {
  return bodyOn(devnet, {
    payer,
    authorization: {
      to: devnet.treasury.address,
      value: BigInt(textAt(purchase, "amount")),
      validBefore: BigInt(textAt(purchase, "validBefore")),
      nonce: hexAt(purchase, "nonce"),
      ...changes,
    },
  });
}

/** The time of a purchase runs out, for us and for the chain, and that is final. */
async function outlive(purchase: JsonObject): Promise<void> {
  const end = Number(textAt(purchase, "validBefore"));
  clock.aheadMs = Math.max(clock.aheadMs, end * 1000 + 1_000 - Date.now());
  await devnet.setNextBlockTimestamp(Math.floor(clock.nowMs() / 1000));
  await mineToFinal(devnet);
}

const pathOf = (purchase: JsonObject) => `${purchasesPath}/${textAt(purchase, "id")}`;

test("a block that vanishes before it is final: credited once the other one is", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser);
  await payPurchase(browser, purchase, signPurchase(purchase, wallet));
  const body = paymentOf(purchase, wallet);
  await expect.poll(() => usesOf(devnet, body)).toHaveLength(1);
  const [hash] = await usesOf(devnet, body);
  await devnet.rpc("evm_setAutomine", [false]);
  const receipt = await devnet.rpc<{ blockNumber: Hex }>("eth_getTransactionReceipt", [hash]);
  const head = await devnet.rpc<Hex>("eth_blockNumber");
  const depth = Number(head) - Number(receipt.blockNumber) + 1;
  await devnet.rpc("anvil_reorg", [depth, []]);
  expect(await usesOf(devnet, body)).toEqual([]);
  await devnet.mine();
  expect(await readPurchase(browser, purchase)).toMatchObject({ state: "settling" });
  expect(await availableOf(browser)).toBe(0);
  await devnet.rpc("evm_setAutomine", [true]);
  const uses = async () => {
    await devnet.mine();
    return usesOf(devnet, body);
  };
  await expect.poll(uses, { interval: 500 }).toHaveLength(1);
  await mineToFinal(devnet);
  await purchaseIn(browser, purchase, "credited");
  expect(await availableOf(browser)).toBe(1_000);
  // What is final does not come back to be credited again, or to be taken away.
  expect(await store.recordReorganised(51, 0, clock.nowMs())).toEqual([]);
  expect(await availableOf(browser)).toBe(1_000);
});

test("money that is gone in between: failed, with the reason; then a third party pays it after all", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser);
  await devnet.rpc("evm_setAutomine", [false]);
  await payPurchase(browser, purchase, signPurchase(purchase, wallet));
  await devnet.usdc.setBalance(wallet.address, 0n);
  await mineToFinal(devnet);
  await devnet.rpc("evm_setAutomine", [true]);
  const failed = await purchaseIn(browser, purchase, "failed");
  expect(failed["reason"]).toEqual(expect.stringContaining("No money moved"));
  expect(await payPurchase(browser, purchase, "0x00")).toMatchObject({ status: 200 });
  await devnet.usdc.setBalance(wallet.address, 10_000_000n);
  await frontRun(devnet, paymentOf(purchase, wallet));
  await mineToFinal(devnet);
  await purchaseIn(browser, purchase, "credited");
  expect(await availableOf(browser)).toBe(1_000);
});

test("a wallet that is unlinked before the payment is final: held", async () => {
  const { browser, wallet: own } = await openAccount();
  const payer = walletAt(devnet.buyers, 9);
  const account = own.address;
  const member = { account, address: payer.address, role: "owner" } as const;
  const link = { ...member, kind: "plain", chainId: null, linkedAt: clock.nowMs() } as const;
  await store.linkWallet(link, { walletsMax: 5 });
  const purchase = await beginPurchase(browser, { payer: payer.address });
  await payPurchase(browser, purchase, signPurchase(purchase, payer));
  await store.unlinkWallet(account, payer.address, { now: clock.nowMs(), by: account });
  await mineToFinal(devnet);
  const held = await purchaseIn(browser, purchase, "held", "credited");
  expect(held).toMatchObject({ state: "held", reasonCode: "sender_not_linked" });
  // The operator decides; then it is in the ledger, once.
  const id = textAt(purchase, "id");
  const credited = { to: "credited", reviewer: "olga", reviewNote: "known" } as const;
  const decide = () => store.movePurchase(id, "held", credited, clock.nowMs());
  expect((await Promise.all([decide(), decide()])).filter(Boolean)).toHaveLength(1);
  expect(await availableOf(browser)).toBe(1_000);
});

test("not paid in time: refused, and expired once no one can pay it", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser);
  const signature = signPurchase(purchase, wallet);
  await outlive(purchase);
  expect(await payPurchase(browser, purchase, signature)).toMatchObject({ status: 409 });
  await purchaseIn(browser, purchase, "expired");
  expect(await usesOf(devnet, paymentOf(purchase, wallet))).toEqual([]);
});

test("paid by its payer himself, waiting or canceled: found, and credited once, for its price alone", async () => {
  const { wallet, browser } = await openAccount();
  const waiting = await beginPurchase(browser);
  const canceled = await beginPurchase(browser);
  const unpaid = await beginPurchase(browser);
  for (const one of [canceled, unpaid]) await browser.send("DELETE", pathOf(one));
  for (const one of [waiting, canceled]) await frontRun(devnet, paymentOf(one, wallet));
  // Their nonces are spent on less, and on another payee.
  const others = [{ value: 1n }, { to: devnet.seller.address }];
  const unlike: JsonObject[] = [];
  for (const changes of others) {
    const purchase = await beginPurchase(browser);
    await frontRun(devnet, paymentOf(purchase, wallet, changes));
    unlike.push(purchase);
  }
  await outlive(unlike.at(-1) ?? unpaid);
  await purchaseIn(browser, waiting, "credited");
  await purchaseIn(browser, canceled, "credited");
  for (const one of unlike) await purchaseIn(browser, one, "expired", "credited");
  // It cannot be paid any more; to its owner it is what he made it.
  const id = textAt(unpaid, "id");
  await expect.poll(async () => (await store.findPurchase(id))?.state).toBe("expired");
  expect(await readPurchase(browser, unpaid)).toMatchObject({ state: "canceled" });
  expect(await availableOf(browser)).toBe(2_000);
  expect(await store.auditCredits(10)).toEqual([]);
});

test("paid over the open face by anybody who has the signature: found by its nonce", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser);
  const settled = await served.post("/api/facilitator/settle", paymentOf(purchase, wallet));
  expect(settled.body).toMatchObject({ success: true });
  await outlive(purchase);
  await purchaseIn(browser, purchase, "credited");
  expect(await availableOf(browser)).toBe(1_000);
});
