/** The promises about challenges and payments, good and bad: the same for every adapter. */
import { decodeHeader, headerNames, readReceipt, type JsonObject } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { pay, payer, payFor, type Changes } from "./buyer.testing.ts";
import { bodyOf, payTo, reasonOf, useScene, type Listen } from "./scene.testing.ts";
import { confirmedReply, pendingReply, transferHash } from "./scripted-facilitator.testing.ts";

/** What caches heed in place of `Cache-Control`. */
const forCaches = {
  "CDN-Cache-Control": "max-age=60",
  "Cloudflare-CDN-Cache-Control": "max-age=60",
  "Surrogate-Control": "max-age=60",
  "X-Accel-Expires": "60",
};

/** Runs these promises against one adapter. */
export function paymentSuite(listen: Listen): void {
  const at = useScene(listen);

  describe("the challenge", () => {
    test("a request without payment gets a dual challenge and nothing else", async () => {
      const url = await at.start();
      const response = await fetch(url);
      expect(response.status).toBe(402);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.get("Access-Control-Expose-Headers")).toContain("PAYMENT-REQUIRED");
      expect(response.headers.get("Vary")).toContain("PAYMENT-SIGNATURE, X-PAYMENT");
      const header = decodeHeader(response.headers.get(headerNames.paymentRequired) ?? "")?.value;
      const resource = { url, description: "One report", mimeType: "text/plain" };
      expect(header).toMatchObject({
        x402Version: 2,
        resource,
        accepts: [{ network: "eip155:50", amount: "10000", payTo, maxTimeoutSeconds: 120 }],
      });
      expect(await response.json()).toMatchObject({
        x402Version: 1,
        error: "Payment required",
        accepts: [
          { network: "xdc", maxAmountRequired: "10000", resource: url },
          { x402Version: 2, network: "eip155:50", amount: "10000" },
        ],
      });
      expect(at.facilitator.calls).toEqual([]);
      expect(at.served).toEqual([]);
    });

    test("publicUrl replaces the address that the buyer chose", async () => {
      const url = await at.start(undefined, { publicUrl: "https://api.example.com/v1/" });
      const challenge = await fetch(url);
      const header = decodeHeader(challenge.headers.get(headerNames.paymentRequired) ?? "")?.value;
      const resource = { url: "https://api.example.com/v1/report?city=Paris" };
      expect(header).toMatchObject({ resource });
      for (const foreign of [url, "https://other.example.com/v1/report?city=Paris"]) {
        const headers = await pay(await fetch(url), "v2", { resource: { url: foreign } });
        expect(await reasonOf(await fetch(url, { headers }))).toBe("invalid_payload");
      }
      expect((await fetch(url, { headers: await payFor(url) })).status).toBe(200);
    });

    test("what is challenged can be paid through common proxies: a longer address gets 414", async () => {
      const url = await at.start();
      const { pathname, search } = new URL(url);
      const longest = `${url}&q=${"x".repeat(4_096 - pathname.length - search.length - 3)}`;
      const challenged = await fetch(longest);
      expect(challenged.status).toBe(402);
      const headers = await pay(challenged, "v2");
      const sent = [challenged.headers.get(headerNames.paymentRequired), ...Object.values(headers)];
      // nginx and Apache read 8 KiB for one header.
      for (const value of sent) expect(value?.length).toBeLessThan(8_000);
      expect((await fetch(longest, { headers })).status).toBe(200);
      for (const longer of [`${longest}x`, `${longest}${"x".repeat(5_904)}`]) {
        const refused = await fetch(longer);
        expect([refused.status, await bodyOf(refused)]).toMatchObject([
          414,
          { error: "address_too_long", message: expect.stringContaining("4096") },
        ]);
        expect(refused.headers.get(headerNames.paymentRequired)).toBeNull();
      }
    });

    test("a browser's preflight is free", async () => {
      const url = await at.start();
      const response = await fetch(url, {
        method: "OPTIONS",
        headers: { Origin: "https://app.example", "Access-Control-Request-Method": "GET" },
      });
      expect(response.status).toBe(204);
      const allowed = response.headers.get("Access-Control-Allow-Headers");
      const own = "PAYMENT-SIGNATURE, X-PAYMENT, PAYMENT-PASS, SIGN-IN-WITH-X, Idempotency-Key";
      expect(allowed).toBe(`Content-Type, ${own}, Access-Control-Expose-Headers`);
      const exposed = "Access-Control-Expose-Headers";
      expect(response.headers.get(exposed)).toBe((await fetch(url)).headers.get(exposed));
      expect(at.served).toEqual([]);
    });

    test("HEAD is told the price, and no payment is taken for it", async () => {
      const url = await at.start();
      for (const headers of [{}, await payFor(url), { [headerNames.xPayment]: "?" }]) {
        const response = await fetch(url, { method: "HEAD", headers });
        expect([response.status, await response.text()]).toEqual([402, ""]);
        const required = response.headers.get(headerNames.paymentRequired);
        expect(decodeHeader(required)?.value).toMatchObject({
          error: expect.stringContaining("HEAD takes no payment here; send it with GET"),
        });
        const isPaid = Object.keys(headers).length > 0;
        expect(response.headers.get(headerNames.paymentCharged)).toBe(isPaid ? "no" : null);
      }
      expect([at.served, at.facilitator.calls]).toEqual([[], []]);
    });

    test("HEAD is free where the seller says so, and leads to no content", async () => {
      const location = { Location: "/content", Link: "</content>", Refresh: "0; url=/content" };
      const headers = { ...location, "X-App": "yes", ETag: '"a"' };
      const url = await at.start(() => ({ status: 302, headers, body: "content" }), {
        head: "free",
      });
      const response = await fetch(url, { method: "HEAD", redirect: "manual" });
      expect([response.status, await response.text()]).toEqual([302, ""]);
      expect(response.headers.get("X-App")).toBe("yes");
      for (const name of Object.keys(location)) expect(response.headers.has(name)).toBe(false);
      expect(response.headers.get(headerNames.paymentCharged)).toBe("no");
      expect([at.served.map(({ amount }) => amount), at.facilitator.calls]).toEqual([["0"], []]);
      expect((await fetch(url, { redirect: "manual" })).status).toBe(402);
    });

    test("HEAD costs what GET costs where the seller says so", async () => {
      const url = await at.start(undefined, { head: "charge" });
      const challenge = await fetch(url, { method: "HEAD" });
      expect(challenge.status).toBe(402);
      expect(challenge.headers.get(headerNames.paymentRequired)).not.toBeNull();
      const paid = await fetch(url, { method: "HEAD", headers: await payFor(url) });
      expect(paid.status).toBe(200);
      expect(readReceipt(paid.headers)?.success).toBe(true);
    });
  });

  describe("a good payment", () => {
    test.each(["v1", "v2", "flat-v2"] as const)("of shape %s opens the content", async (shape) => {
      const order: string[] = [];
      const url = await at.start(() => {
        order.push(...at.facilitator.operations(), "content");
        return { body: "the report", headers: { "X-App": "yes", ...forCaches } };
      });
      const response = await fetch(url, { headers: await pay(await fetch(url), shape) });
      expect([response.status, await response.text()]).toEqual([200, "the report"]);
      expect(order).toEqual(["verify", "settle", "content"]);
      expect(response.headers.get("X-App")).toBe("yes");
      for (const header of [headerNames.paymentResponse, headerNames.xPaymentResponse]) {
        const receipt = decodeHeader(response.headers.get(header) ?? "")?.value;
        expect(receipt).toMatchObject({ success: true, transaction: transferHash, payer });
      }
      expect(response.headers.get("Cache-Control")).toBe("private, no-store");
      for (const name of Object.keys(forCaches)) expect(response.headers.get(name)).toBeNull();
      expect(response.headers.get("Vary")).toContain("PAYMENT-SIGNATURE");
      expect(response.headers.get("Access-Control-Expose-Headers")).toContain("PAYMENT-RESPONSE");
      const fact = { payer, amount: "10000", network: "eip155:50", transaction: transferHash };
      expect(at.served).toEqual([{ ...fact, settlementId: expect.stringMatching(/^s-/) }]);
      expect(at.facilitator.calls[0]?.authorization).toBe("Bearer fk_test_1");
      expect(at.events.map(({ type }) => type)).toEqual(["delivered"]);
    });

    test("comes with its request body", async () => {
      const url = await at.start(({ body }) => ({ body: `got ${body}` }));
      const headers = { ...(await payFor(url, { method: "POST" })), "Content-Type": "text/plain" };
      const response = await fetch(url, { method: "POST", headers, body: "hello" });
      expect(await response.text()).toBe("got hello");
    });

    test("with too large a body is not taken", async () => {
      const url = await at.start(undefined, { bodyBytesMax: 4 });
      const headers = await payFor(url, { method: "POST" });
      const response = await fetch(url, { method: "POST", headers, body: "hello" });
      expect(response.status).toBe(413);
      expect(at.facilitator.calls).toEqual([]);
    });

    test("has a receipt that names the log and the nonce, however much the facilitator says", async () => {
      const url = await at.start();
      const names = { settlementId: "s_1", nonce: `0x${"ab".repeat(32)}`, logIndex: 3 };
      const filler = "x".repeat(3_000);
      at.facilitator.script.settle.push(confirmedReply({ extra: { ...names, filler } }));
      const response = await fetch(url, { headers: await payFor(url) });
      expect(readReceipt(response.headers)?.extra).toEqual(names);
    });

    test("is waited for when the facilitator settles asynchronously", async () => {
      const url = await at.start();
      at.facilitator.script.settle.push(pendingReply("s_1", ""));
      at.facilitator.script.settlement.push(pendingReply("s_1"), "cut", confirmedReply());
      const response = await fetch(url, { headers: await payFor(url) });
      expect(response.status).toBe(200);
      expect(readReceipt(response.headers)?.extra?.["settlementId"]).toBe("s_1");
      const [, , ...lookups] = at.facilitator.calls;
      expect(lookups.map((call) => call.url.replace(/\d+$/, "N"))).toEqual(
        Array.from({ length: 3 }, () => "/settlements/s_1?wait=N"),
      );
    });

    test("is polled where the facilitator answers an id and nothing else", async () => {
      const url = await at.start();
      at.facilitator.script.settle.push({ json: { id: "s_1" } });
      at.facilitator.script.settlement.push(
        { json: { id: "s_1", status: "submitted" } },
        { json: { id: "s_1", status: "confirmed", transactionHash: transferHash } },
      );
      const response = await fetch(url, { headers: await payFor(url) });
      expect(response.status).toBe(200);
      expect(readReceipt(response.headers)).toMatchObject({
        success: true,
        transaction: transferHash,
        network: "eip155:50",
      });
      const asked = ["verify", "settle", "settlement", "settlement"];
      expect(at.facilitator.operations()).toEqual(asked);
    });

    test.each([
      ["has no lookup", pendingReply("s_1"), { status: 404, json: { error: "not_found" } }],
      ["wants a key for the lookup", pendingReply("s_1"), { status: 401, text: "" }],
      ["gives no id", pendingReply(), undefined],
    ])("is waited for when the facilitator %s", async (_case, settle, lookup) => {
      const url = await at.start();
      at.facilitator.script.settle.push(
        settle,
        confirmedReply({ extra: { replayed: true, ownExchange: true } }),
      );
      if (lookup) at.facilitator.script.settlement.push(lookup, lookup, lookup);
      const response = await fetch(url, { headers: await payFor(url) });
      expect(response.status).toBe(200);
      const lookups = lookup ? ["settlement"] : [];
      expect(at.facilitator.operations()).toEqual(["verify", "settle", ...lookups, "settle"]);
    });
  });

  describe("a payment that will not do", () => {
    test("the same authorization in both headers is one payment", async () => {
      const url = await at.start();
      const challenge = await fetch(url);
      const validBefore = BigInt(Math.floor(Date.now() / 1000) + 100);
      const authorization = { nonce: `0x${"ab".repeat(32)}`, validBefore } as const;
      const old = await pay(challenge.clone(), "v1", { authorization });
      const headers = { ...old, ...(await pay(challenge, "v2", { authorization })) };
      expect(Object.keys(headers)).toHaveLength(2);
      for (const isReplay of [null, "true"]) {
        const response = await fetch(url, { headers });
        expect([response.status, await response.text()]).toEqual([200, "report 1"]);
        expect(response.headers.get("X-Payment-Replayed")).toBe(isReplay);
      }
      expect([at.served.length, at.facilitator.transfers()]).toEqual([1, 1]);
    });

    test.each([
      ["two payments", (one: string, other: string) => [one, other]],
      ["a payment and something unreadable", (one: string) => [one, "e30="]],
      ["one header twice", (one: string) => [undefined, `${one}, ${one}`]],
      ["the second header twice", (one: string) => [one, `${one}, ${one}`]],
    ])("%s is a bad request", async (_case, valuesOf) => {
      const url = await at.start();
      const [one = ""] = Object.values(await payFor(url));
      const [other = ""] = Object.values(await payFor(url));
      const headers = new Headers();
      const [signature, old] = valuesOf(one, other);
      if (signature !== undefined) headers.set(headerNames.paymentSignature, signature);
      if (old !== undefined) headers.set(headerNames.xPayment, old);
      const response = await fetch(url, { headers });
      expect(response.status).toBe(400);
      expect(await bodyOf(response)).toMatchObject({ error: "ambiguous_payment" });
      expect(at.facilitator.calls).toEqual([]);
    });

    test.each(["%%%", "e30=", btoa("[1"), "eyJ4NDAyVmVyc2lvbiI6Mn0="])(
      "%s is refused with a challenge",
      async (value) => {
        const url = await at.start();
        const response = await fetch(url, { headers: { "PAYMENT-SIGNATURE": value } });
        expect(response.status).toBe(402);
        const reason = String(await reasonOf(response));
        expect(reason).toMatch(/^invalid_(payload|x402_version)$/);
        expectRefusal(response, { errorReason: reason, network: "eip155:50" });
      },
    );

    test.each<[string, string, Changes]>([
      ["a smaller amount", "amount_mismatch", { authorization: { value: 9_999n } }],
      ["a larger amount", "amount_mismatch", { authorization: { value: 10_001n } }],
      ["another payee", "pay_to_mismatch", { authorization: { to: payer } }],
      ["another stated amount", "amount_mismatch", { accepted: { amount: "1" } }],
      ["another stated payee", "pay_to_mismatch", { accepted: { payTo: payer } }],
      ["another asset", "asset_mismatch", { accepted: { asset: payer } }],
      ["a network not offered", "network_mismatch", { accepted: { network: "eip155:51" } }],
      ["another domain", "token_domain_mismatch", { accepted: { extra: { name: "USD Coin" } } }],
      ["another resource", "invalid_payload", { resource: { url: "http://x.example/cheap" } }],
      ["another query", "invalid_payload", { resource: { url: "http://x.example/report" } }],
    ])("%s is refused as %s", async (_case, reason, changes) => {
      const url = await at.start();
      const response = await fetch(url, { headers: await payFor(url, {}, changes) });
      expect(response.status).toBe(402);
      expect(await reasonOf(response)).toBe(reason);
      expectRefusal(response, { errorReason: reason, payer });
      expect(at.facilitator.calls).toEqual([]);
    });

    test("unknown keys, cases and a foreign host in what it states do not matter", async () => {
      const url = await at.start();
      const headers = await payFor(
        url,
        {},
        {
          accepted: {
            payTo: payTo.toLowerCase(),
            maxTimeoutSeconds: 5,
            more: 1,
            extra: { name: "USDC" },
          },
          resource: { url: "https://proxied.example/report?city=Paris" },
        },
      );
      expect((await fetch(url, { headers })).status).toBe(200);
    });

    test("a verdict against it is a fresh challenge, and it may be tried again", async () => {
      const url = await at.start();
      const json = { isValid: false, invalidReason: "insufficient_funds" };
      at.facilitator.script.verify.push({ json });
      const headers = await pay(await fetch(url), "flat-v2");
      const refused = await fetch(url, { headers });
      expect(await reasonOf(refused)).toBe("insufficient_funds");
      expectRefusal(refused, { errorReason: "insufficient_funds", payer, network: "eip155:50" });
      expect([at.facilitator.transfers(), at.served.length]).toEqual([0, 0]);
      // Nothing binds it to the request that was refused.
      expect((await fetch(`${url}&day=2`, { headers })).status).toBe(200);
    });

    test("a settlement that failed is a challenge with the receipt", async () => {
      const url = await at.start();
      const failed = { status: "failed", errorReason: "transaction_reverted" };
      const network = "eip155:50";
      at.facilitator.script.settle.push({
        json: { success: false, ...failed, transaction: transferHash, network },
      });
      const response = await fetch(url, { headers: await payFor(url) });
      expect(response.status).toBe(402);
      expect(readReceipt(response.headers)).toMatchObject({ success: false, ...failed });
      expect(await reasonOf(response)).toBe("transaction_reverted");
      expect(at.served).toEqual([]);
    });

    test.each([
      ["names no transaction", confirmedReply({ transaction: "" })],
      ["names another network", confirmedReply({ network: "eip155:51" })],
      ["names another payer", confirmedReply({ payer: payTo })],
      ["is called pending", confirmedReply({ status: "pending" })],
      ["is denied in the same answer", confirmedReply({ success: false, status: "confirmed" })],
    ])("a success that %s opens nothing", async (_case, reply) => {
      // Every end of the wait is a 503, also one that a busy machine brings before settle is asked.
      const url = await at.start(undefined, { waitMs: 400 });
      at.facilitator.script.settle.push(...Array.from({ length: 9 }, () => reply));
      const response = await fetch(url, { headers: await payFor(url) });
      expect(readReceipt(response.headers)?.success ?? false).toBe(false);
      expect(response.status).toBe(503);
      expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
      expect(at.served).toEqual([]);
    });
  });
}

/** The receipt of a payment that moved nothing, under both names and readable by scripts. */
function expectRefusal(response: Response, facts: JsonObject): void {
  const names = [headerNames.paymentResponse, headerNames.xPaymentResponse];
  for (const name of names) {
    const receipt = decodeHeader(response.headers.get(name))?.value;
    expect(receipt).toMatchObject({ success: false, transaction: "", ...facts });
    expect(response.headers.get("Access-Control-Expose-Headers")).toContain(name);
  }
}
