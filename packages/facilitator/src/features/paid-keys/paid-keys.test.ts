/** A caller without a browser pays for an API key; its account is the address that paid. */
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import {
  bindingNonce,
  bodyHashOf,
  encodeHeader,
  isObject,
  readReceipt,
  requestBindingKey,
  type JsonObject,
} from "@farthing/protocol";
import { openSignedIn } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  createSteeredClock,
  memberAt,
  newNonce,
  readResponse,
  secondsFromNow,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Answer,
  type PaymentInput,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import { systemClock } from "@farthing/engine/base";
import { createApiKey } from "../api-keys/key-text.ts";
import { workingKeysMax } from "../api-keys/service.ts";
import { openStore } from "../open-store.ts";
import { mineToFinal } from "../purchases/purchases.testing.ts";

let devnet: Devnet;
let served: Served;
let letGo: () => void;
const clock = createSteeredClock();

beforeAll(async () => {
  devnet = await startChain({ buyers: 12 });
  served = await serveOn(devnet, {
    selfBuilt: false,
    clock,
    env: { FARTHING_TREASURY: devnet.treasury.address },
  });
  // Whatever is answered in these tests is as /openapi.json describes it.
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await served?.stop();
  await devnet?.stop();
});
afterEach(() => devnet.rpc("evm_setAutomine", [true]));

let buyersTaken = 0;
const nextBuyer = () => walletAt(devnet.buyers, buyersTaken++);

const path = "/v1/keys?credits=2000&label=agent";
const price = 2_000_000n;

function buy(header?: string, at = path): Promise<Answer> {
  const headers: Record<string, string> =
    header === undefined ? {} : { "payment-signature": header };
  return fetch(`${served.url}${at}`, { method: "POST", headers }).then(readResponse);
}

/** A payment to the treasury, valid for some minutes. */
function payment(payer: DevnetWallet, changes: PaymentInput["authorization"] = {}): JsonObject {
  const to = devnet.treasury.address;
  const authorization = { to, value: price, validBefore: secondsFromNow(300), ...changes };
  return bodyOn(devnet, { payer, authorization });
}

function headerOf(body: JsonObject, extensions?: JsonObject): string {
  const payload = memberAt(body, "paymentPayload");
  if (!isObject(payload)) throw new Error("there is no payment");
  return encodeHeader({ ...payload, ...(extensions && { extensions }) });
}

/** A payment that commits to this request, with its salt. */
function bound(payer: DevnetWallet, at = path): string {
  const salt = newNonce();
  const nonce = bindingNonce({
    salt,
    method: "POST",
    url: `${served.url}${at}`,
    bodyHash: bodyHashOf(new Uint8Array()),
    payTo: devnet.treasury.address,
  });
  const extension: JsonObject = { [requestBindingKey]: { info: { version: 1, salt } } };
  return headerOf(payment(payer, { nonce }), extension);
}

const ownKey = (key: string) => served.get("/v1/key", { authorization: `Bearer ${key}` });

/** The keys of an account, as its owner sees them after signing in. */
async function keysOf(wallet: DevnetWallet): Promise<unknown> {
  const browser = await openSignedIn(served, { wallet });
  return (await browser.get("/v1/account/keys")).body["keys"];
}

test("asked without a payment it names its price", async () => {
  const asked = await buy();
  expect(asked.status).toBe(402);
  expect(asked.headers.get("payment-required")).toEqual(expect.any(String));
  expect(asked.body).toMatchObject({
    x402Version: 2,
    resource: { url: `${served.url}${path}` },
    accepts: [
      { scheme: "exact", network: "eip155:51", amount: "2000000", payTo: devnet.treasury.address },
    ],
  });
  const smallest = await buy(undefined, "/v1/keys");
  expect(smallest.body).toMatchObject({ accepts: [{ amount: "1000000" }] });
  expect(await buy(undefined, "/v1/keys?credits=999")).toMatchObject({ status: 400 });
});

test("paid it opens the payer's account: a key that settles, and credits once final", async () => {
  const wallet = nextBuyer();
  const before = await devnet.usdc.balanceOf(devnet.treasury.address);
  const sold = await buy(headerOf(payment(wallet)));
  expect(sold).toMatchObject({
    status: 201,
    body: { account: wallet.address, mode: "test", credits: 2_000 },
  });
  expect(readReceipt(sold.headers)).toMatchObject({
    success: true,
    payer: wallet.address,
    transaction: sold.body["transaction"],
  });
  expect((await devnet.usdc.balanceOf(devnet.treasury.address)) - before).toBe(price);
  const key = textAt(sold.body, "key");
  expect(key.startsWith(`fk_test_${textAt(sold.body, "keyId")}`)).toBe(true);
  expect((await ownKey(key)).body).toMatchObject({ account: wallet.address, label: "agent" });
  await mineToFinal(devnet);
  const credits = async () => (await ownKey(key)).body["credits"];
  await expect.poll(credits, { interval: 200 }).toBe(2_000);
  const sale = bodyOn(devnet, { payer: nextBuyer(), authorization: { to: wallet.address } });
  const settled = await served.post("/settle", sale, {
    authorization: `Bearer ${key}`,
    prefer: "wait=20",
  });
  expect(settled.body).toMatchObject({ success: true });
  expect(await credits()).toBe(1_999);
});

test("the same payment again gives the outcome, and the key to no one", async () => {
  const wallet = nextBuyer();
  const body = payment(wallet);
  const answers = await Promise.all(Array.from({ length: 10 }, () => buy(headerOf(body))));
  const withKey = answers.filter((answer) => typeof answer.body["key"] === "string");
  expect(withKey.map(({ status }) => status)).toEqual([201]);
  const again = await buy(headerOf(body));
  expect(again).toMatchObject({ status: 200, body: { key: null, account: wallet.address } });
  expect(again.body["keyId"]).toBe(withKey[0]?.body["keyId"]);
  expect(await keysOf(wallet)).toMatchObject([{ id: again.body["keyId"] }]);
  expect(await devnet.usdc.balanceOf(wallet.address)).toBe(
    (await devnet.usdc.balanceOf(walletAt(devnet.buyers, devnet.buyers.length - 1).address)) -
      price,
  );
});

test("who lost the answer of a pending payment gets the key by its binding alone", async () => {
  const wallet = nextBuyer();
  clock.hurryFromMs = 20_000;
  onTestFinished(() => void (clock.hurryFromMs = Number.POSITIVE_INFINITY));
  await devnet.rpc("evm_setAutomine", [false]);
  const header = bound(wallet);
  const pending = await buy(header);
  expect(pending).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
  await devnet.rpc("evm_setAutomine", [true]);
  await devnet.mine();
  clock.hurryFromMs = Number.POSITIVE_INFINITY;
  // Without the salt, as anyone reads the payment from the chain.
  const rebuilt: object = JSON.parse(Buffer.from(header, "base64").toString());
  const seen = encodeHeader({ ...rebuilt, extensions: {} });
  expect(await buy(seen)).toMatchObject({ status: 200, body: { key: null, keyId: null } });
  const proven = await buy(header);
  expect(proven.status).toBe(201);
  expect((await ownKey(textAt(proven.body, "key"))).body).toMatchObject({
    account: wallet.address,
  });
  expect(await buy(header)).toMatchObject({ status: 200, body: { key: null } });
});

test("a payment that is bound to another request buys nothing", async () => {
  const wallet = nextBuyer();
  const refused = await buy(bound(wallet, "/v1/keys?credits=2001"));
  expect(refused).toMatchObject({ status: 402, body: { error: "binding_mismatch" } });
  const own = await openSignedIn(served, { wallet });
  expect((await own.get("/v1/account/credits/purchases")).body["purchases"]).toEqual([]);
});

test("a payment that cannot be settled is refused with its reason and leaves nothing", async () => {
  const wallet = nextBuyer();
  const cases: readonly [string, PaymentInput["authorization"]][] = [
    ["amount_mismatch", { value: price - 1n }],
    ["pay_to_mismatch", { to: devnet.seller.address }],
    ["authorization_expired", { validBefore: secondsFromNow(-1) }],
    ["invalid_payload", { validBefore: secondsFromNow(90_000) }],
    ["invalid_signature", { from: devnet.seller.address }],
  ];
  for (const [error, changes] of cases) {
    expect(await buy(headerOf(payment(wallet, changes)))).toMatchObject({
      status: 402,
      body: { error, accepts: [{ amount: "2000000" }] },
    });
  }
  expect(await buy("no payment")).toMatchObject({
    status: 402,
    body: { error: "invalid_payload" },
  });
  const own = await openSignedIn(served, { wallet });
  expect((await own.get("/v1/account/credits/purchases")).body["purchases"]).toEqual([]);
  expect(await keysOf(wallet)).toEqual([]);
});

test("a payment that was settled for something else sells no key", async () => {
  const body = payment(nextBuyer());
  const settled = await served.post("/api/facilitator/settle", body);
  expect(settled.body).toMatchObject({ success: true });
  expect(await buy(headerOf(body))).toMatchObject({
    status: 402,
    body: { error: "nonce_already_used" },
  });
});

test("an account that the operator deactivated buys nothing", async () => {
  const wallet = nextBuyer();
  const store = await openStore(served.databaseUrl);
  onTestFinished(() => store.close());
  await store.ensureAccount(wallet.address, Date.now());
  await store.setPlan(wallet.address, "inactive");
  const before = await devnet.usdc.balanceOf(wallet.address);
  expect(await buy(headerOf(payment(wallet)))).toMatchObject({
    status: 403,
    body: { error: "seller_plan_inactive" },
  });
  expect(await devnet.usdc.balanceOf(wallet.address)).toBe(before);
});

test("an account with as many keys as may work buys none, and pays nothing", async () => {
  const wallet = nextBuyer();
  const store = await openStore(served.databaseUrl);
  onTestFinished(() => store.close());
  await store.ensureAccount(wallet.address, Date.now());
  const input = { account: wallet.address, mode: "test", label: "shop" } as const;
  for (let made = 0; made < workingKeysMax; made++) await createApiKey(store, systemClock, input);
  const before = await devnet.usdc.balanceOf(wallet.address);
  expect(await buy(headerOf(payment(wallet)))).toMatchObject({ status: 409 });
  expect(await devnet.usdc.balanceOf(wallet.address)).toBe(before);
});
