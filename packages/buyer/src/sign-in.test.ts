/** Signing in with a wallet that has paid: with the stock server, and never for another address. */
import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import {
  createSIWxResourceServerExtension,
  declareSIWxExtension,
  InMemorySIWxStorage,
} from "@x402/extensions/sign-in-with-x";
import express from "express";
import { declareSignIn, encodeHeader, type SignInInfo } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "./buyer-bench.testing.ts";
import { memoryLedger } from "./ledger/memory-ledger.ts";
import {
  challenge,
  listen,
  oneCent,
  payer,
  payTo,
  receiptHeader,
  startSeller,
  transaction,
  type Answer,
} from "./scripted-seller.testing.ts";

/** Answers of a facilitator for which every payment is good. */
const answers: Readonly<Record<string, object>> = {
  "/supported": { kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:50" }] },
  "/verify": { isValid: true, payer },
  "/settle": { success: true, payer, transaction, network: "eip155:50" },
};

class Nonces extends InMemorySIWxStorage {
  readonly used = new Set<string>();
  hasUsedNonce = (nonce: string): boolean => this.used.has(nonce);
  recordNonce = (nonce: string): void => void this.used.add(nonce);
}

test("the stock server is paid once, and opened by sign-ins from then on", async () => {
  const facilitator = createServer((request, response) => {
    void readText(request).then(() => {
      response.setHeader("Content-Type", "application/json");
      return response.end(JSON.stringify(answers[request.url ?? ""] ?? {}));
    });
  });
  const app = express();
  const shop = createServer(app);
  const origin = await listen(shop);
  const server = new x402ResourceServer(
    new HTTPFacilitatorClient({ url: await listen(facilitator) }),
  );
  server.register("eip155:50", new ExactEvmScheme());
  const storage = new Nonces();
  server.registerExtension(createSIWxResourceServerExtension({ storage, origin }));
  const accepts = { scheme: "exact", price: "$0.01", network: "eip155:50", payTo } as const;
  const extensions = declareSIWxExtension({ statement: "Who is it?" });
  app.use(paymentMiddleware({ "GET /r": { accepts, description: "d", extensions } }, server));
  app.get("/r", (_, response) => {
    response.send("content");
  });
  // The stock server reads the time of the machine.
  const { pay, signer, clock } = buyerBench();
  clock.time = Date.now();
  const states: unknown[] = [];
  for (let nth = 0; nth < 3; nth++) {
    const response = await pay(`${origin}/r`);
    states.push([response.status, response.payment.state, await response.text()]);
  }
  expect(states).toEqual([
    [200, "settled", "content"],
    [200, "not_required", "content"],
    [200, "not_required", "content"],
  ]);
  expect([signer.count, storage.used.size]).toEqual([1, 2]);
  for (const one of [shop, facilitator]) one.closeAllConnections();
  shop.close();
  facilitator.close();
});

/** A challenge that asks to sign in; `change` says what is wrong with it. */
function asks(url: string, change: Partial<SignInInfo>): Answer {
  const { headers = {}, ...rest } = challenge(oneCent);
  const required = JSON.parse(atob(String(headers["PAYMENT-REQUIRED"])));
  const times = { issuedAt: "2026-09-21T14:00:00.000Z" };
  const info = { domain: new URL(url).host, uri: url, nonce: "12345678", ...times, ...change };
  const declared = declareSignIn({ info, chainIds: ["eip155:50"] });
  const extensions = { ...required.extensions, "sign-in-with-x": declared };
  const header = encodeHeader({ ...required, extensions });
  return { ...rest, headers: { ...headers, "PAYMENT-REQUIRED": header } };
}
const signedIn = ({ headers }: { readonly headers: object }) => "sign-in-with-x" in headers;

describe("with a scripted seller", () => {
  test.each<[string, (url: string) => Partial<SignInInfo>]>([
    ["another domain", () => ({ domain: "evil.example" })],
    ["another address", (url) => ({ uri: `${url}?all` })],
    ["a text of several lines", () => ({ statement: "Sign in.\n\nURI: https://evil.example" })],
    ["a nonce that is none", () => ({ nonce: "a b" })],
  ])("a text for %s is not signed, and the request is paid for", async (_what, change) => {
    await using seller = await startSeller({
      unpaid: () => asks(seller.url, change(seller.url)),
      paid: [{ headers: receiptHeader(), body: "content" }],
    });
    const { pay } = buyerBench();
    expect((await pay(seller.url)).payment.state).toBe("settled");
    expect(seller.requests.some(signedIn)).toBe(false);
  });

  test("at a host that is not allowed nothing is signed", async () => {
    await using seller = await startSeller({ unpaid: () => asks(seller.url, {}) });
    const { pay } = buyerBench({ allow: { hosts: ["shop.example"] } });
    expect((await paymentErrorOf(pay(seller.url))).code).toBe("host_not_allowed");
    expect(seller.requests.some(signedIn)).toBe(false);
  });

  test("the token of a sign-in serves the next run, and an ended one is not shown again", async () => {
    const expires = new Date(1_790_003_600_000).toISOString();
    const token = `${"ab".repeat(16)}.1`;
    let left = 3;
    const opened = (headers: Answer["headers"]): Answer => {
      left -= 1;
      return { headers: { "X-Pass-Remaining": `${left}`, "X-Pass-Expires": expires, ...headers } };
    };
    await using seller = await startSeller({
      unpaid: (request) => {
        if (left > 0 && request.headers["payment-pass"] === token) return opened({});
        if (left > 0 && signedIn(request)) return opened({ "PAYMENT-PASS": token });
        return asks(seller.url, {});
      },
      paid: [{ headers: receiptHeader(), body: "content" }],
    });
    const ledger = memoryLedger();
    const states: unknown[] = [];
    for (let nth = 0; nth < 5; nth++) {
      const { payment } = await buyerBench({ ledger }).pay(seller.url);
      states.push([payment.state, "pass" in payment ? payment.pass?.remaining : undefined]);
    }
    expect(states).toEqual([
      ["not_required", 2],
      ["not_required", 1],
      ["not_required", 0],
      ["settled", undefined],
      ["settled", undefined],
    ]);
    // The first run signs in; the last two find no pass that is not used up, and ask for one.
    const shown = seller.requests.map(({ headers }) => headers["payment-pass"] === token);
    expect([shown.filter(Boolean).length, seller.requests.filter(signedIn).length]).toEqual([2, 3]);
    expect(await ledger.listHeard?.()).toEqual([
      { token, url: seller.url, expiresAtMs: Date.parse(expires), remaining: 0 },
    ]);
  });

  test("a sign-in that opens nothing is not tried again before the next payment", async () => {
    await using seller = await startSeller({
      unpaid: () => asks(seller.url, {}),
      paid: [{ headers: receiptHeader() }, { headers: receiptHeader() }],
    });
    const { pay, signer } = buyerBench({ limits: { perCall: "0.001" } });
    for (let nth = 0; nth < 3; nth++) await expect(pay(seller.url)).rejects.toThrow();
    expect([seller.requests.filter(signedIn).length, signer.count]).toEqual([1, 0]);
  });
});
