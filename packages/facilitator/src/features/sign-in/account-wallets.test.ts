/** Linked wallets: two signatures make one, and it signs in and goes like the account's own. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  answerTo,
  openBrowser,
  openSignedIn,
  signIn,
  stepUp,
  type Browser,
} from "../../../test/support/browser.testing.ts";
import {
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;
let seller: DevnetWallet;
let browser: Browser;

beforeAll(async () => {
  devnet = await startChain({ buyers: 30 });
  seller = devnet.seller;
  served = await serveOn(devnet, { selfBuilt: false });
  browser = await openSignedIn(served, { wallet: seller });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

async function askNew(wallet: DevnetWallet): Promise<JsonObject> {
  const input = { address: wallet.address, chainId: 51 };
  return (await browser.post("/v1/account/wallets/link", input)).body;
}

/** Links a wallet; who signs what can be changed. */
async function link(
  wallet: DevnetWallet,
  as: { signer?: DevnetWallet; named?: DevnetWallet } = {},
) {
  const { signer = wallet, named = wallet } = as;
  const signed = answerTo(await askNew(wallet), signer);
  const approval = await stepUp(browser, seller, "link_wallet", { address: named.address });
  return browser.post("/v1/account/wallets", { ...signed, stepUp: approval });
}

async function unlink(address: string, wallet = seller, from = browser) {
  const approval = await stepUp(from, wallet, "unlink_wallet", { address });
  return from.send("DELETE", `/v1/account/wallets/${address}`, { stepUp: approval });
}

const addressesOf = async () => {
  const { wallets } = (await browser.get("/v1/account/wallets")).body;
  return Array.isArray(wallets) ? wallets.map(({ address }) => address) : [];
};

test("a linked wallet signs in to the account, until it is unlinked", async () => {
  const wallet = walletAt(devnet.buyers, 0);
  const { status, body } = await link(wallet);
  expect([status, body]).toEqual([
    201,
    {
      address: wallet.address,
      kind: "plain",
      chainId: null,
      role: "owner",
      linkedAt: expect.any(String),
      isOwn: false,
    },
  ]);
  expect(await addressesOf()).toEqual([seller.address, wallet.address]);

  const own = await signIn(openBrowser(served), { wallet });
  expect(own.body).toMatchObject({ account: wallet.address, accounts: [seller.address] });
  const linked = await openSignedIn(served, { wallet, account: seller.address });
  expect((await linked.get("/v1/account")).body).toMatchObject({
    account: seller.address,
    wallet: wallet.address,
  });
  // What it signs counts for the account.
  const input = { label: "by hand", mode: "test", expiresInDays: null };
  const approval = await stepUp(linked, wallet, "create_key", input);
  const key = (await linked.post("/v1/account/keys", { ...input, stepUp: approval })).body;
  const rotation = { id: textAt(key, "id"), overlap: "1h" };
  const { body: successor } = await browser.post(`/v1/account/keys/${rotation.id}/rotate`, {
    overlap: rotation.overlap,
    stepUp: await stepUp(browser, seller, "rotate_key", rotation),
  });
  // A key names the wallet that signed for it.
  expect((await browser.get("/v1/account/keys")).body["keys"]).toMatchObject([
    { id: successor["id"], createdBy: seller.address },
    { id: rotation.id, createdBy: wallet.address },
  ]);

  expect((await unlink(wallet.address.toLowerCase())).status).toBe(204);
  expect((await linked.get("/v1/account")).status).toBe(401);
  const again = await signIn(openBrowser(served), { wallet, account: seller.address });
  expect(again.status).toBe(401);
  expect(await addressesOf()).toEqual([seller.address]);
});

test("linking takes both signatures, each for what it is", async () => {
  const [wallet, other] = [walletAt(devnet.buyers, 1), walletAt(devnet.buyers, 2)];
  const refused = { status: 403, body: { error: "step_up_failed" } };
  // The new wallet did not sign.
  expect(await link(wallet, { signer: other })).toMatchObject(refused);
  // The session's wallet allowed another one.
  expect(await link(wallet, { named: other })).toMatchObject(refused);
  // The session's wallet answers for both, or the new one does.
  const approval = await stepUp(browser, seller, "link_wallet", { address: wallet.address });
  const twice = { ...approval, stepUp: approval };
  expect(await browser.post("/v1/account/wallets", twice)).toMatchObject(refused);
  const signed = answerTo(await askNew(wallet), wallet);
  const alone = { ...signed, stepUp: answerTo(await askNew(wallet), wallet) };
  expect(await browser.post("/v1/account/wallets", alone)).toMatchObject(refused);
  // The text was for another session.
  const otherOwner = await openSignedIn(served, { wallet: other });
  const theirs = await stepUp(otherOwner, other, "link_wallet", { address: wallet.address });
  const stolen = { ...answerTo(await askNew(wallet), wallet), stepUp: theirs };
  expect(await otherOwner.post("/v1/account/wallets", stolen)).toMatchObject(refused);
  expect(await addressesOf()).toEqual([seller.address]);
});

test("unlinking takes the signature of the session's wallet, for this wallet", async () => {
  const [wallet, other] = [walletAt(devnet.buyers, 1), walletAt(devnet.buyers, 2)];
  expect((await link(wallet)).status).toBe(201);
  const refused = { status: 403, body: { error: "step_up_failed" } };
  expect(await unlink(wallet.address, other)).toMatchObject(refused);
  const forOther = await stepUp(browser, seller, "unlink_wallet", { address: other.address });
  const path = `/v1/account/wallets/${wallet.address}`;
  expect(await browser.send("DELETE", path, { stepUp: forOther })).toMatchObject(refused);
  const toLink = await stepUp(browser, seller, "link_wallet", { address: wallet.address });
  expect(await browser.send("DELETE", path, { stepUp: toLink })).toMatchObject(refused);
  expect(await addressesOf()).toEqual([seller.address, wallet.address]);
  expect((await unlink(wallet.address)).status).toBe(204);
});

test("what is linked already, and the account's own address, are not linked again", async () => {
  const wallet = walletAt(devnet.buyers, 3);
  expect((await link(wallet)).status).toBe(201);
  expect(await link(wallet)).toMatchObject({ status: 409, body: { error: "conflict" } });
  expect(await link(seller)).toMatchObject({ status: 409, body: { error: "conflict" } });
  expect((await unlink(wallet.address)).status).toBe(204);
  expect((await unlink(wallet.address)).status).toBe(404);
  expect((await unlink(seller.address)).status).toBe(404);
});

test("one wallet may belong to several accounts", async () => {
  const wallet = walletAt(devnet.buyers, 4);
  await link(wallet);
  const before = browser;
  const second = walletAt(devnet.buyers, 5);
  browser = await openSignedIn(served, { wallet: second });
  const signed = answerTo(await askNew(wallet), wallet);
  const approval = await stepUp(browser, second, "link_wallet", { address: wallet.address });
  const linked = await browser.post("/v1/account/wallets", { ...signed, stepUp: approval });
  browser = before;
  expect(linked.status).toBe(201);
  const { body } = await signIn(openBrowser(served), { wallet });
  const { accounts } = body;
  expect(new Set(Array.isArray(accounts) ? accounts : [])).toEqual(
    new Set([seller.address, second.address]),
  );
  await unlink(wallet.address);
});

test("twenty wallets are the most", async () => {
  const wallets = Array.from({ length: 21 }, (_, index) => walletAt(devnet.buyers, 6 + index));
  const statuses = [];
  for (const wallet of wallets) statuses.push((await link(wallet)).status);
  expect(statuses).toEqual([...Array(20).fill(201), 409]);
});
