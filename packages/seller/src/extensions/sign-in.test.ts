/** A payer signs in with stock clients and gets a token; what was signed opens nothing else. */
import {
  decodeHeader,
  encodeSignIn,
  headerNames,
  isObject,
  parseSignIn,
  type SignIn,
} from "@farthing/protocol";
import {
  createSIWxClientHook,
  parseSIWxHeader,
  SIGN_IN_WITH_X,
  validateSIWxMessage,
  verifySIWxSignature,
  wrapFetchWithSIWx,
  type SIWxExtension,
} from "@x402/extensions/sign-in-with-x";
import { privateKeyToAccount } from "viem/accounts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pay } from "../buyer.testing.ts";
import { systemClock } from "../clock.ts";
import {
  createMemoryGrants,
  createSeller,
  type RouteOptions,
  type SellerEvent,
  type SellerOptions,
} from "../index.ts";
import { bodyOf, payTo, reasonOf } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

const account = privateKeyToAccount(`0x${"53".repeat(32)}`);
const stranger = privateKeyToAccount(`0x${"54".repeat(32)}`);
const publicUrl = "https://shop.example";
const url = `${publicUrl}/report?city=Paris`;
const route: RouteOptions = { price: "1.00", pass: { uses: 3, validFor: "30d" } };

let facilitator: ScriptedFacilitator;
let nowMs: number;
beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
  nowMs = Date.now();
});
afterEach(() => facilitator.close());

type Shop = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A shop at its public address, without a network between. */
function openShop(options: Partial<SellerOptions> = {}, own: RouteOptions = route): Shop {
  const clock = { ...systemClock, now: () => nowMs };
  const grants = createMemoryGrants({ now: clock.now });
  const base = { facilitator: { url: facilitator.url }, payTo, publicUrl, grants };
  const seller = createSeller({ ...base, onEvent: () => undefined, ...options }, clock);
  const paid = seller.route(own);
  let made = 0;
  return async (input, init) => {
    const request = new Request(input, init);
    const { response } = await paid.charge(request, () => new Response(`report ${++made}`));
    return response;
  };
}

/** Buys a pass; the test forgets its token. */
async function buy(shop: Shop, at = url): Promise<Response> {
  return shop(at, { headers: await pay(await shop(at), "v2", { account }) });
}

function declaredIn(response: Response): SIWxExtension | undefined {
  const value = decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;
  const extensions = isObject(value) ? value["extensions"] : undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stock functions' own type
  return (isObject(extensions) ? extensions[SIGN_IN_WITH_X] : undefined) as
    | SIWxExtension
    | undefined;
}

/** The sign-in that the stock client sends to a shop, without its answer. */
async function signedFor(shop: Shop, by = account, at = url): Promise<SignIn> {
  let header = "";
  const fetching = wrapFetchWithSIWx(async (input, init) => {
    const request = new Request(input, init);
    header = request.headers.get(SIGN_IN_WITH_X) ?? "";
    return header === "" ? shop(request) : new Response();
  }, by);
  await fetching(at);
  const signIn = parseSignIn(header);
  if (!signIn) throw new Error("The stock client did not sign in.");
  return signIn;
}

const showing = (signIn: SignIn) => ({ headers: { [SIGN_IN_WITH_X]: encodeSignIn(signIn) } });

const leftOf = ({ headers }: Response) => headers.get("X-Pass-Remaining");

test("a payer of a balance who signs in gets another token, beside those of other programs", async () => {
  const shop = openShop({}, { balance: { topUp: "1.00", reserve: "0.05" }, cost: () => "0.01" });
  const before = (await buy(shop)).headers.get("PAYMENT-PASS") ?? "";
  const response = await wrapFetchWithSIWx(shop, account)(url);
  expect([response.status, response.headers.get("X-Balance-Remaining")]).toEqual([200, "980000"]);
  const token = response.headers.get("PAYMENT-PASS") ?? "";
  expect(token).not.toBe(before);
  for (const one of [before, token]) {
    expect((await shop(url, { headers: { "PAYMENT-PASS": one } })).status).toBe(200);
  }
  const unknown = await shop(url, showing(await signedFor(shop, stranger)));
  expect(await reasonOf(unknown)).toBe("sign_in_no_balance");
  expect(facilitator.transfers()).toBe(1);
});

describe("a payer who signs in", () => {
  test("by the stock fetch uses the pass, and gets a token that replaces the one before", async () => {
    const shop = openShop();
    const before = (await buy(shop)).headers.get("PAYMENT-PASS") ?? "";
    const response = await wrapFetchWithSIWx(shop, account)(url);
    expect([response.status, await response.text(), leftOf(response)]).toEqual([
      200,
      "report 2",
      "1",
    ]);
    const token = response.headers.get("PAYMENT-PASS") ?? "";
    const old = await shop(url, { headers: { "PAYMENT-PASS": before } });
    expect(await reasonOf(old)).toBe("pass_unknown");
    const used = await shop(url, { headers: { "PAYMENT-PASS": token } });
    expect([used.status, leftOf(used), used.headers.get("PAYMENT-PASS")]).toEqual([200, "0", null]);
    expect(used.headers.get("Vary")).toContain("SIGN-IN-WITH-X");
    // Nothing is left to sign in for.
    expect(await reasonOf(await wrapFetchWithSIWx(shop, account)(url))).toBe("sign_in_no_pass");
    expect(facilitator.transfers()).toBe(1);
  });

  test("by the hook of the stock client, whose message the stock server accepts", async () => {
    const shop = openShop();
    await buy(shop);
    const challenge = await shop(url);
    const value = decodeHeader(challenge.headers.get(headerNames.paymentRequired))?.value;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stock functions' own type
    const context = { paymentRequired: value, requestUrl: url } as never;
    const headers = (await createSIWxClientHook(account)(context))?.headers ?? {};
    const payload = parseSIWxHeader(headers[SIGN_IN_WITH_X] ?? "");
    expect(await validateSIWxMessage(payload, new URL(publicUrl))).toEqual({ isValid: true });
    expect(await verifySIWxSignature(payload)).toEqual({ isValid: true, payer: account.address });
    expect((await shop(url, { headers })).status).toBe(200);
  });

  test("opens nothing a second time with the same nonce, whatever it comes with", async () => {
    const shop = openShop();
    await buy(shop);
    const signIn = await signedFor(shop);
    expect((await shop(url, showing(signIn))).status).toBe(200);
    for (let nth = 0; nth < 2; nth++) {
      const again = await shop(url, showing(signIn));
      expect([again.headers.get("PAYMENT-PASS"), await reasonOf(again)]).toEqual([
        null,
        "sign_in_used",
      ]);
    }
  });

  test("at once many times with one nonce is served once", async () => {
    const shop = openShop();
    await buy(shop);
    const signIn = await signedFor(shop);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => shop(url, showing(signIn))),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("is refused for another address, domain, chain, time, nonce or signature", async () => {
    const shop = openShop();
    await buy(shop);
    const good = await signedFor(shop);
    const other = await signedFor(shop, account, `${publicUrl}/other`);
    const later = new Date(Date.parse(good.issuedAt) + 1).toISOString();
    const nonce = good.nonce.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    const wrong: readonly (readonly [Partial<SignIn>, string])[] = [
      [other, "sign_in_elsewhere"],
      [{ domain: "evil.example" }, "sign_in_elsewhere"],
      [{ uri: `${publicUrl}/report?city=Rome` }, "sign_in_elsewhere"],
      [{ chainId: "eip155:1" }, "sign_in_elsewhere"],
      [{ issuedAt: later }, "sign_in_nonce"],
      [{ issuedAt: "never" }, "sign_in_nonce"],
      [{ nonce }, "sign_in_nonce"],
      [{ address: stranger.address }, "sign_in_wallet"],
      [{ signature: "0x" }, "sign_in_wallet"],
    ];
    for (const [change, reason] of wrong) {
      const response = await shop(url, showing({ ...good, ...change }));
      expect([reason, await reasonOf(response)]).toEqual([reason, reason]);
    }
    // What was refused has cost nothing, and the right one still opens.
    expect(leftOf(await shop(url, showing(good)))).toBe("1");
    const hers = await signedFor(shop, stranger);
    expect(await reasonOf(await shop(url, showing(hers)))).toBe("sign_in_no_pass");
    nowMs += 5 * 60_000;
    expect(await reasonOf(await shop(url, showing(hers)))).toBe("sign_in_nonce");
  });

  test.each(["", "a", btoa("{}"), btoa("null"), "x".repeat(40_000)])(
    "in no known form is challenged: %#",
    async (header) => {
      const shop = openShop();
      const response = await shop(url, { headers: { [SIGN_IN_WITH_X]: header } });
      expect(await reasonOf(response)).toBe("sign_in_malformed");
    },
  );
});

describe("a contract wallet", () => {
  const wallet = "0x00000000000000000000000000000000000000AA";
  const signature = "0x1271";

  /** The wallet's pass, bought by a payment of which only the record matters here. */
  async function openWith(
    verifyWallet?: SellerOptions["verifyWallet"],
    network: readonly string[] = ["eip155:50"],
    more: Partial<SellerOptions> = {},
  ) {
    const grants = createMemoryGrants({ now: () => nowMs });
    const shop = openShop({ grants, network, ...(verifyWallet ? { verifyWallet } : {}), ...more });
    const sale = { scope: `${publicUrl}/report`, uses: 3, validForMs: 60_000, isFinalOnly: false };
    const payment = { payer: wallet, amount: "1", network: "eip155:50", transaction: "0x1" };
    await grants.passes?.open("key", sale, payment);
    const signIn = { ...(await signedFor(shop)), address: wallet, signature } as const;
    return { shop, signIn };
  }

  test("is asked through the seller's node, once for each challenge", async () => {
    const asked: unknown[] = [];
    const { shop, signIn } = await openWith((signed) => asked.push(signed) > 1);
    expect(await reasonOf(await shop(url, showing(signIn)))).toBe("sign_in_signature");
    expect(await reasonOf(await shop(url, showing(signIn)))).toBe("sign_in_used");
    const next = { ...(await signedFor(shop)), address: wallet, signature } as const;
    expect((await shop(url, showing(next))).status).toBe(200);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toMatchObject({ address: wallet, network: "eip155:50", signature });
    expect(asked[1]).toMatchObject({ text: expect.stringContaining(wallet) });
  });

  test("opens nothing of another network, where its address may be somebody else's", async () => {
    const { shop, signIn } = await openWith(() => true, ["eip155:50", "eip155:51"]);
    const elsewhere = await shop(url, showing({ ...signIn, chainId: "eip155:51" }));
    expect(await reasonOf(elsewhere)).toBe("sign_in_no_pass");
    expect((await shop(url, showing(signIn))).status).toBe(200);
  });

  test("is told that the seller is busy where the node is late, and the seller which call it was", async () => {
    const events: SellerEvent[] = [];
    const more = { waitMs: 50, onEvent: (event: SellerEvent) => void events.push(event) };
    const { shop, signIn } = await openWith(() => new Promise(() => undefined), undefined, more);
    expect((await shop(url, showing(signIn))).status).toBe(503);
    const late = expect.stringContaining("verifyWallet did not answer within 50 ms");
    expect(events.at(-1)).toMatchObject({ type: "broken", error: { message: late } });
  });

  test("is refused clearly where the seller has no node", async () => {
    const { shop, signIn } = await openWith();
    const response = await shop(url, showing(signIn));
    expect(await bodyOf(response.clone())).toMatchObject({
      message: expect.stringContaining("cannot ask contract wallets"),
    });
    expect(await reasonOf(response)).toBe("sign_in_wallet");
  });

  test("whose node fails leaves the request open", async () => {
    const { shop, signIn } = await openWith(() => Promise.reject(new Error("no node")));
    expect((await shop(url, showing(signIn))).status).toBe(503);
  });
});

describe("a challenge", () => {
  test("asks to sign in only where a pass could open the route", async () => {
    expect(declaredIn(await openShop()(url))).toMatchObject({
      info: { domain: "shop.example", uri: url, version: "1" },
      supportedChains: [{ chainId: "eip155:50", type: "eip191" }],
    });
    expect(declaredIn(await openShop({}, { price: "1.00" })(url))).toBeUndefined();
    // Without a configured address the buyer's Host header would name the domain.
    const { publicUrl: _none, ...open } = { publicUrl: undefined };
    const grants = createMemoryGrants();
    const seller = createSeller({ facilitator: { url: facilitator.url }, payTo, grants, ...open });
    const { response } = await seller.route(route).charge(new Request(url), () => new Response());
    expect(declaredIn(response)).toBeUndefined();
  });

  test("has a nonce of its own each time", async () => {
    const shop = openShop();
    const nonces = await Promise.all(
      Array.from({ length: 5 }, async () => declaredIn(await shop(url))?.info["nonce"]),
    );
    expect(new Set(nonces).size).toBe(5);
  });
});

test("a token comes before a sign-in, and a payment before both", async () => {
  const shop = openShop();
  const token = (await buy(shop)).headers.get("PAYMENT-PASS") ?? "";
  const signIn = await signedFor(shop);
  const headers = { ...showing(signIn).headers, "PAYMENT-PASS": token };
  const used = await shop(url, { headers });
  expect([used.status, used.headers.get("PAYMENT-PASS")]).toEqual([200, null]);
  expect((await shop(url, showing(signIn))).status).toBe(200);
});
