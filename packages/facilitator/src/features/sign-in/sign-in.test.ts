/** Signing in with a wallet: who gets a session, and every way in which one must not be got. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  answerTo,
  askSignIn,
  cookieNames,
  openBrowser,
  openSignedIn,
  signIn,
  signText,
  stepUp,
  type Browser,
} from "../../../test/support/browser.testing.ts";
import {
  createSteeredClock,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Answer,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { toCompact, toHighS, toParityV } from "../../../test/support/signature-forms.testing.ts";

const complete = "/v1/account/sign-in/complete";
const minuteMs = 60_000;

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

/** The one answer to every sign-in that fails. */
function expectRefused({ status, body, headers }: Answer): void {
  expect([status, body]).toEqual([
    401,
    {
      error: "sign_in_failed",
      message: "The sign-in did not succeed. Begin again, and sign the new text with that wallet.",
      retryable: false,
      requestId: expect.stringMatching(/^req_/),
    },
  ]);
  expect(
    headers.getSetCookie().filter((line) => line.startsWith(`${cookieNames.session}=`)),
  ).toEqual([]);
}

describe("a sign-in", () => {
  test("is for the text that the service composed, and gives a session", async () => {
    const browser = openBrowser(served);
    const { host } = new URL(served.url);
    const asked = await askSignIn(browser, { wallet: seller });
    const [first, address, blank, statement, blank2, ...fields] = textAt(asked, "message").split(
      "\n",
    );
    expect([first, address, blank, statement, blank2]).toEqual([
      `${host} wants you to sign in with your Ethereum account:`,
      seller.address,
      "",
      "Sign in to the facilitator. This is not a transaction and costs no fee.",
      "",
    ]);
    const value = Object.fromEntries(fields.map((line) => line.split(/: (.*)/).slice(0, 2)));
    expect(value).toEqual({
      URI: `${served.url}/account/facilitator`,
      Version: "1",
      "Chain ID": "51",
      Nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      "Issued At": expect.any(String),
      "Expiration Time": asked["expiresAt"],
      "Request ID": asked["requestId"],
    });
    const lifetimeMs = Date.parse(value["Expiration Time"]) - Date.parse(value["Issued At"]);
    expect(lifetimeMs).toBe(10 * minuteMs);

    const answer = await browser.post(complete, answerTo(asked, seller));
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        account: seller.address,
        wallet: seller.address,
        walletKind: "plain",
        chainId: 51,
        expiresAt: expect.any(String),
        accounts: [],
      },
    ]);
    const cookie = answer.headers
      .getSetCookie()
      .find((line) => line.startsWith(`${cookieNames.session}=`));
    expect(cookie).toMatch(
      /^__Host-farthing=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const { status, body } = await browser.get("/v1/account");
    expect([status, body]).toMatchObject([200, { account: seller.address, plan: "active" }]);
  });

  test("takes an address as people of XDC write it", async () => {
    const browser = openBrowser(served);
    const input = { address: `xdc${seller.address.slice(2).toLowerCase()}`, chainId: 51 };
    const { status, body } = await browser.post("/v1/account/sign-in", input);
    expect(status).toBe(200);
    expect(textAt(body, "message")).toContain(`\n${seller.address}\n`);
  });

  test("gives another session each time and ends the one before", async () => {
    const browser = await openSignedIn(served, { wallet: seller });
    const before = browser.cookies.get(cookieNames.session) ?? "";
    await signIn(browser, { wallet: seller });
    expect(browser.cookies.get(cookieNames.session)).not.toBe(before);
    browser.cookies.set(cookieNames.session, before);
    expect((await browser.get("/v1/account")).status).toBe(401);
  });

  test("works in two tabs at once", async () => {
    const browser = openBrowser(served);
    const first = await askSignIn(browser, { wallet: seller });
    await askSignIn(browser, { wallet: seller });
    expect((await browser.post(complete, answerTo(first, seller))).status).toBe(200);
  });

  test.each([toCompact, toParityV])("takes other forms of the same signature: %o", async (form) => {
    const browser = openBrowser(served);
    const { requestId, signature } = answerTo(await askSignIn(browser, { wallet: seller }), seller);
    const answer = { requestId, signature: form(signature) };
    expect((await browser.post(complete, answer)).status).toBe(200);
  });

  test.each([
    [{ address: "0x1234", chainId: 51 }, /address has not the right form/],
    [{ address: "0x7A11830374F9a3aA26C125CAa932520D984B1025", chainId: 51 }, /wrong checksum/],
    [{ address: `0x${"1".repeat(40)}`, chainId: 50 }, /serves the chain 51/],
    [{ address: `0x${"1".repeat(40)}`, chainId: 1 }, /chainId must be equal/],
    [{ address: `0x${"1".repeat(40)}`, chainId: "51" }, /chainId must be integer/],
    [{ address: `0x${"1".repeat(40)}` }, /required property 'chainId'/],
    [
      { address: `0x${"1".repeat(40)}`, chainId: 51, domain: "evil.example" },
      /unknown member: domain/,
    ],
  ])("is not begun for %j", async (input, says) => {
    const { status, body } = await openBrowser(served).post("/v1/account/sign-in", input);
    expect([status, body]).toMatchObject([
      400,
      { error: "invalid_request", message: expect.stringMatching(says) },
    ]);
  });
});

/** What an attacker sends, and what it takes to prepare it. */
type Attack = (browser: Browser, asked: JsonObject) => Promise<object> | object;

/** Signs the text with something in it changed. */
const altered =
  (from: RegExp, to: string): Attack =>
  (_, asked) => {
    const text = textAt(asked, "message");
    expect(text).toMatch(from);
    return {
      requestId: asked["requestId"],
      signature: signText(text.replace(from, to), seller),
    };
  };

const withSignature =
  (alter: (signature: Hex) => string): Attack =>
  (_, asked) => {
    const { requestId, signature } = answerTo(asked, seller);
    return { requestId, signature: alter(signature) };
  };

describe("refused with one text", () => {
  const attacks: [string, Attack][] = [
    ["a text of another domain", altered(/^\S+/, "evil.example")],
    ["a text with another URI", altered(/URI: \S+/, "URI: https://evil.example/login")],
    ["a text for another chain", altered(/Chain ID: 51/, "Chain ID: 50")],
    ["a text for another address", altered(/0x\w{40}/, `0x${"1".repeat(40)}`)],
    ["a text with another nonce", altered(/Nonce: \w+/, `Nonce: ${"0".repeat(32)}`)],
    ["a text that never expires", altered(/Expiration Time: \S+\n/, "")],
    ["a text of version 2", altered(/Version: 1/, "Version: 2")],
    ["the signature of another wallet", (_, asked) => answerTo(asked, walletAt(devnet.buyers, 0))],
    ["an unknown request", (_, asked) => ({ ...answerTo(asked, seller), requestId: "sgn_0" })],
    ["no signature", withSignature(() => "0x")],
    ["a signature that is no hex", withSignature(() => "signed, the seller")],
    ["half a signature", withSignature((signature) => signature.slice(0, 66))],
    ["a signature of zeros", withSignature(() => `0x${"00".repeat(65)}`)],
    ["the malleable duplicate of a signature", withSignature(toHighS)],
    ["a long signature", withSignature((signature) => `${signature}${"00".repeat(9_000)}`)],
    [
      "another browser's request",
      async (browser, asked) => {
        await askSignIn(openBrowser(served), { wallet: seller });
        browser.cookies.set(cookieNames.signIn, "A".repeat(43));
        return answerTo(asked, seller);
      },
    ],
    [
      "a request without the cookie that came with it",
      (browser, asked) => {
        browser.cookies.delete(cookieNames.signIn);
        return answerTo(asked, seller);
      },
    ],
    [
      "a request that has expired",
      (_, asked) => {
        clock.aheadMs = 10 * minuteMs + 1;
        return answerTo(asked, seller);
      },
    ],
    [
      "a request from the future",
      (_, asked) => {
        clock.aheadMs = -2 * minuteMs;
        return answerTo(asked, seller);
      },
    ],
    [
      "a text that was for something else",
      async (browser) => {
        const other = await openSignedIn(served, { wallet: seller });
        const approval = await stepUp(other, seller, "revoke_sessions", {});
        browser.cookies.set(cookieNames.session, other.cookies.get(cookieNames.session) ?? "");
        return approval;
      },
    ],
  ];

  test.each(attacks)("%s", async (_, attack) => {
    const browser = openBrowser(served);
    const asked = await askSignIn(browser, { wallet: seller });
    expectRefused(await browser.post(complete, await attack(browser, asked)));
  });

  test("a request that was answered before, rightly", async () => {
    const browser = openBrowser(served);
    const asked = await askSignIn(browser, { wallet: seller });
    const cookie = browser.cookies.get(cookieNames.signIn) ?? "";
    expect((await browser.post(complete, answerTo(asked, seller))).status).toBe(200);
    browser.cookies.clear();
    browser.cookies.set(cookieNames.signIn, cookie);
    expectRefused(await browser.post(complete, answerTo(asked, seller)));
  });

  test.each(["0x", "0x1234"])("a request that was answered before, wrongly: %s", async (wrong) => {
    const browser = openBrowser(served);
    const asked = await askSignIn(browser, { wallet: seller });
    const answer = answerTo(asked, seller);
    expectRefused(await browser.post(complete, { ...answer, signature: wrong }));
    expectRefused(await browser.post(complete, answer));
  });

  test("one request answered twice at the same moment: one session", async () => {
    const browser = openBrowser(served);
    const asked = await askSignIn(browser, { wallet: seller });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => browser.post(complete, answerTo(asked, seller))),
    );
    const statuses = answers.map(({ status }) => `${status}`).toSorted();
    expect(statuses).toEqual(["200", ...Array(7).fill("401")]);
  });

  test("an account that has not linked the wallet", async () => {
    const wallet = walletAt(devnet.buyers, 1);
    expectRefused(await signIn(openBrowser(served), { wallet, account: seller.address }));
  });
});

describe("too often", () => {
  const header = "RateLimit-Policy";
  let limited: Served;
  beforeAll(async () => {
    limited = await serveOn(devnet, {
      selfBuilt: false,
      wallets: [1],
      env: { FARTHING_RATE_LIMIT: "1000", FARTHING_TRUSTED_PROXIES: "127.0.0.1" },
    });
  });
  afterAll(() => limited?.stop());

  const ask = (from: string, address: string) =>
    openBrowser(limited).send(
      "POST",
      "/v1/account/sign-in",
      { address, chainId: 51 },
      { "x-forwarded-for": from },
    );

  test("from one address: 429, whatever the wallet", async () => {
    const addresses = Array.from({ length: 31 }, (_, index) => `0x${`${index + 10}`.repeat(20)}`);
    const statuses = [];
    for (const address of addresses) statuses.push(await ask("192.0.2.7", address));
    expect(statuses.map(({ status }) => status)).toEqual([...Array(30).fill(200), 429]);
    const last = statuses.at(-1);
    expect(last?.body).toMatchObject({ error: "rate_limited", retryable: true });
    expect(last?.headers.get(header)).toBe('"sign-in";q=30;w=60');
    expect(Number(last?.headers.get("Retry-After"))).toBeGreaterThan(0);
    // Nobody else is kept out by it.
    expect((await ask("192.0.2.8", seller.address)).status).toBe(200);
  });

  test("for one wallet: 429, wherever it comes from", async () => {
    const statuses = [];
    for (let index = 0; index < 61; index++) {
      statuses.push(await ask(`198.51.100.${index}`, walletAt(devnet.buyers, 2).address));
    }
    expect(statuses.map(({ status }) => status)).toEqual([...Array(60).fill(200), 429]);
    expect(statuses.at(-1)?.headers.get(header)).toBe('"wallet";q=60;w=60');
  });

  test("answers count as well as questions", async () => {
    const answer = { requestId: "sgn_0", signature: "0x" };
    const statuses = [];
    for (let index = 0; index < 31; index++) {
      const headers = { "x-forwarded-for": "203.0.113.9" };
      statuses.push(await openBrowser(limited).post(complete, answer, headers));
    }
    expect(statuses.map(({ status }) => status)).toEqual([...Array(30).fill(401), 429]);
  });
});
