/** API keys in the hands of their owner, and the signatures that it takes to make them. */
import { crc32 } from "node:zlib";
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { systemClock } from "@farthing/engine/base";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openSignedIn, stepUp, type Browser } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  createSteeredClock,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

let devnet: Devnet;
let served: Served;
let seller: DevnetWallet;
let browser: Browser;
const clock = createSteeredClock();

beforeAll(async () => {
  devnet = await startChain();
  seller = devnet.seller;
  const serviceClock = { ...systemClock, nowMs: clock.nowMs };
  served = await serveOn(devnet, { selfBuilt: false, clock: serviceClock });
  // The chain's time does not follow the steered clock; new blocks tell the service which one is right.
  for (let block = 0; block < 3; block++)
    await served.post("/api/facilitator/settle", bodyOn(devnet));
  browser = await openSignedIn(served, { wallet: seller });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});
afterEach(() => {
  clock.aheadMs = 0;
});

const input = { label: "shop", mode: "test", expiresInDays: null };

async function create(details: object = input, as = { browser, wallet: seller }) {
  const approval = await stepUp(as.browser, as.wallet, "create_key", details);
  return as.browser.post("/v1/account/keys", { ...details, stepUp: approval });
}

async function rotate(id: string, overlap: string, as = { browser, wallet: seller }) {
  const approval = await stepUp(as.browser, as.wallet, "rotate_key", { id, overlap });
  return as.browser.post(`/v1/account/keys/${id}/rotate`, { overlap, stepUp: approval });
}

async function keyRow(id: string): Promise<JsonObject> {
  const { keys } = (await browser.get("/v1/account/keys")).body;
  const row = Array.isArray(keys) ? keys.filter(isObject).find((key) => key["id"] === id) : {};
  return row ?? {};
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The key with another secret of 43 characters, and the checksum that belongs to it: CRC-32 in base 62. */
function withSecret(key: string, secret: string): string {
  const body = `${key.slice(0, "fk_test_".length + 12)}${secret}`;
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const sum = crc32(body);
  const places = [5, 4, 3, 2, 1, 0].map((place) => Math.floor(sum / 62 ** place) % 62);
  return `${body}${places.map((place) => digits[place]).join("")}`;
}

/** What the key is answered where it is used. */
async function useOf(key: string): Promise<number> {
  const own = await served.get("/v1/key", bearer(key));
  const verified = await served.post("/verify", bodyOn(devnet), bearer(key));
  expect(verified.status).toBe(own.status);
  return own.status;
}

describe("a key", () => {
  test("is shown once, works, and tells what it is good for", async () => {
    const { status, body } = await create();
    const key = textAt(body, "key");
    const id = textAt(body, "id");
    expect(status).toBe(201);
    expect(key).toMatch(/^fk_test_[0-9A-Za-z]{61}$/);
    const row = {
      id,
      label: "shop",
      mode: "test",
      prefix: key.slice(0, 20),
      lastFour: key.slice(-4),
      createdAt: expect.any(String),
      createdBy: seller.address,
      lastUsedAt: null,
      expiresAt: null,
      status: "active",
    };
    expect(body).toEqual({ key, ...row });
    const list = await browser.get("/v1/account/keys");
    expect(list.body).toMatchObject({ keys: [row] });
    expect(JSON.stringify(list.body)).not.toContain(key.slice(20, -4));

    const own = await served.get("/v1/key", bearer(key));
    expect([own.status, own.body]).toEqual([
      200,
      { account: seller.address, mode: "test", label: "shop", credits: 0, plan: "active" },
    ]);
    expect(await useOf(key)).toBe(200);
    expect(await keyRow(id)).toMatchObject({ lastUsedAt: expect.any(String) });
  });

  test("ends at its time", async () => {
    const { body } = await create({ ...input, expiresInDays: 8 });
    const [key, id] = [textAt(body, "key"), textAt(body, "id")];
    expect(await keyRow(id)).toMatchObject({ status: "active" });
    clock.aheadMs = 1.5 * dayMs;
    browser = await openSignedIn(served, { wallet: seller });
    expect(await keyRow(id)).toMatchObject({ status: "expiring" });
    expect(await useOf(key)).toBe(200);
    clock.aheadMs = 8 * dayMs;
    expect(await useOf(key)).toBe(401);
    browser = await openSignedIn(served, { wallet: seller });
    expect(await keyRow(id)).toMatchObject({ status: "expired" });
  });

  test("is revoked at once, by the cookie alone", async () => {
    const { body } = await create();
    const [key, id] = [textAt(body, "key"), textAt(body, "id")];
    expect(await useOf(key)).toBe(200);
    expect((await browser.send("DELETE", `/v1/account/keys/${id}`)).status).toBe(204);
    expect(await useOf(key)).toBe(401);
    expect(await keyRow(id)).toMatchObject({ status: "revoked" });
    expect((await browser.send("DELETE", `/v1/account/keys/${id}`)).status).toBe(204);
  });

  test("only its owner sees and revokes", async () => {
    const { body } = await create();
    const [key, id] = [textAt(body, "key"), textAt(body, "id")];
    const wallet = walletAt(devnet.buyers, 0);
    const otherOwner = await openSignedIn(served, { wallet });
    expect((await otherOwner.get("/v1/account/keys")).body).toEqual({ keys: [] });
    expect((await otherOwner.send("DELETE", `/v1/account/keys/${id}`)).status).toBe(404);
    const approval = await stepUp(otherOwner, wallet, "rotate_key", { id, overlap: "0" });
    const rotation = { overlap: "0", stepUp: approval };
    expect((await otherOwner.post(`/v1/account/keys/${id}/rotate`, rotation)).status).toBe(404);
    expect(await useOf(key)).toBe(200);
  });

  test("is one of fifty at most that work", async () => {
    const wallet = walletAt(devnet.buyers, 1);
    const own = await openSignedIn(served, { wallet });
    const made = [];
    for (let index = 0; index < 51; index++)
      made.push(await create(input, { browser: own, wallet }));
    expect(made.map(({ status }) => status)).toEqual([...Array(50).fill(201), 409]);
    const id = textAt(made[0]?.body ?? {}, "id");
    await own.send("DELETE", `/v1/account/keys/${id}`);
    expect((await create(input, { browser: own, wallet })).status).toBe(201);
  });

  test("is proven by its secret: its public part with another one opens nothing", async () => {
    const [key, other] = [textAt((await create()).body, "key"), "x".repeat(43)];
    // As anybody writes it who has seen the first twelve characters.
    expect(withSecret(key, key.slice(20, 63))).toBe(key);
    expect(await useOf(withSecret(key, other))).toBe(401);
    expect(await useOf(key)).toBe(200);
  });
});

describe("a rotated key", () => {
  test.each([
    ["1h", hourMs],
    ["24h", dayMs],
    ["7d", 7 * dayMs],
  ])("works on for %s beside its successor, and no longer", async (overlap, ms) => {
    const { body: old } = await create({ ...input, expiresInDays: 30 });
    const { status, body: successor } = await rotate(textAt(old, "id"), overlap);
    expect([status, successor]).toMatchObject([201, { label: "shop", mode: "test" }]);
    expect(textAt(successor, "id")).not.toBe(old["id"]);
    expect(await keyRow(textAt(old, "id"))).toMatchObject({ status: "expiring" });
    const [before, after] = [textAt(old, "key"), textAt(successor, "key")];
    clock.aheadMs = ms - 60_000;
    expect([await useOf(before), await useOf(after)]).toEqual([200, 200]);
    clock.aheadMs = ms;
    expect([await useOf(before), await useOf(after)]).toEqual([401, 200]);
  });

  test("ends at once without an overlap", async () => {
    const { body: old } = await create();
    const { body: successor } = await rotate(textAt(old, "id"), "0");
    const [before, after] = [textAt(old, "key"), textAt(successor, "key")];
    expect([await useOf(before), await useOf(after)]).toEqual([401, 200]);
  });

  test("does not outlive its own end, and its successor lives as long as it was to", async () => {
    const { body: old } = await create({ ...input, expiresInDays: 1 });
    const { body: successor } = await rotate(textAt(old, "id"), "7d");
    expect(await keyRow(textAt(old, "id"))).toMatchObject({ expiresAt: old["expiresAt"] });
    const lifetimeMs =
      Date.parse(textAt(successor, "expiresAt")) - Date.parse(textAt(successor, "createdAt"));
    expect(lifetimeMs).toBe(dayMs);
  });

  test("is rotated once, and not when it is revoked", async () => {
    const { body: old } = await create();
    const id = textAt(old, "id");
    expect((await rotate(id, "1h")).status).toBe(201);
    expect((await rotate(id, "7d")).status).toBe(409);
    const { body: revoked } = await create();
    await browser.send("DELETE", `/v1/account/keys/${textAt(revoked, "id")}`);
    expect((await rotate(textAt(revoked, "id"), "1h")).status).toBe(409);
  });

  test("is one of a hundred at most that work; a leaked one can always be ended", async () => {
    const wallet = walletAt(devnet.buyers, 2);
    const own = { browser: await openSignedIn(served, { wallet }), wallet };
    let { body: newest } = await create(input, own);
    for (let working = 1; working < 100; working++) {
      const made = await rotate(textAt(newest, "id"), "7d", own);
      expect(made.status).toBe(201);
      newest = made.body;
    }
    expect(await rotate(textAt(newest, "id"), "1h", own)).toMatchObject({
      status: 409,
      body: { error: "conflict" },
    });
    const statusOf = async (key: string) => (await served.get("/v1/key", bearer(key))).status;
    expect(await statusOf(textAt(newest, "key"))).toBe(200);
    expect((await rotate(textAt(newest, "id"), "0", own)).status).toBe(201);
    expect(await statusOf(textAt(newest, "key"))).toBe(401);
  });
});

describe("a signature allows one action", () => {
  const refused = { status: 403, body: { error: "step_up_failed" } };

  test("whose text says what it is", async () => {
    const details = { label: "Café & co", mode: "live", expiresInDays: 90 };
    const { body } = await browser.post("/v1/account/step-up", { action: "create_key", details });
    const message = textAt(body, "message");
    expect(message).toContain(
      `\nAccount ${seller.address}: create the API key 'Caf? & co' for live payments, which expires in 90 days. This is not a transaction and costs no fee.\n`,
    );
    expect(message).toContain(
      `\nResources:\n- ${served.url}/account/facilitator#create_key&expiresInDays=90&label=Caf%C3%A9%20%26%20co&mode=live`,
    );
  });

  test.each([
    ["another label", { label: "shop2" }],
    ["another mode", { mode: "live" }],
    ["another life", { expiresInDays: 1 }],
  ])("not with %s", async (_, change) => {
    const approval = await stepUp(browser, seller, "create_key", input);
    const body = { ...input, ...change, stepUp: approval };
    expect(await browser.post("/v1/account/keys", body)).toMatchObject(refused);
    // And it is used up.
    const right = { ...input, stepUp: approval };
    expect(await browser.post("/v1/account/keys", right)).toMatchObject(refused);
  });

  test("not for another action", async () => {
    const approval = await stepUp(browser, seller, "revoke_sessions", {});
    expect(await browser.post("/v1/account/keys", { ...input, stepUp: approval })).toMatchObject(
      refused,
    );
  });

  test("not twice", async () => {
    const approval = await stepUp(browser, seller, "create_key", input);
    const answers = await Promise.all(
      [1, 2, 3].map(() => browser.post("/v1/account/keys", { ...input, stepUp: approval })),
    );
    const statuses = answers.map(({ status }) => `${status}`).toSorted();
    expect(statuses).toEqual(["201", "403", "403"]);
  });

  test("not after ten minutes", async () => {
    const approval = await stepUp(browser, seller, "create_key", input);
    clock.aheadMs = 10 * 60_000;
    expect(await browser.post("/v1/account/keys", { ...input, stepUp: approval })).toMatchObject(
      refused,
    );
  });

  test("not by another wallet", async () => {
    const other = walletAt(devnet.buyers, 0);
    expect(await create(input, { browser, wallet: other })).toMatchObject(refused);
  });

  test("not in another session, of this account or another one", async () => {
    for (const wallet of [seller, walletAt(devnet.buyers, 0)]) {
      const other = await openSignedIn(served, { wallet });
      const approval = await stepUp(browser, seller, "create_key", input);
      expect(await other.post("/v1/account/keys", { ...input, stepUp: approval })).toMatchObject(
        refused,
      );
    }
  });

  test("and there is no way around it", async () => {
    expect((await browser.post("/v1/account/keys", input)).status).toBe(400);
    const unknown = { requestId: "sgn_0", signature: "0x" };
    expect(await browser.post("/v1/account/keys", { ...input, stepUp: unknown })).toMatchObject(
      refused,
    );
  });
});
