/** Webhooks over HTTP: from what happens to a receiver that checks it as the reference page says. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Devnet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createApiKey } from "../api-keys/key-text.ts";
import { systemClock } from "@farthing/engine/base";
import { openSignedIn, stepUp, type Browser } from "../../../test/support/browser.testing.ts";
import { createAuthority } from "../../../test/support/certificates.testing.ts";
import {
  bodyOn,
  createSteeredClock,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { listenForTest } from "../../../test/support/listening.testing.ts";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import { mineToFinal } from "../purchases/purchases.testing.ts";
import { openStore, type ServiceStore } from "../open-store.ts";

const path = "/v1/account/webhooks";
const day = 24 * 60 * 60_000;

let devnet: Devnet;
let served: Served;
let letGo: () => void;
let store: ServiceStore;
let seller: Browser;
let key: string;
let isGenuine: (message: object) => boolean;
const clock = createSteeredClock();

beforeAll(async () => {
  devnet = await startChain();
  served = await serveOn(devnet, {
    selfBuilt: false,
    clock,
    env: { FARTHING_WEBHOOK_INSECURE: "yes", FARTHING_HEAD_AGE_MAX: "0" },
  });
  store = await openStore(served.databaseUrl);
  seller = await openSignedIn(served, { wallet: devnet.seller });
  const input = { account: devnet.seller.address, mode: "test", label: "shop" } as const;
  key = (await createApiKey(store, systemClock, input)).text;
  isGenuine = await readSnippet();
  // Whatever is answered in these tests is as /openapi.json describes it.
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await store?.close();
  await served?.stop();
  await devnet?.stop();
});

/** The code of the reference page, run as it stands there. */
async function readSnippet(): Promise<typeof isGenuine> {
  const page = new URL("../../../../../docs/reference/webhooks.md", import.meta.url);
  const [, code = ""] = /```js\n([^]*?)```/.exec(readFileSync(page, "utf8")) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "farthing-snippet-"));
  try {
    const file = join(folder, "is-genuine.mjs");
    writeFileSync(file, code);
    const module: unknown = await import(/* @vite-ignore */ pathToFileURL(file).href);
    if (!isObject(module) || typeof module["isGenuine"] !== "function") throw new Error("no code");
    const check = module["isGenuine"];
    return (message) => Boolean(Reflect.apply(check, undefined, [message]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers as told, and keeps what it got. */
async function openReceiver(answer: { status: number; location?: string } = { status: 204 }) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.writeHead(answer.status, answer.location ? { location: answer.location } : {});
      response.end("x".repeat(100));
    });
  });
  const port = await listenForTest(server);
  return { url: `http://127.0.0.1:${port}/hook`, received, answer };
}

async function addEndpoint(url: string, events: unknown, browser = seller) {
  const signed = await stepUp(browser, devnet.seller, "webhook_secret", { url });
  return browser.post(path, { url, events, stepUp: signed });
}

async function deliveriesOf(endpoint: JsonObject): Promise<JsonObject[]> {
  const { deliveries } = (await seller.get(`${path}/${textAt(endpoint, "id")}/deliveries`)).body;
  if (!Array.isArray(deliveries)) throw new Error("no deliveries");
  return deliveries.filter(isObject);
}

const typesOf = (received: readonly Received[]) =>
  received.map(({ body }) => {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) ? parsed["type"] : undefined;
  });

async function settle(): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${key}`, prefer: "wait=10" };
  return (await served.post("/settle", bodyOn(devnet), headers)).body;
}

test("what happens is told, signed, and its signature stands for nothing else", async () => {
  const receiver = await openReceiver();
  const added = await addEndpoint(receiver.url, ["settlement.confirmed", "settlement.finalized"]);
  expect(added).toMatchObject({ status: 201, body: { disabledAt: null } });
  const secret = textAt(added.body, "secret");
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const settled = await settle();
  await mineToFinal(devnet);
  await expect
    .poll(() => typesOf(receiver.received))
    .toEqual(["settlement.confirmed", "settlement.finalized"]);
  const [first] = receiver.received;
  if (!first) throw new Error("nothing came");
  const { headers, body } = first;
  expect(JSON.parse(body)).toMatchObject({ data: { id: settled["id"], amount: "10000" } });
  expect(isGenuine({ headers, body, secret })).toBe(true);
  expect(isGenuine({ headers, body: body.replace("10000", "90000"), secret })).toBe(false);
  const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
  expect(isGenuine({ headers, body, secret: other })).toBe(false);
  for (const [name, value] of [
    ["webhook-id", "evt_other"],
    ["webhook-timestamp", String(Number(headers["webhook-timestamp"]) + 1)],
    ["webhook-signature", ""],
    ["webhook-signature", "v1,"],
    ["webhook-timestamp", "soon"],
  ] as const) {
    expect(isGenuine({ headers: { ...headers, [name]: value }, body, secret })).toBe(false);
  }
  // A recorded message is worth nothing after five minutes.
  const late = Date.now() / 1000 + 301;
  expect(isGenuine({ headers, body, secret, nowSeconds: late })).toBe(false);
  expect(await deliveriesOf(added.body)).toMatchObject([
    { state: "delivered", attempts: 1, lastStatus: 204, lastError: null },
    { state: "delivered", id: headers["webhook-id"] },
  ]);
  // The secret was shown once.
  expect(JSON.stringify((await seller.get(path)).body)).not.toContain(secret);
});

test("a refused message comes again, with the same id and a new time; then by hand", async () => {
  const receiver = await openReceiver({ status: 500 });
  const { body: endpoint } = await addEndpoint(receiver.url, ["purchase.held"]);
  const at = `${path}/${textAt(endpoint, "id")}`;
  const { status, body: sent } = await seller.post(`${at}/test`, {});
  expect(status).toBe(202);
  for (const [index, pauseMs] of [31_000, 121_000, 901_000, 3_601_000].entries()) {
    await expect.poll(() => receiver.received.length).toBe(index + 1);
    await expect
      .poll(async () => (await deliveriesOf(endpoint))[0])
      .toMatchObject({ state: "pending", attempts: index + 1, lastStatus: 500 });
    clock.aheadMs += pauseMs;
  }
  await expect
    .poll(async () => (await deliveriesOf(endpoint))[0])
    .toMatchObject({ state: "failed", attempts: 5, lastError: expect.stringContaining("500") });
  const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  expect([...ids]).toEqual([sent["id"]]);
  const times = receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
  expect(new Set(times).size).toBe(5);
  receiver.answer.status = 200;
  const resent = await seller.post(`${at}/deliveries/${textAt(sent, "id")}/resend`, {});
  expect(resent).toMatchObject({ status: 202, body: { state: "pending" } });
  await expect
    .poll(async () => (await deliveriesOf(endpoint))[0])
    .toMatchObject({ state: "delivered", attempts: 1, lastStatus: 200 });
  expect(receiver.received).toHaveLength(6);
});

test("a redirect is not followed", async () => {
  const inside = await openReceiver();
  const receiver = await openReceiver({ status: 302, location: inside.url });
  const { body: endpoint } = await addEndpoint(receiver.url, ["purchase.held"]);
  await seller.post(`${path}/${textAt(endpoint, "id")}/test`, {});
  await expect
    .poll(async () => (await deliveriesOf(endpoint))[0])
    .toMatchObject({ lastStatus: 302, lastError: expect.stringContaining("redirects") });
  expect(inside.received).toEqual([]);
});

test("an endpoint that takes nothing for a day is disabled, and goes on when it is enabled", async () => {
  const receiver = await openReceiver({ status: 503 });
  const { body: endpoint } = await addEndpoint(receiver.url, ["purchase.held"]);
  const at = `${path}/${textAt(endpoint, "id")}`;
  for (let count = 0; count < 5; count++) await seller.post(`${at}/test`, {});
  const allEnded = async () =>
    (await deliveriesOf(endpoint)).every(({ state }) => state === "failed");
  clock.aheadMs += day;
  seller = await openSignedIn(served, { wallet: devnet.seller });
  // Each look is an hour later: a try of each.
  const ended = async () => {
    clock.aheadMs += 3_601_000;
    return allEnded();
  };
  await expect.poll(ended, { interval: 1_500 }).toBe(true);
  const row = async () => {
    const { webhooks } = (await seller.get(path)).body;
    return Array.isArray(webhooks) && webhooks.find(({ id }) => id === endpoint["id"]);
  };
  await expect.poll(row).toMatchObject({ disabledAt: expect.any(String) });
  expect((await seller.post(`${at}/test`, {})).status).toBe(409);
  expect((await seller.post(`${at}/enable`, {})).body).toMatchObject({ disabledAt: null });
  receiver.answer.status = 200;
  const before = receiver.received.length;
  expect((await seller.post(`${at}/test`, {})).status).toBe(202);
  await expect.poll(() => receiver.received.length).toBe(before + 1);
});

test("an endpoint takes a signature over its address, and belongs to its account only", async () => {
  const receiver = await openReceiver();
  const url = `${receiver.url}/own`;
  const signed = await stepUp(seller, devnet.seller, "webhook_secret", { url });
  const events = ["settlement.failed"];
  const moved = await seller.post(path, { url: `${url}/x`, events, stepUp: signed });
  expect(moved).toMatchObject({ status: 403, body: { error: "step_up_failed" } });
  for (const bad of [[], ["settlement.failed", "settlement.failed"], ["other"], "settlement"]) {
    expect((await addEndpoint(url, bad)).status).toBe(400);
  }
  const added = await addEndpoint(url, events);
  const at = `${path}/${textAt(added.body, "id")}`;
  const otherOwner = await openSignedIn(served, { wallet: walletAt(devnet.buyers, 1) });
  for (const [method, route] of [
    ["DELETE", at],
    ["POST", `${at}/test`],
    ["POST", `${at}/enable`],
    ["GET", `${at}/deliveries`],
    ["POST", `${at}/deliveries/evt_${"0".repeat(32)}/resend`],
  ] as const) {
    const body = method === "POST" ? {} : undefined;
    expect((await otherOwner.send(method, route, body)).status).toBe(404);
  }
  expect((await seller.send("DELETE", at)).status).toBe(204);
  expect((await seller.get(`${at}/deliveries`)).status).toBe(404);
});

test("a server with an untrusted certificate gets nothing", async () => {
  const received: unknown[] = [];
  const identity = createAuthority().identify();
  const server = createSecureServer(identity, (_, response) => {
    received.push(1);
    response.end();
  });
  const port = await listenForTest(server);
  const added = await addEndpoint(`https://127.0.0.1:${port}/hook`, ["settlement.failed"]);
  expect(added.status).toBe(201);
  await seller.post(`${path}/${textAt(added.body, "id")}/test`, {});
  await expect
    .poll(() => deliveriesOf(added.body))
    .toMatchObject([
      { state: "pending", lastError: "The certificate or TLS itself is not in order." },
    ]);
  expect(received).toEqual([]);
});

test("outside of devnets only names of the internet are taken, over HTTPS", async () => {
  const strict = await serveOn(devnet, { selfBuilt: false, wallets: [1] });
  onTestFinished(() => strict.stop());
  const browser = await openSignedIn(strict, { wallet: devnet.seller });
  for (const url of [
    "http://shop.example/hook",
    "https://127.0.0.1/hook",
    "https://2130706433/hook",
    "https://0x7f.1/hook",
    "https://[::1]/hook",
    "https://localhost/hook",
    "https://metadata/hook",
    "https://shop.example:22/hook",
    "https://user:word@shop.example/hook",
    "ftp://shop.example/hook",
  ]) {
    const answer = await addEndpoint(url, ["settlement.failed"], browser);
    expect([url, answer.status]).toEqual([url, 400]);
  }
  const good = await addEndpoint("https://shop.example/hook", ["settlement.failed"], browser);
  expect(good.status).toBe(201);
});
