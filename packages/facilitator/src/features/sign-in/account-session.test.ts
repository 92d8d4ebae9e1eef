/** Sessions and the guard in front of the account API: who may do what, from where, for how long. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  answerTo,
  cookieNames,
  openBrowser,
  openSignedIn,
  signIn,
  stepUp,
  type Browser,
} from "../../../test/support/browser.testing.ts";
import {
  createSteeredClock,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";

const hourMs = 60 * 60 * 1000;

let devnet: Devnet;
let served: Served;
let seller: DevnetWallet;
const clock = createSteeredClock();

beforeAll(async () => {
  devnet = await startChain();
  seller = devnet.seller;
  served = await serveOn(devnet, { selfBuilt: false, clock });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});
afterEach(() => {
  clock.aheadMs = 0;
});

const signedIn = (wallet = seller) => openSignedIn(served, { wallet });
const statusOf = async (browser: Browser) => (await browser.get("/v1/account")).status;

async function sessionsOf(browser: Browser): Promise<JsonObject[]> {
  const { sessions } = (await browser.get("/v1/account/sessions")).body;
  return Array.isArray(sessions) ? sessions.filter(isObject) : [];
}

describe("without a session", () => {
  const routes: [string, string][] = [
    ["GET", "/v1/account"],
    ["PATCH", "/v1/account"],
    ["GET", "/v1/account/sessions"],
    ["DELETE", "/v1/account/sessions"],
    ["DELETE", "/v1/account/sessions/ses_1"],
    ["POST", "/v1/account/step-up"],
    ["GET", "/v1/account/wallets"],
    ["POST", "/v1/account/wallets"],
    ["POST", "/v1/account/wallets/link"],
    ["DELETE", `/v1/account/wallets/0x${"1".repeat(40)}`],
    ["GET", "/v1/account/keys"],
    ["POST", "/v1/account/keys"],
    ["POST", "/v1/account/keys/AAAAAAAAAAAA/rotate"],
    ["DELETE", "/v1/account/keys/AAAAAAAAAAAA"],
    ["GET", "/v1/account/credits"],
    ["POST", "/v1/account/credits/purchases"],
    ["GET", "/v1/account/settlements"],
    ["GET", "/v1/account/usage"],
  ];
  test.each(routes)("%s %s: 401, before the body is looked at", async (method, path) => {
    const browser = openBrowser(served);
    for (const token of ["", "A".repeat(43), "x"]) {
      browser.cookies.set(cookieNames.session, token);
      const { status, body, headers } = await browser.send(method, path);
      expect([status, body]).toMatchObject([401, { error: "unauthorized" }]);
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  test("an API key is none", async () => {
    const browser = await signedIn();
    const input = { label: "shop", mode: "test", expiresInDays: null };
    const approval = await stepUp(browser, seller, "create_key", input);
    const { body } = await browser.post("/v1/account/keys", { ...input, stepUp: approval });
    const authorization = `Bearer ${textAt(body, "key")}`;
    const answer = await served.get("/v1/account/keys", { authorization });
    expect(answer.status).toBe(401);
  });
});

describe("a request that changes something", () => {
  const foreign: [string, Record<string, string>][] = [
    ["of another site", { origin: "https://evil.example" }],
    ["of another port", { origin: "http://127.0.0.1:1" }],
    ["of a page without an origin", { origin: "null" }],
    [
      "of another site that claims to be ours",
      { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
    ],
    ["of a neighbour's page", { origin: "", "sec-fetch-site": "same-site" }],
    ["that does not say where it comes from", { origin: "" }],
  ];
  test.each(foreign)("%s: 403", async (_, headers) => {
    const browser = await signedIn();
    for (const [method, path, body] of [
      ["PATCH", "/v1/account", { label: "mine" }],
      ["POST", "/v1/account/sign-in", { address: seller.address, chainId: 51 }],
      ["POST", "/v1/account/sign-out", {}],
      ["DELETE", "/v1/account/keys/AAAAAAAAAAAA", undefined],
    ] as const) {
      const answer = await sendFrom(browser, headers, { method, path, body });
      expect([answer.status, await answer.json()]).toMatchObject([
        403,
        { error: "foreign_origin" },
      ]);
    }
    expect((await browser.get("/v1/account")).body).toMatchObject({ label: "" });
  });

  test("may say only that it comes from our page", async () => {
    const browser = await signedIn();
    const input = { method: "PATCH", path: "/v1/account", body: { label: "" } };
    const headers = { origin: "", "sec-fetch-site": "same-origin" };
    expect((await sendFrom(browser, headers, input)).status).toBe(200);
  });

  test("comes as JSON and as nothing that a form can send", async () => {
    const browser = await signedIn();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const input = { method: "PATCH", path: "/v1/account", body: { label: "mine" } };
      const answer = await sendFrom(browser, { origin: served.url, "content-type": type }, input);
      expect(answer.status).toBe(415);
    }
  });
});

/** Sends with exactly these headers; an empty one is left out. */
function sendFrom(
  { cookies }: Browser,
  headers: Readonly<Record<string, string>>,
  { method, path, body }: { method: string; path: string; body: object | undefined },
): Promise<Response> {
  const sent = { "content-type": "application/json", ...headers };
  const given = Object.entries(sent).filter(
    ([name, value]) => value !== "" && (body !== undefined || name !== "content-type"),
  );
  const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
  return fetch(`${served.url}${path}`, {
    method,
    headers: { ...Object.fromEntries(given), cookie },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

describe("a session ends", () => {
  test("a day after it was last used", async () => {
    const browser = await signedIn();
    for (const hours of [23, 46, 69]) {
      clock.aheadMs = hours * hourMs;
      expect(await statusOf(browser)).toBe(200);
    }
    clock.aheadMs = 93 * hourMs + 1;
    expect(await statusOf(browser)).toBe(401);
    expect(browser.cookies.has(cookieNames.session)).toBe(false);
  });

  test("after a week, however much it is used", async () => {
    const browser = await signedIn();
    for (let hours = 12; hours < 7 * 24; hours += 12) {
      clock.aheadMs = hours * hourMs;
      expect(await statusOf(browser)).toBe(200);
    }
    clock.aheadMs = 7 * 24 * hourMs;
    expect(await statusOf(browser)).toBe(401);
  });

  test("when it is signed out, also for a caller that kept the cookie", async () => {
    const browser = await signedIn();
    const token = browser.cookies.get(cookieNames.session) ?? "";
    expect((await browser.post("/v1/account/sign-out", {})).status).toBe(204);
    expect(browser.cookies.has(cookieNames.session)).toBe(false);
    browser.cookies.set(cookieNames.session, token);
    expect(await statusOf(browser)).toBe(401);
    // Nothing to end is as good.
    expect((await browser.post("/v1/account/sign-out", {})).status).toBe(204);
  });

  test("when another one of the account revokes it", async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const id = textAt((await sessionsOf(one)).find(({ isCurrent }) => isCurrent) ?? {}, "id");
    expect((await other.send("DELETE", `/v1/account/sessions/${id}`)).status).toBe(204);
    expect([await statusOf(one), await statusOf(other)]).toEqual([401, 200]);
    expect((await other.send("DELETE", `/v1/account/sessions/${id}`)).status).toBe(404);
  });

  test("by no other account", async () => {
    const browser = await signedIn();
    const otherOwner = await signedIn(walletAt(devnet.buyers, 0));
    const id = textAt((await sessionsOf(browser))[0] ?? {}, "id");
    expect((await otherOwner.send("DELETE", `/v1/account/sessions/${id}`)).status).toBe(404);
    expect(await statusOf(browser)).toBe(200);
  });

  test("with all others, by a signature", async () => {
    const wallet = walletAt(devnet.buyers, 1);
    const [one, other, current] = [
      await signedIn(wallet),
      await signedIn(wallet),
      await signedIn(wallet),
    ];
    expect(await sessionsOf(current)).toHaveLength(3);
    const body = { stepUp: await stepUp(current, wallet, "revoke_sessions", {}) };
    expect((await current.send("DELETE", "/v1/account/sessions", body)).status).toBe(204);
    expect([await statusOf(one), await statusOf(other), await statusOf(current)]).toEqual([
      401, 401, 200,
    ]);
  });

  test("when too many run: the one that was not used for longest", async () => {
    const wallet = walletAt(devnet.buyers, 2);
    const first = await signedIn(wallet);
    clock.aheadMs = 2 * 60_000;
    const second = await signedIn(wallet);
    for (let index = 0; index < 49; index++) await signIn(openBrowser(served), { wallet });
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    expect(await sessionsOf(second)).toHaveLength(50);
  });
});

describe("the account", () => {
  test("has a name and a level of credits that is low", async () => {
    const browser = await signedIn();
    const changed = await browser.send("PATCH", "/v1/account", {
      label: "Shop ☕",
      lowCreditsAt: 100,
    });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { label: "Shop ☕", credits: { available: 0, held: 0, lowAt: 100 } },
    ]);
    const { body } = await browser.send("PATCH", "/v1/account", { label: "", lowCreditsAt: null });
    expect(body).toMatchObject({ label: "", credits: { lowAt: null } });
  });

  test.each([
    [{ label: "a\nb" }],
    [{ label: "\u202egnp" }],
    [{ label: "x".repeat(65) }],
    [{ lowCreditsAt: -1 }],
    [{ lowCreditsAt: 1.5 }],
    [{ plan: "active" }],
  ])("takes nothing else: %j", async (input) => {
    const { status } = await (await signedIn()).send("PATCH", "/v1/account", input);
    expect(status).toBe(400);
  });
});

test("the self-built face has no accounts", async () => {
  const selfBuilt = await serveOn(devnet, { wallets: [2] });
  for (const path of ["/v1/account", "/v1/key", "/account/facilitator"]) {
    expect((await selfBuilt.get(path)).status).toBe(404);
  }
  const { status } = await openBrowser(selfBuilt).post("/v1/account/sign-in", {});
  expect(status).toBe(404);
  await selfBuilt.stop();
});

test("behind a proxy the configured address counts, never the Host of a request", async () => {
  const origin = "https://pay.example";
  const proxied = await serveOn(devnet, {
    selfBuilt: false,
    wallets: [3],
    env: { FARTHING_PUBLIC_URL: origin },
  });
  const browser = openBrowser(proxied);
  const input = { address: seller.address, chainId: 51 };
  expect((await browser.post("/v1/account/sign-in", input)).status).toBe(403);
  const headers = { origin, host: "evil.example", "x-forwarded-host": "evil.example" };
  const asked = await browser.post("/v1/account/sign-in", input, headers);
  const message = textAt(asked.body, "message");
  expect(message).toMatch(/^pay\.example wants you to sign in/);
  expect(message).toContain("URI: https://pay.example/account/facilitator\n");
  const answer = answerTo(asked.body, seller);
  expect((await browser.post("/v1/account/sign-in/complete", answer, headers)).status).toBe(200);
  await proxied.stop();
});
