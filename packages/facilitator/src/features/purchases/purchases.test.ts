/** Credits are bought by a payment that our own engine settles, and are there once it is final. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import type { Address, Hex, JsonObject } from "@farthing/protocol";
import { createApiKey } from "../api-keys/key-text.ts";
import { systemClock } from "@farthing/engine/base";
import { openSignedIn, type Browser } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  hexAt,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  withMember,
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
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { openStore } from "../open-store.ts";

let devnet: Devnet;
let node: RpcProxy;
let served: Served;
let letGo: () => void;
let treasury: Address;

beforeAll(async () => {
  devnet = await startChain({ buyers: 16 });
  treasury = devnet.treasury.address;
  node = await startRpcProxy(devnet.rpcUrl);
  served = await serveOn(devnet, {
    selfBuilt: false,
    rpcUrl: node.url,
    env: {
      FARTHING_TREASURY: treasury,
      FARTHING_PURCHASE_REVIEW_ABOVE: "20",
      FARTHING_CONTACT: "support@pay.example",
      FARTHING_METRICS_PORT: "0",
    },
  });
  // Whatever is answered in these tests is as /openapi.json describes it.
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await served?.stop();
  await node?.stop();
  await devnet?.stop();
});

let buyersTaken = 0;

/** An account of its own, whose address holds USDC. */
async function openAccount(): Promise<{ wallet: DevnetWallet; browser: Browser }> {
  const wallet = walletAt(devnet.buyers, buyersTaken++);
  return { wallet, browser: await openSignedIn(served, { wallet }) };
}

test("a purchase is signed, settled, final, credited", async () => {
  const { wallet, browser } = await openAccount();
  const before = await devnet.usdc.balanceOf(devnet.treasury.address);
  const purchase = await beginPurchase(browser, { credits: 5_000 });
  expect(purchase).toMatchObject({
    state: "awaiting_payment",
    credits: 5_000,
    amount: "5000000",
    payTo: treasury,
    payer: wallet.address,
    network: "eip155:51",
    typedData: { message: { to: treasury, value: "5000000" } },
  });
  const paid = await payPurchase(browser, purchase, signPurchase(purchase, wallet));
  expect(paid.status).toBe(200);
  expect(paid.body).toMatchObject({ state: "settling" });
  expect(await availableOf(browser)).toBe(0);
  await mineToFinal(devnet);
  const credited = await purchaseIn(browser, purchase, "credited", "held");
  expect(credited).toMatchObject({ state: "credited", reason: null });
  expect(credited["timeline"]).toMatchObject([
    { state: "awaiting_payment" },
    { state: "settling" },
    { state: "confirmed" },
    { state: "credited" },
  ]);
  expect(await availableOf(browser)).toBe(5_000);
  expect((await devnet.usdc.balanceOf(devnet.treasury.address)) - before).toBe(5_000_000n);
  const ledger = await browser.get("/v1/account/credits/ledger");
  expect(ledger.body["entries"]).toMatchObject([
    { kind: "purchase", credits: 5_000, balanceAfter: 5_000, purchaseId: purchase["id"] },
  ]);
});

/** The payment of a purchase as anybody could bring it to /settle or to the token itself. */
function paymentOf(purchase: JsonObject, payer: DevnetWallet, changes: object = {}): JsonObject {
  return bodyOn(devnet, {
    payer,
    authorization: {
      to: treasury,
      value: BigInt(textAt(purchase, "amount")),
      validBefore: BigInt(textAt(purchase, "validBefore")),
      nonce: hexAt(purchase, "nonce"),
      ...changes,
    },
  });
}

async function usesOfPurchase(purchase: JsonObject, payer: DevnetWallet): Promise<string[]> {
  return usesOf(devnet, paymentOf(purchase, payer));
}

test("shown twice and ten times at once: settled once, credited once", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser);
  const signature = signPurchase(purchase, wallet);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => payPurchase(browser, purchase, signature)),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const ids = new Set(answers.map(({ body }) => body["settlementId"]).filter(Boolean));
  expect(ids.size).toBe(1);
  await mineToFinal(devnet);
  await purchaseIn(browser, purchase, "credited");
  // A replay of what is paid says what it became.
  expect((await payPurchase(browser, purchase, signature)).body).toMatchObject({
    state: "credited",
  });
  expect(await usesOfPurchase(purchase, wallet)).toHaveLength(1);
  expect(await availableOf(browser)).toBe(1_000);
});

test("a signature buys its own purchase only", async () => {
  const { wallet, browser } = await openAccount();
  const first = await beginPurchase(browser);
  const second = await beginPurchase(browser);
  const refused = await payPurchase(browser, second, signPurchase(first, wallet));
  expect(refused).toMatchObject({ status: 409, body: { error: "conflict" } });
  expect(refused.body["message"]).toContain("invalid_signature");
  expect(await readPurchase(browser, second)).toMatchObject({ state: "awaiting_payment" });
});

test("the wrong wallet, the wrong amount, the wrong payee: refused, and it can still be paid", async () => {
  const { wallet, browser } = await openAccount();
  const otherOwner = walletAt(devnet.buyers, 15);
  const purchase = await beginPurchase(browser);
  const wrong: Hex[] = [
    signPurchase(purchase, otherOwner),
    signPurchase(withMember(purchase, "typedData.message.value", "1"), wallet),
    signPurchase(withMember(purchase, "typedData.message.to", wallet.address), wallet),
    `0x${"00".repeat(65)}`,
  ];
  for (const signature of wrong) {
    expect(await payPurchase(browser, purchase, signature)).toMatchObject({ status: 409 });
    expect(await readPurchase(browser, purchase)).toMatchObject({ state: "awaiting_payment" });
  }
  expect(await usesOfPurchase(purchase, wallet)).toEqual([]);
  const paid = await payPurchase(browser, purchase, signPurchase(purchase, wallet));
  expect(paid.body).toMatchObject({ state: "settling" });
});

test("the payer is the account, or a wallet linked to it, and never the treasury", async () => {
  const { browser } = await openAccount();
  const { address: payer } = walletAt(devnet.buyers, 15);
  const refused = await browser.post(purchasesPath, { credits: 1_000, chainId: 51, payer });
  expect(refused).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  const operator = await openSignedIn(served, { wallet: devnet.treasury });
  const bySelf = { credits: 1_000, chainId: 51, payer: treasury };
  expect((await operator.post(purchasesPath, bySelf)).status).toBe(400);
});

test("another account's purchase is as good as none", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser);
  const other = await openAccount();
  const path = `${purchasesPath}/${textAt(purchase, "id")}`;
  const signature = signPurchase(purchase, wallet);
  expect((await other.browser.get(path)).status).toBe(404);
  expect((await other.browser.send("DELETE", path)).status).toBe(404);
  expect((await payPurchase(other.browser, purchase, signature)).status).toBe(404);
  expect((await other.browser.get(purchasesPath)).body["purchases"]).toEqual([]);
  expect(await readPurchase(browser, purchase)).toMatchObject({ state: "awaiting_payment" });
});

test("bounds: the least amount, and how many may wait", async () => {
  const { browser } = await openAccount();
  const post = (credits: unknown) => browser.post(purchasesPath, { credits, chainId: 51 });
  for (const credits of [999, 0, -1, 1.5, "1000", 1e18]) {
    expect(await post(credits)).toMatchObject({ status: 400 });
  }
  for (let count = 0; count < 10; count++) expect((await post(1_000)).status).toBe(201);
  expect(await post(1_000)).toMatchObject({ status: 409, body: { error: "conflict" } });
});

test("a canceled one is not paid; one that is under way is not canceled", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser);
  const path = `${purchasesPath}/${textAt(purchase, "id")}`;
  const signature = signPurchase(purchase, wallet);
  expect((await browser.send("DELETE", path)).body).toMatchObject({ state: "canceled" });
  const late = await payPurchase(browser, purchase, signature);
  expect(late).toMatchObject({ status: 409 });
  expect(late.body["message"]).toContain("canceled");
  expect(await usesOfPurchase(purchase, wallet)).toEqual([]);

  const next = await beginPurchase(browser);
  await payPurchase(browser, next, signPurchase(next, wallet));
  const nextPath = `${purchasesPath}/${textAt(next, "id")}`;
  expect((await browser.send("DELETE", nextPath)).status).toBe(409);
});

test("a wrong signature shown while the right one is looked at takes nothing from it", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser);
  const nonce = hexAt(purchase, "nonce").slice(2);
  const [asked, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  onTestFinished(() => void (node.step = undefined));
  node.step = async (_side, calls) => {
    if (!JSON.stringify(calls).includes(nonce)) return;
    node.step = undefined;
    asked.resolve();
    await refused.promise;
  };
  const paying = payPurchase(browser, purchase, signPurchase(purchase, wallet));
  await asked.promise;
  expect(await payPurchase(browser, purchase, "0x00")).toMatchObject({ status: 409 });
  expect(await readPurchase(browser, purchase)).toMatchObject({ state: "settling" });
  refused.resolve();
  expect((await paying).body).toMatchObject({
    state: "settling",
    settlementId: expect.stringMatching(/^stl_/),
  });
});

test("a large one is held, with its reason, and is not spendable", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser, { credits: 20_001 });
  await payPurchase(browser, purchase, signPurchase(purchase, wallet));
  await mineToFinal(devnet);
  const held = await purchaseIn(browser, purchase, "held", "credited");
  expect(held).toMatchObject({
    state: "held",
    reasonCode: "amount_above_limit",
    contact: "support@pay.example",
  });
  expect(held["reason"]).toEqual(expect.stringContaining("operator"));
  expect(await availableOf(browser)).toBe(0);
});

test("many small ones do not get around the review", async () => {
  const { wallet, browser } = await openAccount();
  for (const state of ["credited", "held"]) {
    const purchase = await beginPurchase(browser, { credits: 15_000 });
    await payPurchase(browser, purchase, signPurchase(purchase, wallet));
    await mineToFinal(devnet);
    expect(await purchaseIn(browser, purchase, "credited", "held")).toMatchObject({
      state,
      reasonCode: state === "held" ? "daily_limit" : null,
    });
  }
  expect(await availableOf(browser)).toBe(15_000);
});

test("a contract wallet buys for its own account", async () => {
  const { address, owner } = devnet.smartWallet;
  const browser = await openSignedIn(served, { wallet: owner, address });
  const purchase = await beginPurchase(browser);
  expect(purchase).toMatchObject({ payer: address });
  const paid = await payPurchase(browser, purchase, signPurchase(purchase, owner));
  expect(paid.body).toMatchObject({ state: "settling" });
  await mineToFinal(devnet);
  await purchaseIn(browser, purchase, "credited");
  expect(await availableOf(browser)).toBe(1_000);
});

test("the same nonce spent on another transfer buys nothing", async () => {
  const { wallet, browser } = await openAccount();
  const purchase = await beginPurchase(browser);
  // Through our own open face, to a payee of the payer's choice.
  const elsewhere = paymentOf(purchase, wallet, { to: devnet.seller.address });
  const settled = await served.post("/api/facilitator/settle", elsewhere);
  expect(settled.body).toMatchObject({ success: true });
  const refused = await payPurchase(browser, purchase, signPurchase(purchase, wallet));
  expect(refused).toMatchObject({ status: 409 });
  expect(refused.body["message"]).toContain("nonce_already_used");
  await mineToFinal(devnet);
  expect(await readPurchase(browser, purchase)).toMatchObject({ state: "awaiting_payment" });
  expect(await availableOf(browser)).toBe(0);
});

/** The value of a series. */
async function metric(series: string): Promise<number> {
  const text = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.split(" ")[1] ?? 0,
  );
}

test("what was bought pays for settlements, and is counted", async () => {
  const { wallet, browser } = await openAccount();
  const credited = 'x402_credit_purchases_total{network="eip155:51",state="credited"}';
  const before = await metric(credited);
  const store = await openStore(served.databaseUrl);
  onTestFinished(() => store.close());
  const input = { account: wallet.address, mode: "test", label: "shop" } as const;
  const { text: key } = await createApiKey(store, systemClock, input);
  const settle = () =>
    served.post(
      "/settle",
      bodyOn(devnet, {
        payer: walletAt(devnet.buyers, 15),
        authorization: { to: wallet.address },
      }),
      { authorization: `Bearer ${key}`, prefer: "wait=10" },
    );
  expect(await settle()).toMatchObject({
    status: 403,
    body: { error: "insufficient_facilitator_credits" },
  });
  const purchase = await beginPurchase(browser);
  await payPurchase(browser, purchase, signPurchase(purchase, wallet));
  await mineToFinal(devnet);
  await purchaseIn(browser, purchase, "credited");
  expect(await settle()).toMatchObject({ status: 200, body: { success: true } });
  expect(await availableOf(browser)).toBe(999);
  await mineToFinal(devnet);
  await expect.poll(() => metric('x402_credits_debited_total{network="eip155:51"}')).toBe(1);
  expect(await metric(credited)).toBe(before + 1);
  const { body } = await browser.get("/v1/account/credits/ledger?limit=2");
  expect(body["entries"]).toMatchObject([{ kind: "charge" }, { kind: "hold", balanceAfter: 999 }]);
  expect(body["next"]).toEqual(expect.any(String));
  const rest = await browser.get(`/v1/account/credits/ledger?cursor=${String(body["next"])}`);
  expect(rest.body["entries"]).toMatchObject([{ kind: "purchase", balanceAfter: 1_000 }]);
});
