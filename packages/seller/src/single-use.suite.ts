/** The promises that one payment opens one response, and that who paid gets it: the same for every adapter. */
import { headerNames, readReceipt } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { pay, payFor } from "./buyer.testing.ts";
import { createMemoryGrants, type RouteOptions, type SellerOptions } from "./index.ts";
import {
  bodyOf,
  expectLater,
  reasonOf,
  shortMs,
  useScene,
  type App,
  type AppResponse,
  type Listen,
} from "./scene.testing.ts";
import { confirmedReply, pendingReply, transferHash } from "./scripted-facilitator.testing.ts";

const broken = () => Promise.reject(new Error("disk full"));

/** Runs these promises against one adapter. */
export function singleUseSuite(listen: Listen): void {
  const at = useScene(listen);

  describe("one payment opens one response", () => {
    test("also when it arrives twenty times at once", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const response = await fetch(url, { headers });
          const isReplay = response.headers.get("X-Payment-Replayed") === "true";
          return [response.status, await response.text(), isReplay] as const;
        }),
      );
      expect(new Set(answers.map(([status, text]) => `${status} ${text}`))).toEqual(
        new Set(["200 report 1"]),
      );
      expect(answers.filter(([, , isReplay]) => !isReplay)).toHaveLength(1);
      expect([at.served.length, at.facilitator.transfers()]).toEqual([1, 1]);
      expect(at.facilitator.operations()).toEqual(["verify", "settle"]);
    });

    test("a waiting repeat gives up in time, without a challenge", async () => {
      const content = Promise.withResolvers<AppResponse>();
      const serving = Promise.withResolvers<void>();
      const url = await at.start(() => (serving.resolve(), content.promise), { waitMs: shortMs });
      const headers = await payFor(url);
      const first = fetch(url, { headers });
      await serving.promise;
      await expectLater(await fetch(url, { headers }), "settlement_pending");
      content.resolve({ body: "done" });
      expect(await (await first).text()).toBe("done");
      expect(at.served).toHaveLength(1);
    });

    test("a repeat after a lost answer gets the content again", async () => {
      const secrets = {
        "Set-Cookie": "session=1",
        Authorization: "Bearer 1",
        "Authentication-Info": "nextnonce=1",
      };
      const own = { ...secrets, "Content-Language": "fr" };
      const url = await at.start(() => ({ status: 201, body: "bonjour", headers: own }));
      const headers = await payFor(url);
      const first = await fetch(url, { headers });
      expect(first.headers.get("Set-Cookie")).toBe("session=1");
      const again = await fetch(url, { headers });
      expect([again.status, await again.text()]).toEqual([201, "bonjour"]);
      expect(again.headers.get("X-Payment-Replayed")).toBe("true");
      expect(again.headers.get("Content-Language")).toBe("fr");
      expect(again.headers.get("Cache-Control")).toBe("private, no-store");
      expect(readReceipt(again.headers)?.transaction).toBe(transferHash);
      // Whoever rebuilt the payment from the chain must not get the buyer's session.
      for (const name of Object.keys(secrets)) expect(again.headers.get(name)).toBeNull();
      // It was made for nobody in particular, and a session may have begun since.
      const signedIn = await fetch(url, { headers: { ...headers, Cookie: "session=1" } });
      expect(await signedIn.text()).toBe("bonjour");
      expect([at.served.length, at.facilitator.calls.length]).toEqual([1, 2]);
    });

    test("a kept answer goes to nobody with other credentials than its buyer's", async () => {
      const url = await at.start(() => ({ body: "for a" }));
      const payment = await payFor(url);
      const as = (who: Record<string, string>) => fetch(url, { headers: { ...payment, ...who } });
      const buyer = { Authorization: "Bearer a", Cookie: "session=a" };
      expect(await (await as(buyer)).text()).toBe("for a");
      expect(await (await as(buyer)).text()).toBe("for a");
      // The payment can be rebuilt from the chain, and the handler would have asked who it is.
      for (const stranger of [
        {},
        { ...buyer, Cookie: "session=b" },
        { Authorization: "Bearer a" },
      ]) {
        const response = await as(stranger);
        expect(response.status).toBe(409);
        expect(await bodyOf(response)).toMatchObject({ error: "already_delivered" });
      }
      expect(at.served).toHaveLength(1);
    });

    test("a buyer who hung up while it was made gets it with the repeat", async () => {
      const content = Promise.withResolvers<AppResponse>();
      const serving = Promise.withResolvers<void>();
      const url = await at.start(() => (serving.resolve(), content.promise));
      const headers = await payFor(url);
      const hangUp = new AbortController();
      const lost = fetch(url, { headers, signal: hangUp.signal });
      await serving.promise;
      hangUp.abort();
      await expect(lost).rejects.toThrow();
      const again = fetch(url, { headers });
      content.resolve({ body: "kept" });
      expect(await (await again).text()).toBe("kept");
      expect(at.served).toHaveLength(1);
    });

    test.each<[string, (url: string) => [string, RequestInit]]>([
      ["path", (url) => [url.replace("report", "other"), {}]],
      ["query", (url) => [url.replace("Paris", "Rome"), {}]],
      ["method", (url) => [url, { method: "DELETE" }]],
      ["body", (url) => [url, { method: "POST", body: "b" }]],
    ])("another %s needs another payment", async (part, other) => {
      const url = await at.start();
      const init = part === "body" ? { method: "POST", body: "a" } : {};
      // The flat shape states no resource: only the fingerprint stands in the way.
      const headers = await pay(await fetch(url, init), "flat-v2");
      expect((await fetch(url, { ...init, headers })).status).toBe(200);
      const [otherUrl, otherInit] = other(url);
      const response = await fetch(otherUrl, { ...otherInit, headers });
      expect(response.status).toBe(409);
      expect(await bodyOf(response)).toMatchObject({ error: "payment_bound_elsewhere" });
      expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
      expect(at.served).toHaveLength(1);
    });

    test.each<[string, Partial<SellerOptions>, RouteOptions, AppResponse]>([
      ["too large", { grants: createMemoryGrants({ answerBytesMax: 8 }) }, {}, {}],
      ["streamed", {}, { stream: true }, {}],
      ["an event stream", {}, {}, { headers: { "Content-Type": "text/event-stream" } }],
    ])("an answer that is %s is given once", async (_case, options, route, answer) => {
      const url = await at.start(() => ({ body: "a".repeat(100), ...answer }), options, route);
      const headers = await payFor(url);
      expect(await (await fetch(url, { headers })).text()).toBe("a".repeat(100));
      const again = await fetch(url, { headers });
      expect(again.status).toBe(409);
      expect(await bodyOf(again)).toMatchObject({ error: "already_delivered" });
      expect(readReceipt(again.headers)?.success).toBe(true);
      expect(at.served).toHaveLength(1);
    });

    test("a payment used before this server started is proved, not served", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      await fetch(url, { headers });
      await at.stop();
      const restarted = new URL(url);
      restarted.port = new URL(await at.start()).port;
      const response = await fetch(restarted, { headers });
      expect(response.status).toBe(409);
      expect(await bodyOf(response)).toMatchObject({ error: "already_settled" });
      expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
      expect(readReceipt(response.headers)?.transaction).toBe(transferHash);
      expect([at.served.length, at.facilitator.transfers()]).toEqual([1, 1]);
    });

    test("a payment that somebody else presented first is not served", async () => {
      const url = await at.start(undefined, {
        facilitator: { url: at.facilitator.url, timeoutMs: shortMs },
      });
      const headers = await payFor(url);
      const extra = { replayed: true };
      at.facilitator.script.settle.push({ json: { ...pendingReply().json, extra } }, "cut");
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      at.facilitator.script.settle.push(confirmedReply({ extra }));
      expect((await fetch(url, { headers })).status).toBe(409);
      expect(at.served).toEqual([]);
    });

    test("a used nonce is never asked to be paid again, also without the transaction", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      const used = { errorReason: "nonce_already_used", transaction: "", network: "eip155:50" };
      at.facilitator.script.verify.push({
        json: { isValid: false, invalidReason: "nonce_already_used" },
      });
      at.facilitator.script.settle.push({ json: { success: false, ...used } });
      const response = await fetch(url, { headers });
      expect([response.status, response.headers.get(headerNames.paymentRequired)]).toEqual([
        409,
        null,
      ]);
      expect(await bodyOf(response)).toMatchObject({ error: "already_settled" });
      expect(at.served).toEqual([]);
    });

    test("a payment that its payer has canceled is refused like any bad one", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      const none = { errorReason: "authorization_canceled", transaction: "", network: "eip155:50" };
      at.facilitator.script.verify.push({
        json: { isValid: false, invalidReason: "nonce_already_used" },
      });
      at.facilitator.script.settle.push({ json: { success: false, ...none } });
      expect(await reasonOf(await fetch(url, { headers }))).toBe("authorization_canceled");
    });

    test("a used nonce with the transaction that used it is proved, not asked for again", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      const used = { errorReason: "nonce_already_used", transaction: transferHash };
      at.facilitator.script.settle.push({
        json: { success: false, network: "eip155:50", ...used },
      });
      const response = await fetch(url, { headers });
      expect(response.status).toBe(409);
      expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
      expect(readReceipt(response.headers)?.transaction).toBe(transferHash);
      expect(at.served).toEqual([]);
    });

    test("a seller without room for another payment takes none", async () => {
      const url = await at.start(undefined, { grants: createMemoryGrants({ entriesMax: 0 }) });
      await expectLater(await fetch(url, { headers: await payFor(url) }), "busy");
      expect(at.facilitator.calls).toEqual([]);
    });

    test("a store that fails leaves everything open", async () => {
      const grants = {
        answerBytesMax: 1,
        acquire: broken,
        has: broken,
        wait: broken,
        isTokenShared: broken,
        identify: broken,
        isProven: broken,
        recall: broken,
        toKeep: () => undefined,
      };
      const url = await at.start(undefined, { grants });
      await expectLater(await fetch(url, { headers: await payFor(url) }), "busy");
      expect(at.events).toMatchObject([{ type: "broken", error: { message: "disk full" } }]);
      expect(at.facilitator.calls).toEqual([]);
    });

    test("an end of the authorization after an unanswered settle is not a failure", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      const late = { errorReason: "authorization_expired", transaction: "", network: "eip155:50" };
      at.facilitator.script.settle.push("cut", { json: { success: false, ...late } });
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      const response = await fetch(url, { headers });
      expect(response.status).toBe(409);
      expect(await bodyOf(response)).toMatchObject({ error: "outcome_unknown" });
      expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
      expect(at.events.map(({ type }) => type)).toEqual(["facilitator_fault", "unserved"]);
    });

    test("a facilitator that looked into its book and at the chain is believed that it never will", async () => {
      const url = await at.start();
      const validBefore = BigInt(Math.floor(Date.now() / 1000) - 60);
      const headers = await payFor(url, {}, { authorization: { validBefore } });
      const late = { errorReason: "authorization_expired", transaction: "", network: "eip155:50" };
      const extra = { x402Reason: "invalid_exact_evm_payload_authorization_valid_before" };
      at.facilitator.script.settle.push("cut", { json: { success: false, ...late, extra } });
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      expect(await reasonOf(await fetch(url, { headers }))).toBe("authorization_expired");
    });

    test.each([
      ["insufficient_funds", 60],
      ["authorization_expired", 60],
      // A block may be a while behind the clock.
      ["insufficient_funds", -10],
      ["authorization_expired", -10],
    ])(
      "%s while an unanswered settle may still arrive is no failure yet, %i s before its end",
      async (errorReason, seconds) => {
        const url = await at.start();
        const validBefore = BigInt(Math.floor(Date.now() / 1000) + seconds);
        const headers = await payFor(url, {}, { authorization: { validBefore } });
        const refused = { errorReason, transaction: "", network: "eip155:50" };
        const reply = { json: { success: false, ...refused, extra: { x402Reason: "any" } } };
        at.facilitator.script.settle.push("cut", reply);
        await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
        await expectLater(await fetch(url, { headers }), "settlement_pending");
        expect((await fetch(url, { headers })).status).toBe(200);
        expect(at.facilitator.transfers()).toBe(1);
      },
    );

    test("an empty wallet after an unanswered settle may be the settlement's own doing", async () => {
      const url = await at.start();
      const validBefore = BigInt(Math.floor(Date.now() / 1000) - 60);
      const headers = await payFor(url, {}, { authorization: { validBefore } });
      const empty = { errorReason: "insufficient_funds", transaction: "", network: "eip155:50" };
      at.facilitator.script.settle.push("cut", { json: { success: false, ...empty } });
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      const response = await fetch(url, { headers });
      expect([response.status, response.headers.get(headerNames.paymentRequired)]).toEqual([
        409,
        null,
      ]);
      expect(await bodyOf(response)).toMatchObject({ error: "outcome_unknown" });
    });

    test("a used nonce after an unanswered settle is never called a failure", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      const used = { errorReason: "nonce_already_used", transaction: "", network: "eip155:50" };
      const reply = { json: { success: false, ...used } };
      at.facilitator.script.settle.push("cut", reply, reply);
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      expect((await fetch(url, { headers })).status).toBe(409);
      expect((await fetch(url, { headers })).status).toBe(409);
    });
  });

  describe("content that cannot be made after payment", () => {
    test.each<[string, App, number]>([
      ["throws", () => Promise.reject(new Error("database is down")), 500],
      ["answers 502", () => ({ status: 502, body: "upstream" }), 502],
    ])("because the app %s is made again without a charge", async (_case, broken, status) => {
      const url = await at.start((request) =>
        at.served.length === 1 ? broken(request) : { body: "at last" },
      );
      const headers = await payFor(url);
      const failed = await fetch(url, { headers });
      expect(failed.status).toBe(status);
      expect(failed.headers.get(headerNames.paymentRequired)).toBeNull();
      expect(readReceipt(failed.headers)?.transaction).toBe(transferHash);
      const body = await bodyOf(failed);
      expect(body).toMatchObject({ error: "paid_undelivered", retryable: true });
      expect(JSON.stringify(body)).not.toMatch(/database/);
      expect(at.events.map(({ type }) => type)).toEqual(["undelivered"]);
      const again = await fetch(url, { headers });
      expect([again.status, await again.text()]).toEqual([200, "at last"]);
      expect(again.headers.get("X-Payment-Replayed")).toBeNull();
      expect([at.served.length, at.facilitator.transfers()]).toEqual([2, 1]);
      expect(at.facilitator.operations()).toEqual(["verify", "settle"]);
    });

    test("is delivered when the app says no for its own reasons", async () => {
      const url = await at.start(() => ({ status: 404, body: "no such city" }));
      const headers = await payFor(url);
      for (const isReplay of [null, "true"]) {
        const response = await fetch(url, { headers });
        expect([response.status, await response.text()]).toEqual([404, "no such city"]);
        expect(response.headers.get("X-Payment-Replayed")).toBe(isReplay);
      }
      expect(at.served).toHaveLength(1);
    });

    test("a forged receipt of the app does not get through", async () => {
      const forged = { "PAYMENT-RESPONSE": "e30=", "PAYMENT-REQUIRED": "e30=" };
      const url = await at.start(() => ({ body: "x", headers: forged }));
      const response = await fetch(url, { headers: await payFor(url) });
      expect(readReceipt(response.headers)?.transaction).toBe(transferHash);
      expect(response.headers.get("PAYMENT-REQUIRED")).toBeNull();
    });
  });
}
