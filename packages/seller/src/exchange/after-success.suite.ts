/** The promises of a route that settles after success: the same for every adapter. */
import { headerNames, readReceipt } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { pay, payer, payFor } from "../buyer.testing.ts";
import { createMemoryGrants, type RouteOptions } from "../index.ts";
import {
  expectLater,
  reasonOf,
  shortMs,
  useScene,
  type App,
  type AppResponse,
  type Listen,
} from "../scene.testing.ts";
import {
  confirmedReply,
  pendingReply,
  transferHash,
  type Reply,
} from "../scripted-facilitator.testing.ts";

const route: RouteOptions = { settle: "after-success" };
const used = { errorReason: "nonce_already_used", transaction: "", network: "eip155:50" };

/** Runs these promises against one adapter. */
export function afterSuccessSuite(listen: Listen): void {
  const at = useScene((options, own, app) => listen(options, { ...route, ...own }, app));

  /** An app that goes wrong the first time it is run. */
  const brokenOnce =
    (broken: App): App =>
    (request) =>
      at.served.length === 1 ? broken(request) : { body: "at last" };

  /** No money has moved, and the same payment still opens the content. */
  async function expectUncharged(response: Response, url: string, headers: HeadersInit) {
    expect(readReceipt(response.headers)).toBeUndefined();
    expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
    expect(response.headers.get("Cache-Control")).toContain("no-store");
    expect(response.headers.get(headerNames.paymentCharged)).toBe("no");
    expect(at.facilitator.operations()).toEqual(["verify"]);
    expect(at.events.map(({ type }) => type)).toEqual(["uncharged"]);
    const again = await fetch(url, { headers });
    expect([again.status, await again.text()]).toEqual([200, "at last"]);
    expect([at.served.length, at.facilitator.transfers()]).toEqual([2, 1]);
  }

  describe("settling after success", () => {
    test("verifies, works, settles, and then hands out", async () => {
      const order: string[] = [];
      const url = await at.start(() => {
        order.push(...at.facilitator.operations(), "work");
        return { status: 201, body: "the report", headers: { "X-App": "yes" } };
      });
      const headers = await payFor(url);
      const response = await fetch(url, { headers });
      expect([response.status, await response.text()]).toEqual([201, "the report"]);
      expect(order).toEqual(["verify", "work"]);
      expect(at.facilitator.operations()).toEqual(["verify", "settle"]);
      expect(readReceipt(response.headers)?.transaction).toBe(transferHash);
      expect(response.headers.get("X-App")).toBe("yes");
      // Nothing has moved yet when the seller's code runs.
      expect(at.served).toEqual([{ payer, amount: "10000", network: "eip155:50" }]);
      expect(at.events).toMatchObject([
        { type: "delivered", payment: { transaction: transferHash } },
      ]);
      const again = await fetch(url, { headers });
      expect([again.status, await again.text()]).toEqual([201, "the report"]);
      expect(again.headers.get("X-Payment-Replayed")).toBe("true");
    });

    test.each([301, 302, 303, 307, 308])("a redirect of %i is sold", async (status) => {
      const headers = { Location: "https://storage.example/report?signature=secret" };
      const url = await at.start(() => ({ status, headers }));
      const payment = await payFor(url);
      for (const isReplay of [null, "true"]) {
        const response = await fetch(url, { headers: payment, redirect: "manual" });
        expect([response.status, response.headers.get("Location")]).toEqual([
          status,
          headers.Location,
        ]);
        expect(readReceipt(response.headers)?.transaction).toBe(transferHash);
        expect(response.headers.get("X-Payment-Replayed")).toBe(isReplay);
      }
      expect([at.served.length, at.facilitator.transfers()]).toEqual([1, 1]);
    });

    test("a redirect is withheld where the seller says so", async () => {
      const headers = { Location: "https://storage.example/report?signature=secret" };
      const redirect = brokenOnce(() => ({ status: 302, headers, body: "secret" }));
      const url = await at.start(redirect, {}, { redirects: "withhold" });
      const payment = await payFor(url);
      const response = await fetch(url, { headers: payment, redirect: "manual" });
      expect(response.status).toBe(502);
      const text = await response.clone().text();
      expect(`${text} ${JSON.stringify([...response.headers])}`).not.toContain("secret");
      expect(await response.json()).toMatchObject({ error: "not_charged", retryable: false });
      await expectUncharged(response, url, payment);
    });

    test("an answer that is not charged leads to no content", async () => {
      const leading = {
        Location: "/content",
        "Content-Location": "/content",
        Refresh: "0; url=/content",
        Link: "</content>; rel=next",
        "X-Accel-Redirect": "/content",
        "X-Sendfile": "/content",
      };
      const url = await at.start(brokenOnce(() => ({ status: 404, headers: leading, body: "no" })));
      const payment = await payFor(url);
      const response = await fetch(url, { headers: payment });
      for (const name of Object.keys(leading))
        expect([name, response.headers.get(name)]).toEqual([name, null]);
      await expectUncharged(response, url, payment);
    });

    test.each([301, 400, 404, 500, 502])("an answer of %i is not charged", async (status) => {
      const forged = { "PAYMENT-RESPONSE": "e30=", "PAYMENT-REQUIRED": "e30=", "X-App": "yes" };
      const url = await at.start(brokenOnce(() => ({ status, body: "no", headers: forged })));
      const headers = await payFor(url);
      const response = await fetch(url, { headers, redirect: "manual" });
      expect([response.status, await response.text()]).toEqual([status, "no"]);
      expect(response.headers.get("X-App")).toBe("yes");
      await expectUncharged(response, url, headers);
    });

    test("a payment that was not charged is free for another request", async () => {
      const url = await at.start(brokenOnce(() => ({ status: 404 })));
      // The flat shape states no resource, so nothing but the claim could bind it.
      const headers = await pay(await fetch(url), "flat-v2");
      expect((await fetch(url, { headers })).status).toBe(404);
      expect((await fetch(`${url}&day=2`, { headers })).status).toBe(200);
    });

    test("an app that throws is not charged", async () => {
      const url = await at.start(brokenOnce(() => Promise.reject(new Error("no database"))));
      const headers = await payFor(url);
      const response = await fetch(url, { headers });
      expect(response.status).toBe(500);
      await expectUncharged(response, url, headers);
    });

    test("an app that takes too long is not charged", async () => {
      const never = Promise.withResolvers<AppResponse>();
      const url = await at.start(
        brokenOnce(() => never.promise),
        {},
        { workMs: shortMs },
      );
      const headers = await payFor(url);
      const response = await fetch(url, { headers });
      expect(response.status).toBe(504);
      expect(await response.json()).toMatchObject({ error: "not_charged", retryable: true });
      await expectUncharged(response, url, headers);
      // What comes after all is for nobody.
      never.resolve({ body: "too late" });
    });

    test("a settlement that fails for good leaves the content inside", async () => {
      const url = await at.start(() => ({ body: "secret" }));
      const failed = { status: "failed", errorReason: "transaction_reverted" };
      at.facilitator.script.settle.push({
        json: { success: false, ...failed, transaction: transferHash, network: "eip155:50" },
      });
      const response = await fetch(url, { headers: await payFor(url) });
      expect(await response.clone().text()).not.toMatch(/secret/);
      expect(readReceipt(response.headers)).toMatchObject({ success: false, ...failed });
      expect(await reasonOf(response)).toBe("transaction_reverted");
      expect(at.events.map(({ type }) => type)).toEqual(["failed"]);
    });

    test("a settlement that takes its time is answered later, with what was made", async () => {
      const url = await at.start(() => ({ body: `made ${at.served.length}` }), { waitMs: shortMs });
      const headers = await payFor(url);
      at.facilitator.script.settle.push(pendingReply("s_1"));
      at.facilitator.script.settlement.push(
        ...Array.from({ length: 9 }, () => pendingReply("s_1")),
      );
      const receipt = await expectLater(await fetch(url, { headers }), "settlement_pending");
      expect(receipt).toMatchObject({
        transaction: transferHash,
        errorReason: "settlement_pending",
      });
      expect(at.events.map(({ type }) => type)).toEqual(["pending"]);
      at.facilitator.script.settlement.splice(0, 9, confirmedReply());
      const again = await fetch(url, { headers });
      expect([again.status, await again.text()]).toEqual([200, "made 1"]);
      expect(again.headers.get("X-Payment-Replayed")).toBeNull();
      expect(readReceipt(again.headers)?.success).toBe(true);
      expect(at.served).toHaveLength(1);
      expect(at.facilitator.operations().filter((name) => name === "settle")).toHaveLength(1);
    });

    test("what was made with somebody's credentials is made again for others", async () => {
      const url = await at.start(() => ({ body: `made ${at.served.length}` }));
      const headers = await payFor(url);
      at.facilitator.script.settle.push("cut");
      const first = await fetch(url, { headers: { ...headers, Authorization: "Bearer a" } });
      await expectLater(first, "facilitator_unavailable");
      expect(await (await fetch(url, { headers })).text()).toBe("made 2");
      expect(at.facilitator.transfers()).toBe(1);
    });

    test.each<[string, Reply]>([
      ["cuts the connection", "cut"],
      ["does not answer", "hang"],
      ["answers 503", { status: 503, json: { error: "service_unavailable" } }],
    ])("a facilitator that %s to settle leaves the answer for the repeat", async (_case, reply) => {
      const url = await at.start(() => ({ body: `made ${at.served.length}` }), {
        facilitator: { url: at.facilitator.url, timeoutMs: shortMs },
      });
      const headers = await payFor(url);
      at.facilitator.script.settle.push(reply);
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      const again = await fetch(url, { headers });
      expect([again.status, await again.text()]).toEqual([200, "made 1"]);
      expect([at.served.length, at.facilitator.transfers()]).toEqual([1, 1]);
    });

    test("a used nonce after an unanswered settle is never called a failure", async () => {
      const url = await at.start(() => ({ body: "secret" }));
      const headers = await payFor(url);
      const reply = { json: { success: false, ...used } };
      at.facilitator.script.settle.push("cut", reply);
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      const response = await fetch(url, { headers });
      expect([response.status, response.headers.get(headerNames.paymentRequired)]).toEqual([
        409,
        null,
      ]);
      expect(await response.text()).not.toMatch(/secret/);
    });

    test("twenty at once with one payment are served one answer, charged once", async () => {
      const url = await at.start(() => ({ body: `made ${at.served.length}` }));
      const headers = await payFor(url);
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const response = await fetch(url, { headers });
          return `${response.status} ${await response.text()}`;
        }),
      );
      expect(new Set(answers)).toEqual(new Set(["200 made 1"]));
      expect([at.served.length, at.facilitator.transfers()]).toEqual([1, 1]);
    });

    test("a payment that somebody else presented first opens nothing", async () => {
      const url = await at.start(() => ({ body: "secret" }));
      at.facilitator.script.settle.push(confirmedReply({ extra: { replayed: true } }));
      const response = await fetch(url, { headers: await payFor(url) });
      expect(response.status).toBe(409);
      expect(await response.text()).not.toMatch(/secret/);
    });

    test("an authorization that ends before the work could is refused before any", async () => {
      const url = await at.start();
      const validBefore = BigInt(Math.floor(Date.now() / 1000) + 20);
      const headers = await payFor(url, {}, { authorization: { validBefore } });
      expect(await reasonOf(await fetch(url, { headers }))).toBe("authorization_expired");
      expect([at.facilitator.operations(), at.served]).toEqual([["verify"], []]);
    });

    test("so is one that leaves no time to settle once the work is done", async () => {
      const url = await at.start(undefined, {}, { workMs: 15_000 });
      const validBefore = BigInt(Math.floor(Date.now() / 1000) + 20);
      const headers = await payFor(url, {}, { authorization: { validBefore } });
      expect(await reasonOf(await fetch(url, { headers }))).toBe("authorization_expired");
      expect(at.served).toEqual([]);
    });

    test("a seller's account that stands still costs the buyer nothing", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      const error = "insufficient_facilitator_credits";
      at.facilitator.script.settle.push({ status: 403, json: { error, message: "No." } });
      await expectLater(await fetch(url, { headers }), "seller_account_problem");
      expect((await fetch(url, { headers })).status).toBe(200);
      expect(at.facilitator.transfers()).toBe(1);
    });

    test("an answer too large to keep is settled at its start, and given once", async () => {
      const grants = createMemoryGrants({ answerBytesMax: 8 });
      const url = await at.start(() => ({ body: "a".repeat(100) }), { grants });
      const headers = await payFor(url);
      expect(await (await fetch(url, { headers })).text()).toBe("a".repeat(100));
      expect((await fetch(url, { headers })).status).toBe(409);
    });
  });

  describe("a stream settled after success", () => {
    const streamed: RouteOptions = { stream: true };

    test("begins when its money has moved", async () => {
      const url = await at.start(() => ({ body: "a stream" }), {}, streamed);
      const response = await fetch(url, { headers: await payFor(url) });
      expect(await response.text()).toBe("a stream");
      expect(readReceipt(response.headers)?.transaction).toBe(transferHash);
      expect(at.facilitator.operations()).toEqual(["verify", "settle"]);
    });

    test("that cannot be made again when its money has moved stays owed", async () => {
      const url = await at.start(
        () => (at.served.length === 2 ? { status: 404, body: "gone" } : { body: "a stream" }),
        { facilitator: { url: at.facilitator.url, timeoutMs: shortMs } },
        streamed,
      );
      const headers = await payFor(url);
      at.facilitator.script.settle.push("hang");
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      const failed = await fetch(url, { headers });
      expect(failed.status).toBe(500);
      expect(await failed.json()).toMatchObject({ error: "paid_undelivered", retryable: true });
      expect(await (await fetch(url, { headers })).text()).toBe("a stream");
      expect(at.facilitator.transfers()).toBe(1);
    });

    test("is made again, without a charge, when its money moved too late for it", async () => {
      const url = await at.start(
        () => ({ body: `stream ${at.served.length}` }),
        { facilitator: { url: at.facilitator.url, timeoutMs: shortMs } },
        streamed,
      );
      const headers = await payFor(url);
      at.facilitator.script.settle.push("hang");
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      expect(await (await fetch(url, { headers })).text()).toBe("stream 2");
      expect(at.facilitator.transfers()).toBe(1);
    });
  });
}
