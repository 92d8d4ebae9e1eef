/**
 * Contract wallets sign in on their own chain (ERC-1271), and are nobody on another one: the same
 * address there may have another owner, or none.
 */
import type { Devnet } from "@farthing/devnet";
import { parseWireAddress, type ChainId, type Hex, type JsonObject } from "@farthing/protocol";
import * as SignatureErc6492 from "ox/erc6492/SignatureErc6492";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  answerTo,
  askSignIn,
  openBrowser,
  openSignedIn,
  signIn,
  signText,
  stepUp,
} from "../../../test/support/browser.testing.ts";
import {
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";

const complete = "/v1/account/sign-in/complete";

let mainnet: Devnet;
let testnet: Devnet;
let proxy: RpcProxy;
let served: Served;

beforeAll(async () => {
  [mainnet, testnet] = await Promise.all([startChain({ chainId: 50 }), startChain()]);
  // The sample wallet is a contract on the testnet only.
  await mainnet.rpc("anvil_setCode", [mainnet.smartWallet.address, "0x"]);
  proxy = await startRpcProxy(testnet.rpcUrl);
  served = await serveOn(testnet, {
    selfBuilt: false,
    rpcUrl: proxy.url,
    env: { FARTHING_RPC_50: mainnet.rpcUrl },
  });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await Promise.all([mainnet?.stop(), testnet?.stop()]);
});
afterEach(async () => {
  proxy.react = () => undefined;
  await testnet.walletMode("owner-signed");
});

let contractsMade = 0;

/** A contract wallet of the sample's owner on some of the chains, at an address of its own. */
async function deployOn(...devnets: readonly Devnet[]): Promise<Hex> {
  const digits = (++contractsMade).toString(16);
  const address = parseWireAddress(`0xc0de${digits.padStart(36, "0")}`);
  if (!address) throw new Error("no address");
  const code = await testnet.rpc<Hex>("eth_getCode", [testnet.smartWallet.address, "latest"]);
  for (const devnet of devnets) {
    await devnet.rpc("anvil_setCode", [address, code]);
    await setOwner(devnet, address, testnet.smartWallet.owner.address);
  }
  return address;
}

/** Makes somebody a contract wallet's owner: it stands in its first place of storage. */
async function setOwner({ rpc }: Devnet, wallet: Hex, owner: Hex): Promise<void> {
  const word: Hex = `0x${owner.slice(2).padStart(64, "0")}`;
  await rpc("anvil_setStorageAt", [wallet, `0x${"0".repeat(64)}`, word]);
}

/** The sample's owner, who signs for a contract wallet. */
function ownerOf(address: Hex, chainId: ChainId = 51) {
  return { wallet: testnet.smartWallet.owner, address, chainId };
}

const refused = [401, { error: "sign_in_failed" }] as const;

describe("a contract wallet", () => {
  test("signs in on its chain, and not on another one", async () => {
    const address = await deployOn(testnet);
    const browser = openBrowser(served);
    const { status, body } = await signIn(browser, ownerOf(address));
    const itself = { account: address, wallet: address, walletKind: "contract", chainId: 51 };
    expect([status, body]).toMatchObject([200, itself]);
    expect((await browser.get("/v1/account")).body).toMatchObject(itself);
    const { body: list } = await browser.get("/v1/account/wallets");
    expect(list).toMatchObject({
      wallets: [{ address, kind: "contract", chainId: 51, isOwn: true }],
    });

    const elsewhere = await signIn(openBrowser(served), ownerOf(address, 50));
    expect([elsewhere.status, elsewhere.body]).toMatchObject(refused);
  });

  test("signs for actions too, as long as its owner is its owner", async () => {
    const address = await deployOn(testnet);
    const browser = await openSignedIn(served, ownerOf(address));
    const key = { label: "shop", mode: "test", expiresInDays: null };
    const create = async () =>
      browser.post("/v1/account/keys", {
        ...key,
        stepUp: await stepUp(browser, testnet.smartWallet.owner, "create_key", key),
      });
    expect((await create()).status).toBe(201);
    await setOwner(testnet, address, testnet.seller.address);
    expect(await create()).toMatchObject({ status: 403, body: { error: "step_up_failed" } });
  });

  test("is mainnet's where it is a contract on both chains", async () => {
    const address = await deployOn(mainnet, testnet);
    const onTestnet = await signIn(openBrowser(served), ownerOf(address, 51));
    expect([onTestnet.status, onTestnet.body]).toMatchObject(refused);
    expect((await signIn(openBrowser(served), ownerOf(address, 50))).status).toBe(200);
  });

  test("is not taken over by a contract at its address on another chain", async () => {
    const address = await deployOn(testnet);
    expect((await signIn(openBrowser(served), ownerOf(address))).status).toBe(200);
    const { smartWallet, seller } = testnet;
    const code = await testnet.rpc<Hex>("eth_getCode", [smartWallet.address, "latest"]);
    await mainnet.rpc("anvil_setCode", [address, code]);
    await setOwner(mainnet, address, seller.address);
    const otherOwner = { wallet: seller, address, chainId: 50 as const };
    const answer = await signIn(openBrowser(served), otherOwner);
    expect([answer.status, answer.body]).toMatchObject(refused);
    expect((await signIn(openBrowser(served), ownerOf(address))).status).toBe(200);
  });

  test("signs in to the account that has linked it, on its chain only", async () => {
    const address = await deployOn(mainnet, testnet);
    const account = testnet.seller.address;
    const browser = await openSignedIn(served, { wallet: testnet.seller });
    const linked = await browser.post("/v1/account/wallets", {
      ...answerTo(
        (await browser.post("/v1/account/wallets/link", { address, chainId: 51 })).body,
        testnet.smartWallet.owner,
      ),
      stepUp: await stepUp(browser, testnet.seller, "link_wallet", { address }),
    });
    expect([linked.status, linked.body]).toMatchObject([
      201,
      { address, kind: "contract", chainId: 51, isOwn: false },
    ]);
    const other = openBrowser(served);
    const answer = await signIn(other, { ...ownerOf(address), account });
    expect([answer.status, answer.body]).toMatchObject([200, { account, wallet: address }]);
    const elsewhere = await signIn(openBrowser(served), { ...ownerOf(address, 50), account });
    expect([elsewhere.status, elsewhere.body]).toMatchObject(refused);
    // On its own it is an account too, and hears of the other one.
    const own = await signIn(openBrowser(served), ownerOf(address, 50));
    expect(own.body).toMatchObject({ account: address, accounts: [] });
  });

  test("is not removed from an account by a contract at its address on another chain", async () => {
    const owner = testnet.seller;
    const account = owner.address;
    const browser = await openSignedIn(served, { wallet: owner });
    const path = `/v1/account/memberships/${account}`;
    const address = await deployOn(testnet);
    const details = { address, role: "developer", chainId: 51 };
    const approval = await stepUp(browser, owner, "invite_member", details);
    const invitation = { ...details, stepUp: approval };
    expect((await browser.post("/v1/account/invitations", invitation)).status).toBe(201);
    const own = await openSignedIn(served, ownerOf(address));
    // The address has no account of its own on a chain as long as its wallet has not signed in.
    const other = await deployOn(testnet);
    const otherDetails = { ...details, address: other };
    const otherApproval = await stepUp(browser, owner, "invite_member", otherDetails);
    const invited = { ...otherDetails, stepUp: otherApproval };
    expect((await browser.post("/v1/account/invitations", invited)).status).toBe(201);
    const thief = walletAt(testnet.buyers, 1);
    const code = await testnet.rpc<Hex>("eth_getCode", [address, "latest"]);
    await mainnet.rpc("anvil_setCode", [other, code]);
    await setOwner(mainnet, other, thief.address);
    const elsewhere = { wallet: thief, address: other, chainId: 50 } as const;
    const stranger = await openSignedIn(served, elsewhere);
    expect((await stranger.send("DELETE", path)).status).toBe(404);
    expect((await own.send("DELETE", path)).status).toBe(204);
  });

  test("is refused with another wallet's signature", async () => {
    const address = await deployOn(testnet);
    const { status, body } = await signIn(openBrowser(served), {
      ...ownerOf(address),
      wallet: testnet.seller,
    });
    expect([status, body]).toMatchObject(refused);
  });

  test.each(["refuse", "revert", "burn-gas", "return-bomb"] as const)(
    "is refused when it does this: %s",
    async (mode) => {
      const { address } = testnet.smartWallet;
      await testnet.walletMode(mode);
      const { status, body } = await signIn(openBrowser(served), ownerOf(address));
      expect([status, body]).toMatchObject(refused);
    },
  );

  test("may have approved the text on chain: then the signature is empty", async () => {
    const { address } = testnet.smartWallet;
    await testnet.walletMode("accept-all");
    const browser = openBrowser(served);
    const { requestId } = await askSignIn(browser, ownerOf(address));
    expect((await browser.post(complete, { requestId, signature: "0x" })).status).toBe(200);
  });

  test("that is deployed may send its signature in the wrapping for those that are not", async () => {
    const browser = openBrowser(served);
    const asked = await askSignIn(browser, ownerOf(await deployOn(testnet)));
    const answer = { requestId: asked["requestId"], signature: wrapped(asked) };
    expect((await browser.post(complete, answer)).status).toBe(200);
  });

  test("that is not deployed is told so", async () => {
    const browser = openBrowser(served);
    const address = "0x2222222222222222222222222222222222222222";
    const asked = await askSignIn(browser, ownerOf(address));
    const answer = { requestId: asked["requestId"], signature: wrapped(asked) };
    const { status, body } = await browser.post(complete, answer);
    expect([status, body]).toMatchObject([
      401,
      { error: "sign_in_failed", message: expect.stringMatching(/not deployed/) },
    ]);
  });
});

describe("while the node does not answer", () => {
  test("a contract's signature is not called wrong", async () => {
    const browser = openBrowser(served);
    const asked = await askSignIn(browser, ownerOf(await deployOn(testnet)));
    proxy.react = () => "down";
    const { status, body, headers } = await browser.post(
      complete,
      answerTo(asked, testnet.smartWallet.owner),
    );
    expect([status, body]).toMatchObject([503, { error: "service_unavailable", retryable: true }]);
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
  });

  test("a plain wallet signs in all the same", async () => {
    proxy.react = () => "down";
    const wallet = walletAt(testnet.buyers, 0);
    expect((await signIn(openBrowser(served), { wallet })).status).toBe(200);
  });
});

/** The owner's signature of a text, wrapped as for a wallet that is still to be deployed. */
function wrapped(asked: JsonObject): Hex {
  const signature = signText(textAt(asked, "message"), testnet.smartWallet.owner);
  return SignatureErc6492.wrap({ to: testnet.token, data: "0x1234", signature });
}
