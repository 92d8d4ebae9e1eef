/** Purchases and sold keys that the database has lost after they were paid. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import {
  bindingNonce,
  bodyHashOf,
  encodeHeader,
  isObject,
  requestBindingKey,
  type JsonObject,
} from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, signIn, type Browser } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  memberAt,
  newDatabaseUrl,
  newNonce,
  readResponse,
  secondsFromNow,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  withMember,
  type Answer,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { backUp } from "../../../test/support/lost-rows.testing.ts";
import {
  availableOf,
  beginPurchase,
  mineToFinal,
  payPurchase,
  purchaseIn,
  purchasesPath,
  signPurchase,
} from "./purchases.testing.ts";

let devnet: Devnet;
let served: Served;
const databaseUrl = newDatabaseUrl();
const publicUrl = "https://pay.example";

async function start(): Promise<void> {
  const env = { FARTHING_TREASURY: devnet.treasury.address, FARTHING_PUBLIC_URL: publicUrl };
  served = await serveOn(devnet, { databaseUrl, selfBuilt: false, env });
}

/** The service goes on with an older copy of its database. */
async function restore(back: () => void): Promise<void> {
  await served.stop();
  back();
  await start();
}

beforeAll(async () => {
  devnet = await startChain({ buyers: 4 });
  await start();
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

/** A window on the pages, whose address is the public one. */
async function openPages(wallet: DevnetWallet): Promise<Browser> {
  const browser = openBrowser(served, { origin: publicUrl });
  expect((await signIn(browser, { wallet })).status).toBe(200);
  return browser;
}

test("a lost purchase is its account's again when that asks for it, and is credited once", async () => {
  const wallet = walletAt(devnet.buyers, 0);
  const first = await openPages(walletAt(devnet.buyers, 1));
  // A purchase of before the loss, so that the wallet has sent something that the copy knows.
  const kept = await beginPurchase(first, { credits: 1_000 });
  await payPurchase(first, kept, signPurchase(kept, walletAt(devnet.buyers, 1)));
  const back = backUp(databaseUrl);
  const early = await openPages(wallet);
  const purchase = await beginPurchase(early, { credits: 5_000 });
  const signature = signPurchase(purchase, wallet);
  expect((await payPurchase(early, purchase, signature)).body).toMatchObject({ state: "settling" });
  await restore(back);

  const path = `${purchasesPath}/${textAt(purchase, "id")}`;
  const stranger = await openPages(walletAt(devnet.buyers, 1));
  expect((await stranger.get(path)).status).toBe(404);
  const browser = await openPages(wallet);
  const [read, paid] = await Promise.all([
    browser.get(path),
    payPurchase(browser, purchase, signature),
  ]);
  expect([read.status, paid.status]).toEqual([200, 200]);
  await mineToFinal(devnet);
  expect(await purchaseIn(browser, purchase, "credited", "held")).toMatchObject({
    state: "credited",
    credits: 5_000,
    amount: "5000000",
  });
  expect((await payPurchase(browser, purchase, signature)).body).toMatchObject({
    state: "credited",
  });
  expect(await availableOf(browser)).toBe(5_000);
});

const keysPath = "/v1/keys?credits=2000&label=agent";

/**
 * A payment for a key, with its salt where it commits to the request; `forged` is what others who have
 * seen it on the chain can send, without the signature.
 */
function paymentOf(
  payer: DevnetWallet,
  salt?: `0x${string}`,
): { body: JsonObject; header: string; forged: string } {
  const payTo = devnet.treasury.address;
  const request = { method: "POST", url: `${publicUrl}${keysPath}`, payTo };
  const nonce = salt
    ? bindingNonce({ ...request, salt, bodyHash: bodyHashOf(new Uint8Array()) })
    : newNonce();
  const terms = { to: payTo, value: 2_000_000n, validBefore: secondsFromNow(300), nonce };
  const body = bodyOn(devnet, { payer, authorization: terms });
  const payload = memberAt(body, "paymentPayload");
  if (!isObject(payload)) throw new Error("there is no payment");
  const extensions = salt && { [requestBindingKey]: { info: { version: 1, salt } } };
  const headerOf = (one: JsonObject) => encodeHeader({ ...one, ...(extensions && { extensions }) });
  const unsigned = withMember(payload, "payload.signature", `0x${"22".repeat(65)}`);
  return { body, header: headerOf(payload), forged: headerOf(unsigned) };
}

const buy = (header: string): Promise<Answer> =>
  fetch(`${served.url}${keysPath}`, {
    method: "POST",
    headers: { "payment-signature": header },
  }).then(readResponse);

test.each([
  ["whose payment proves its request gets a key", 2, true],
  ["whose payment anyone could repeat gets the credits alone", 3, false],
])("a lost sale of a key: the buyer %s", async (_name, buyer, isBound) => {
  const wallet = walletAt(devnet.buyers, buyer);
  const back = backUp(databaseUrl);
  const { body, header, forged } = paymentOf(wallet, isBound ? newNonce() : undefined);
  expect((await buy(header)).status).toBe(201);
  await restore(back);

  expect((await buy(forged)).body).not.toHaveProperty("account");
  const again = await buy(header);
  expect(again.body).toMatchObject({ account: wallet.address, credits: 2_000 });
  expect(again.body["key"]).toEqual(isBound ? expect.stringMatching(/^fk_test_/) : null);
  expect((await buy(header)).body["key"]).toBe(null);
  expect(await usesOf(devnet, body)).toHaveLength(1);
  await mineToFinal(devnet);
  const browser = await openPages(wallet);
  const soon = { timeout: 60_000, interval: 200 };
  await expect.poll(() => availableOf(browser), soon).toBe(2_000);
});
