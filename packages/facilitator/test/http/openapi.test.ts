/** The description of the service is right: what it answers, in success and failure, is described. */
import type { Devnet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerTo, openBrowser, openSignedIn, signIn, stepUp } from "../support/browser.testing.ts";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  walletAt,
  withMember,
  type Served,
} from "../support/facilitator.testing.ts";
import { startReceiver } from "../support/listening.testing.ts";
import { startMailServer, useEmails } from "../support/mail-server.testing.ts";
import { useMembers } from "../support/members.testing.ts";
import { newAttestationKey } from "../support/attestation-keys.testing.ts";
import { failingStore } from "../support/failing-store.testing.ts";
import { writeExamples } from "../support/openapi-examples.testing.ts";
import { holdAnswers, readContract, type Contract } from "../support/openapi.testing.ts";
import {
  beginPurchase,
  payPurchase,
  purchasesPath,
  signPurchase,
} from "../../src/features/purchases/purchases.testing.ts";
import { buyKey } from "../../src/features/paid-keys/paid-keys.testing.ts";
import { channelPaths, useVault } from "../support/channels.testing.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let store: ServiceStore;
let served: Served;
let contract: Contract;
let webhookUrl = "";
/** While set, the database fails. */
let isStoreDown = false;
const endings: (() => unknown)[] = [];

beforeAll(async () => {
  devnet = await startChain({ relayers: 3 });
  const databaseUrl = newDatabaseUrl();
  store = await openStore(databaseUrl);
  webhookUrl = await startReceiver(endings);
  const mail = await startMailServer();
  endings.push(mail.stop);
  served = await serveOn(devnet, {
    selfBuilt: false,
    databaseUrl,
    store: failingStore(store, () => isStoreDown),
    env: {
      FARTHING_TREASURY: devnet.treasury.address,
      FARTHING_ATTESTATION_KEYS: newAttestationKey().signing,
      FARTHING_WEBHOOK_INSECURE: "yes",
      FARTHING_LISTING_LOCAL: "yes",
      ...mail.env,
      FARTHING_RATE_LIMIT: "100000",
      FARTHING_TRUSTED_PROXIES: "127.0.0.1",
    },
  });
  contract = await readContract(served.url);
  endings.push(holdAnswers(served.url, contract));
});
afterAll(async () => {
  for (const end of endings) end();
  writeExamples();
  await served?.stop();
  await devnet?.stop();
});

/** Runs while the database fails. */
async function withoutStore(work: () => Promise<unknown>): Promise<void> {
  isStoreDown = true;
  try {
    await work();
  } finally {
    isStoreDown = false;
  }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const input = { label: "shop", mode: "test", expiresInDays: null };

async function newKey(): Promise<string> {
  const browser = await openSignedIn(served, { wallet: devnet.seller });
  const approval = await stepUp(browser, devnet.seller, "create_key", input);
  const made = await browser.post("/v1/account/keys", { ...input, stepUp: approval });
  return textAt(made.body, "key");
}

async function addCredits(credits: number): Promise<void> {
  const grant = { kind: "grant", actor: "operator", note: null, credits } as const;
  await store.grantCredits({ account: devnet.seller.address, ...grant }, Date.now());
}

const newSeller = () => openSignedIn(served, { wallet: devnet.seller });

test("it is a valid OpenAPI 3.1 document, each operation with a name of its own", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(contract.document));
  expect([valid, errors]).toEqual([true, undefined]);
  expect(contract.document).toMatchObject({ openapi: "3.1.0", info: { title: "Farthing" } });
  const names = contract.successes.map((one) => one.split(" ")[0]);
  expect(names.length).toBeGreaterThan(40);
});

describe.each(["", "/api/facilitator"])("the payments under '%s'", (base) => {
  test("in success and refusal", async () => {
    const headers = base === "" ? bearer(await newKey()) : {};
    await addCredits(10);
    await served.get(`${base}/supported`);
    await served.post(`${base}/accepts`, { x402Version: 2, accepts: [] }, headers);
    const body = bodyOn(devnet);
    await served.post(`${base}/verify`, body, headers);
    const other = withMember(body, "paymentRequirements.amount", "1");
    await served.post(`${base}/verify`, other, headers);
    await served.post(`${base}/verify`, { paymentPayload: 1 }, headers);
    const prefer = { ...headers, prefer: "wait=10" };
    const settled = await served.post(`${base}/settle`, body, prefer);
    expect(settled.body).toMatchObject({ status: "confirmed" });
    await served.post(`${base}/settle`, body, headers);
    await served.post(`${base}/settle`, bodyOn(devnet), { ...headers, prefer: "respond-async" });
    const unpaid = bodyOn(devnet, { authorization: { value: 10n ** 18n } });
    await served.post(`${base}/settle`, unpaid, headers);
    await served.post(`${base}/settle`, { paymentPayload: 1 }, headers);
    const id = textAt(settled.body, "id");
    await served.get(`${base}/settlements/${id}?wait=0`, headers);
    await served.get(`${base}/settlements/${id}/attestation`, headers);
    expect((await served.get(`${base}/settlements/stl_0`, headers)).status).toBe(404);
    // Signed by the payer, so it is refused.
    const { paymentPayload: sent } = body;
    const payload = isObject(sent) ? sent["payload"] : undefined;
    const key = bearer(await newKey());
    for (const refund of [{ settlementId: id, ...(isObject(payload) ? payload : {}) }, {}]) {
      expect((await served.post("/v1/refunds", refund, key)).status).toBe(200);
    }
    expect((await served.get(`${base}/settlements/${id}?wait=x`, headers)).status).toBe(400);
  });

  test("in failure", async () => {
    const headers = base === "" ? bearer(await newKey()) : {};
    for (const path of [`${base}/verify`, `${base}/settle`]) {
      expect((await served.post(path, "{", headers)).status).toBe(400);
      const type = { ...headers, "content-type": "text/plain" };
      expect((await served.post(path, "x", type)).status).toBe(415);
      expect((await served.post(path, `{"a":"${"x".repeat(70_000)}"}`, headers)).status).toBe(413);
      await withoutStore(async () => {
        expect((await served.post(path, bodyOn(devnet), headers)).status).toBeGreaterThan(499);
      });
    }
    await withoutStore(() => served.get(`${base}/settlements/stl_0`, headers));
  });

  test("and its health", async () => {
    await served.get("/.well-known/jwks.json");
    for (const path of ["/health", "/v1/status"]) await served.get(`${base}${path}`);
    // A periodic write may have met the missing store of the test before.
    await expect.poll(async () => (await served.get(`${base}/ready`)).status).toBe(200);
    await withoutStore(async () => {
      expect((await served.get(`${base}/ready`)).status).toBe(503);
    });
  });
});

test("what a key is not good for", async () => {
  const key = await newKey();
  const foreign = bodyOn(devnet, { authorization: { to: walletAt(devnet.buyers, 1).address } });
  const poor = await openSignedIn(served, { wallet: walletAt(devnet.buyers, 2) });
  const approval = await stepUp(poor, walletAt(devnet.buyers, 2), "create_key", input);
  const made = await poor.post("/v1/account/keys", { ...input, stepUp: approval });
  const own = { to: walletAt(devnet.buyers, 2).address };
  const unpaid = bodyOn(devnet, { authorization: own });
  for (const path of ["/verify", "/settle"]) {
    expect((await served.post(path, bodyOn(devnet))).status).toBe(401);
    expect((await served.post(path, foreign, bearer(key))).status).toBe(403);
  }
  const denied = await served.post("/settle", unpaid, bearer(textAt(made.body, "key")));
  expect([denied.status, denied.body["error"]]).toEqual([403, "insufficient_facilitator_credits"]);
  expect((await served.get("/settlements/stl_0")).status).toBe(401);
  expect((await served.get("/v1/key", bearer(key))).status).toBe(200);
  expect((await served.get("/v1/key")).status).toBe(401);
  await useVault(served, devnet, bearer(key));
});

test("sign-in, sessions and the account", async () => {
  const browser = openBrowser(served);
  const { seller } = devnet;
  expect((await signIn(browser, { wallet: seller })).status).toBe(200);
  const failed = await signIn(openBrowser(served), { wallet: seller, address: devnet.token });
  expect(failed.status).toBe(401);
  await browser.get("/v1/account");
  await browser.send("PATCH", "/v1/account", { label: "Shop", lowCreditsAt: 5 });
  expect((await browser.send("PATCH", "/v1/account", { plan: "active" })).status).toBe(400);
  await browser.get("/v1/account/sessions");
  const missing = await browser.send("DELETE", "/v1/account/sessions/ses_0");
  expect(missing.status).toBe(404);
  const other = await newSeller();
  const { sessions } = (await other.get("/v1/account/sessions")).body;
  const current = (Array.isArray(sessions) ? sessions : []).find(({ isCurrent }) => isCurrent);
  await browser.send("DELETE", `/v1/account/sessions/${textAt(current, "id")}`);
  const approval = await stepUp(browser, seller, "revoke_sessions", {});
  await browser.send("DELETE", "/v1/account/sessions", { stepUp: approval });
  const again = { stepUp: approval };
  expect((await browser.send("DELETE", "/v1/account/sessions", again)).status).toBe(403);
  const evil = { origin: "https://evil.example" };
  expect((await browser.post("/v1/account/sign-out", {}, evil)).status).toBe(403);
  await withoutStore(() => browser.get("/v1/account"));
  await withoutStore(() =>
    browser.post("/v1/account/step-up", { action: "revoke_sessions", details: {} }),
  );
  expect((await browser.post("/v1/account/sign-out", {})).status).toBe(204);
  expect((await browser.get("/v1/account")).status).toBe(401);
});

test("asking too often", async () => {
  const from = { "x-forwarded-for": "192.0.2.1" };
  const answer = { requestId: "sgn_0", signature: "0x" };
  const statuses = new Set<number>();
  for (let index = 0; index < 31; index++) {
    const path = "/v1/account/sign-in/complete";
    statuses.add((await openBrowser(served).post(path, answer, from)).status);
  }
  expect(statuses).toEqual(new Set([401, 429]));
  // Checks ask strangers' servers: of one account not without end.
  const browser = await openSignedIn(served, { wallet: walletAt(devnet.buyers, 0) });
  const trial = { url: "https://127.0.0.1:1/r", method: "GET" };
  const tried: number[] = [];
  for (let index = 0; index < 31; index++) {
    tried.push((await browser.post("/v1/listings/check", trial)).status);
  }
  expect([tried.indexOf(429), tried.at(-1)]).toEqual([30, 429]);
});

test("members, wallets and keys", async () => {
  await useMembers(served, { owner: devnet.seller, wallet: walletAt(devnet.buyers, 1) });
  const browser = await newSeller();
  const wallet = walletAt(devnet.buyers, 0);
  const { address } = wallet;
  const path = "/v1/account/wallets";
  const link = async () => {
    const asked = await browser.post(`${path}/link`, { address, chainId: 51 });
    const approval = await stepUp(browser, devnet.seller, "link_wallet", { address });
    return browser.post(path, { ...answerTo(asked.body, wallet), stepUp: approval });
  };
  expect([(await link()).status, (await link()).status]).toEqual([201, 409]);
  await browser.get(path);
  const unlink = async () => ({
    stepUp: await stepUp(browser, devnet.seller, "unlink_wallet", { address }),
  });
  await browser.send("DELETE", `${path}/${address}`, await unlink());
  expect((await browser.send("DELETE", `${path}/${address}`, await unlink())).status).toBe(404);

  const keys = "/v1/account/keys";
  const approval = await stepUp(browser, devnet.seller, "create_key", input);
  const made = await browser.post(keys, { ...input, stepUp: approval });
  const id = textAt(made.body, "id");
  const rotation = async () => ({
    overlap: "1h",
    stepUp: await stepUp(browser, devnet.seller, "rotate_key", { id, overlap: "1h" }),
  });
  expect((await browser.post(`${keys}/${id}/rotate`, await rotation())).status).toBe(201);
  expect((await browser.post(`${keys}/${id}/rotate`, await rotation())).status).toBe(409);
  await browser.send("DELETE", `${keys}/${id}`);
  expect((await browser.send("DELETE", `${keys}/AAAAAAAAAAAA`)).status).toBe(404);
  await browser.get(keys);
});

test("credits and purchases", async () => {
  const browser = await openSignedIn(served, { wallet: walletAt(devnet.buyers, 3) });
  await browser.get("/v1/account/credits");
  const given_up = await beginPurchase(browser);
  await browser.send("DELETE", `${purchasesPath}/${textAt(given_up, "id")}`);
  const purchase = await beginPurchase(browser);
  const signature = signPurchase(purchase, walletAt(devnet.buyers, 3));
  expect((await payPurchase(browser, purchase, signature)).status).toBe(200);
  const gone = await browser.send("DELETE", `${purchasesPath}/${textAt(purchase, "id")}`);
  expect(gone.status).toBe(409);
  await browser.get(`${purchasesPath}/${textAt(purchase, "id")}`);
  expect((await browser.get(`${purchasesPath}/pur_${"0".repeat(32)}`)).status).toBe(404);
  await browser.get(`${purchasesPath}?limit=1`);
});

test("a key without a browser", async () => {
  expect(await buyKey(served, devnet)).toEqual([402, 201, 200]);
});

test("history, as JSON and as files", async () => {
  const browser = await newSeller();
  const { body } = await browser.get("/v1/account/settlements?limit=1");
  await browser.send("GET", "/v1/account/settlements?format=csv");
  const { settlements } = body;
  const [first] = Array.isArray(settlements) ? settlements : [];
  await browser.get(`/v1/account/settlements/${textAt(first, "id")}`);
  const unknown = `/v1/account/settlements/stl_${"0".repeat(32)}`;
  expect((await browser.get(unknown)).status).toBe(404);
  for (const path of channelPaths(devnet)) await browser.get(path);
  for (const sums of ["credits/ledger", "revenue", "customers", "usage", "channels"]) {
    for (const format of ["", "?format=csv"]) await browser.get(`/v1/account/${sums}${format}`);
  }
  expect((await browser.get("/v1/account/settlements?colour=red")).status).toBe(400);
  // The tests before made calls with keys of this account.
  const path = "/v1/account/requests";
  const logged = async () => /req_\w+/.exec(JSON.stringify((await browser.get(path)).body))?.[0];
  await expect.poll(logged).toBeDefined();
  await browser.get(`${path}/${await logged()}`);
  await browser.get(`${path}/hours?mode=test`);
});

test("webhooks and e-mail", async () => {
  const browser = await newSeller();
  const path = "/v1/account/webhooks";
  const approval = await stepUp(browser, devnet.seller, "webhook_secret", { url: webhookUrl });
  const events = ["settlement.confirmed"];
  const made = await browser.post(path, { url: webhookUrl, events, stepUp: approval });
  const id = textAt(made.body, "id");
  const sent = await browser.post(`${path}/${id}/test`, {});
  for (const one of [path, `${path}/${id}/deliveries`]) await browser.get(one);
  await browser.post(`${path}/${id}/deliveries/${textAt(sent.body, "id")}/resend`, {});
  await browser.send("PATCH", `${path}/${id}`, { paused: true });
  await browser.post(`${path}/${id}/enable`, {});
  await browser.send("DELETE", `${path}/${id}`);
  expect((await browser.send("DELETE", `${path}/${id}`)).status).toBe(404);
  await useEmails(browser);
});

test("listings, and discovery on both surfaces", async () => {
  const browser = await newSeller();
  const path = "/v1/account/listings";
  const endpoint = {
    resource: "https://127.0.0.1:1/r",
    method: "GET",
    network: "eip155:51",
    amount: "1",
  };
  const about = { title: "Report", description: "", tags: [], mimeType: null };
  const listing = { ...endpoint, ...about };
  const made = await browser.post(path, listing);
  const at = `${path}/${textAt(made.body, "id")}`;
  expect((await browser.post(path, listing)).status).toBe(409);
  expect((await browser.post(path, { ...listing, resource: "http://a.example" })).status).toBe(400);
  for (const one of [path, at]) await browser.get(one);
  await browser.send("PUT", at, { ...listing, amount: "2" });
  await expect.poll(async () => (await browser.post(`${at}/check`, {})).status).toBe(200);
  const { resource: url, ...rest } = endpoint;
  const tried = await browser.post("/v1/listings/check", { url, ...rest });
  expect(tried.body).toMatchObject({ ok: false });
  expect((await browser.send("DELETE", at)).status).toBe(204);
  expect((await browser.send("DELETE", at)).status).toBe(404);
  for (const base of ["/discovery", "/api/facilitator/discovery"]) {
    await served.get(`${base}/resources?limit=5&offset=0&network=eip155:51&payTo=${devnet.token}`);
    for (const query of ["search?query=report&limit=5", `merchant?payTo=${devnet.token}`])
      await served.get(`${base}/${query}`);
    for (const wrong of ["resources?colour=red", "search"])
      expect((await served.get(`${base}/${wrong}`)).status).toBe(400);
    await withoutStore(async () => {
      expect((await served.get(`${base}/resources`)).status).toBeGreaterThan(499);
    });
  }
});

test("each operation has an example of what is sent and answered, as it is described", () => {
  expect(contract.withoutExample(), "run `npm run openapi-examples`").toEqual([]);
});

test("every operation was seen to succeed, and every status somewhere", () => {
  const unseen = contract.successes.filter((one) => !contract.seen.has(one));
  expect(unseen).toEqual([]);
  const statuses = new Set([...contract.seen].map((one) => Number(one.split(" ")[1])));
  expect([...statuses].toSorted((one, other) => one - other)).toEqual([
    200, 201, 202, 204, 400, 401, 402, 403, 404, 409, 413, 415, 429, 500, 503,
  ]);
});

test("the self-built face describes itself, and no accounts", async () => {
  const env = { FARTHING_ATTESTATION_KEYS: newAttestationKey().signing };
  const selfBuilt = await serveOn(devnet, { wallets: [1], env });
  const own = await readContract(selfBuilt.url);
  endings.push(holdAnswers(selfBuilt.url, own));
  const { paths = {} }: JsonObject = own.document;
  const payments = ["/supported", "/accepts", "/verify", "/settle"];
  const settlements = ["/settlements/{id}", "/settlements/{id}/attestation"];
  const states = ["/health", "/ready", "/v1/status"];
  expect(Object.keys(isObject(paths) ? paths : {})).toEqual(
    ["/.well-known/jwks.json", payments, settlements, states, "/v1/refunds"].flat(),
  );
  for (const path of ["/supported", "/health", "/ready", "/v1/status"]) await selfBuilt.get(path);
  await selfBuilt.get("/.well-known/jwks.json");
  await selfBuilt.post("/accepts", { x402Version: 1, accepts: [] });
  await selfBuilt.post("/verify", bodyOn(devnet));
  const settled = await selfBuilt.post("/settle", bodyOn(devnet));
  const settlement = `/settlements/${textAt(settled.body, "id")}`;
  for (const tail of ["", "/attestation"]) await selfBuilt.get(`${settlement}${tail}`);
  // Refunds need a key here too; refunds.test.ts has one.
  expect(own.successes.filter((one) => !own.seen.has(one))).toEqual(["refund 200"]);
  await selfBuilt.stop();
});
