/**
 * The promises about who gets what was paid for when a payment comes again: the buyer, and nobody
 * who has read the payment from the chain. The same for every adapter.
 */
import {
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  member,
  readReceipt,
  requestBindingKey,
  type JsonObject,
} from "@farthing/protocol";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import {
  pay,
  payBound,
  payFor,
  payloadOf,
  rebuildFromChain,
  type PaymentHeader,
} from "./buyer.testing.ts";
import { rawRequest, sendRaw } from "./adapters/listen.testing.ts";
import { createMemoryGrants } from "./payment-records/memory/memory.ts";
import { bodyOf, expectLater, reasonOf, shortMs, useScene, type Listen } from "./scene.testing.ts";
import { pendingReply, transferHash } from "./scripted-facilitator.testing.ts";

// The public key of Hardhat's account 2: worth nothing anywhere.
const otherAccount = privateKeyToAccount(
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
);

/** The token of a challenge, in its header and in its body. */
async function tokensOf(response: Response): Promise<readonly unknown[]> {
  const header = decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;
  const body: unknown = await response.json();
  return [header, body].map((one) => read(one, "extensions", requestBindingKey, "info", "token"));
}

function read(value: unknown, ...path: string[]): unknown {
  return path.reduce((one, key) => (isObject(one) ? member(one, key) : undefined), value);
}

/** Where a shop that requires bindings is found. */
const publicUrl = "https://shop.example";

/** The answer to somebody who shows nothing: proof that it was paid, and nothing else. */
async function expectNothing(response: Response) {
  expect([response.status, response.headers.get(headerNames.paymentRequired)]).toEqual([409, null]);
  expect(await bodyOf(response)).toMatchObject({ error: "already_delivered", retryable: false });
}

/** A payment with another salt, token or version. */
const salted = (headers: PaymentHeader, change: (info: JsonObject) => JsonObject) => {
  const payload = payloadOf(headers);
  const extension = read(payload, "extensions", requestBindingKey);
  const info = read(extension, "info");
  if (!isObject(extension) || !isObject(info)) throw new Error("It is not bound.");
  const extensions = { [requestBindingKey]: { ...extension, info: change(info) } };
  return { [headerNames.paymentSignature]: encodeHeader({ ...payload, extensions }) };
};

/** Runs these promises against one adapter. */
export function boundRepeatsSuite(listen: Listen): void {
  const at = useScene(listen);

  /** A settlement that a request leaves open, with an id to ask for. */
  function leaveOpen() {
    at.facilitator.script.settle.push(pendingReply("s_1"));
    at.facilitator.script.settlement.push(...Array.from({ length: 9 }, () => pendingReply("s_1")));
  }
  const letSettle = () => void at.facilitator.script.settlement.splice(0);

  describe("the challenge's token", () => {
    test("is fresh for each 402, in header and body, and never cached", async () => {
      const url = await at.start();
      const [one, other] = [await fetch(url), await fetch(url)];
      expect(one.headers.get("Cache-Control")).toBe("no-store");
      const [header, body] = await tokensOf(one);
      expect(header).toMatch(/^[0-9a-f]{32}$/);
      expect(body).toBe(header);
      expect((await tokensOf(other))[0]).not.toBe(header);
    });

    test("and the salt stay with the seller", async () => {
      const url = await at.start();
      const headers = await payBound(url);
      const response = await fetch(url, { headers });
      expect(response.status).toBe(200);
      const shown = read(payloadOf(headers), "extensions", requestBindingKey, "info");
      const secrets = [read(shown, "salt"), read(shown, "token")].map(String);
      const seen = JSON.stringify([
        at.facilitator.calls,
        at.events,
        readReceipt(response.headers),
        at.served,
      ]);
      for (const secret of secrets) {
        expect(secret).toMatch(/^(0x)?[0-9a-f]{32}/);
        expect(seen).not.toContain(secret);
      }
      const sent = read(at.facilitator.calls[0]?.body, "paymentPayload", "extensions");
      expect(Object.keys(Object(sent))).toEqual(["payment-identifier"]);
    });
  });

  describe("a payment that was read from the chain", () => {
    test("gets the receipt and not the buyer's content", async () => {
      const url = await at.start(() => ({ body: "for the buyer" }));
      const headers = await payFor(url);
      expect((await fetch(url, { headers })).status).toBe(200);
      const stranger = await fetch(url, { headers: await rebuildFromChain(headers, url) });
      expect(readReceipt(stranger.headers)?.transaction).toBe(transferHash);
      await expectNothing(stranger);
      const buyer = await fetch(url, { headers });
      expect([buyer.status, await buyer.text()]).toEqual([200, "for the buyer"]);
      expect(at.served).toHaveLength(1);
    });

    test("gets nothing of a bound payment either, whose salt serves its buyer", async () => {
      const url = await at.start(() => ({ body: "for the buyer" }));
      const headers = await payBound(url);
      expect((await fetch(url, { headers })).status).toBe(200);
      await expectNothing(await fetch(url, { headers: await rebuildFromChain(headers, url) }));
      expect(await (await fetch(url, { headers })).text()).toBe("for the buyer");
    });

    test("resumes no settlement and changes nothing", async () => {
      const url = await at.start(undefined, { waitMs: shortMs });
      const headers = await payFor(url);
      const rebuilt = await rebuildFromChain(headers, url);
      leaveOpen();
      await expectLater(await fetch(url, { headers }), "settlement_pending");
      letSettle();
      const callsBefore = at.facilitator.calls.length;
      await expectNothing(await fetch(url, { headers: rebuilt }));
      expect(at.facilitator.calls).toHaveLength(callsBefore);
      expect((await fetch(url, { headers })).status).toBe(200);
      expect(at.served).toHaveLength(1);
    });

    test("gets no content that could not be delivered", async () => {
      const url = await at.start(() =>
        at.served.length === 1 ? { status: 500 } : { body: "at last" },
      );
      const headers = await payFor(url);
      expect((await fetch(url, { headers })).status).toBe(500);
      await expectNothing(await fetch(url, { headers: await rebuildFromChain(headers, url) }));
      expect(await (await fetch(url, { headers })).text()).toBe("at last");
    });

    test("resumes no former price", async () => {
      let price = "0.01";
      const url = await at.start(undefined, {}, { price: () => price });
      const headers = await payFor(url);
      expect((await fetch(url, { headers })).status).toBe(200);
      const rebuilt = await rebuildFromChain(headers, url);
      price = "0.03";
      await expectNothing(await fetch(url, { headers: rebuilt }));
      expect((await fetch(url, { headers })).headers.get("X-Payment-Replayed")).toBe("true");
    });
  });

  describe("a buyer without an extension", () => {
    test.each(["v1", "flat-v2"] as const)("of shape %s is served once", async (shape) => {
      const url = await at.start();
      const headers = await pay(await fetch(url), shape);
      expect((await fetch(url, { headers })).status).toBe(200);
      await expectNothing(await fetch(url, { headers }));
      expect(at.served).toHaveLength(1);
    });

    test.each([{ Authorization: "Bearer a" }, { Cookie: "session=a" }])(
      "is known again by %o",
      async (credentials) => {
        const url = await at.start();
        const headers = { ...(await pay(await fetch(url), "v1")), ...credentials };
        expect((await fetch(url, { headers })).status).toBe(200);
        const again = await fetch(url, { headers });
        expect([again.status, await again.text()]).toEqual([200, "report 1"]);
      },
    );

    test("is held where a later request could prove nothing", async () => {
      const url = await at.start();
      const headers = await pay(await fetch(url), "v1");
      at.facilitator.script.settle.push("cut");
      const response = await fetch(url, { headers });
      expect([response.status, await response.text()]).toEqual([200, "report 1"]);
      expect(at.facilitator.transfers()).toBe(1);
    });

    test("gets what was never delivered with the first repeat, which is the last", async () => {
      const url = await at.start(() =>
        at.served.length === 1 ? { status: 500 } : { body: "at last" },
      );
      const headers = await pay(await fetch(url), "v1");
      expect((await fetch(url, { headers })).status).toBe(500);
      expect(await (await fetch(url, { headers })).text()).toBe("at last");
      await expectNothing(await fetch(url, { headers }));
    });

    test("resumes no former price, also where nothing was delivered", async () => {
      let price = "0.01";
      const serve = () => (at.served.length === 1 ? { status: 500 } : { body: "at last" });
      const url = await at.start(serve, {}, { price: () => price });
      const headers = await pay(await fetch(url), "v1");
      expect((await fetch(url, { headers })).status).toBe(500);
      price = "0.03";
      await expectNothing(await fetch(url, { headers }));
      price = "0.01";
      expect(await (await fetch(url, { headers })).text()).toBe("at last");
    });

    test.each(["Authorization", "Cookie"])("is not known by an empty %s", async (name) => {
      const url = await at.start();
      const headers = { ...(await pay(await fetch(url), "v1")), [name]: "" };
      expect((await fetch(url, { headers })).status).toBe(200);
      await expectNothing(await fetch(url, { headers }));
    });
  });

  test("a token that two payers have shown serves neither", async () => {
    const url = await at.start();
    const challenge = await fetch(url);
    const [one, other] = [
      await pay(challenge.clone(), "v2"),
      await pay(challenge, "v2", { account: otherAccount }),
    ];
    expect((await fetch(url, { headers: one })).status).toBe(200);
    expect((await fetch(url, { headers: one })).status).toBe(200);
    expect((await fetch(url, { headers: other })).status).toBe(200);
    for (const headers of [one, other]) await expectNothing(await fetch(url, { headers }));
    expect(at.served).toHaveLength(2);
  });

  describe("redeliver", () => {
    test("anyone gives the kept answer to every repeat, and no cookie", async () => {
      const session = { "Set-Cookie": "session=1" };
      const url = await at.start(() => ({ body: "kept", headers: session }), {
        redeliver: "anyone",
      });
      const headers = await pay(await fetch(url), "v1");
      expect((await fetch(url, { headers })).headers.get("Set-Cookie")).toBe("session=1");
      const again = await fetch(url, { headers });
      expect([await again.text(), again.headers.get("Set-Cookie")]).toEqual(["kept", null]);
    });

    test("never: no answer is repeated, and what was not delivered goes to its buyer alone", async () => {
      const serve = () => (at.served.length === 1 ? { status: 500 } : { body: "at last" });
      const url = await at.start(serve, {}, { redeliver: "never" });
      const headers = await payFor(url);
      expect((await fetch(url, { headers })).status).toBe(500);
      const rebuilt = await rebuildFromChain(headers, url);
      await expectNothing(await fetch(url, { headers: rebuilt }));
      expect(await (await fetch(url, { headers })).text()).toBe("at last");
      await expectNothing(await fetch(url, { headers }));
    });
  });

  describe("a bound payment", () => {
    test("opens the request that it was made for", async () => {
      const url = await at.start(({ body }) => ({ body: `got ${body}` }));
      const init = { method: "POST", body: "hello" };
      const headers = await payBound(url, init, { body: "hello" });
      const response = await fetch(url, { ...init, headers });
      expect(await response.text()).toBe("got hello");
    });

    test("opens no other resource, body or salt, and nothing is sent", async () => {
      const url = await at.start();
      const other = url.replace("Paris", "Rome");
      const bound = await payBound(url);
      const { resource } = payloadOf(await payFor(other));
      const elsewhere = {
        [headerNames.paymentSignature]: encodeHeader({ ...payloadOf(bound), resource }),
      };
      expect(await reasonOf(await fetch(other, { headers: elsewhere }))).toBe("binding_mismatch");
      const wrong = salted(bound, (info) => ({ ...info, salt: `0x${"00".repeat(32)}` }));
      expect(await reasonOf(await fetch(url, { headers: wrong }))).toBe("binding_mismatch");
      const init = { method: "POST", body: "another body" };
      const headers = await payBound(url, init, { body: "the body" });
      expect(await reasonOf(await fetch(url, { ...init, headers }))).toBe("binding_mismatch");
      expect([at.facilitator.calls, at.served]).toEqual([[], []]);
    });

    test("is all that a seller takes who requires it", async () => {
      const url = await at.start(undefined, { publicUrl, requireBinding: true });
      expect(await reasonOf(await fetch(url, { headers: await payFor(url) }))).toBe(
        "binding_required",
      );
      expect(at.facilitator.calls).toEqual([]);
      expect((await fetch(url, { headers: await payBound(url) })).status).toBe(200);
    });

    test("is not asked of a buyer who paid before it was required", async () => {
      const own = { grants: createMemoryGrants(), publicUrl };
      const before = await at.start(undefined, own);
      const headers = await payFor(before);
      expect((await fetch(before, { headers })).status).toBe(200);
      await at.stop();
      const after = await at.start(undefined, { ...own, requireBinding: true });
      expect((await fetch(after, { headers })).headers.get("X-Payment-Replayed")).toBe("true");
    });

    test("serves one of two shops with two facilitators", async () => {
      const first = await at.start(undefined, { publicUrl, requireBinding: true });
      const headers = await payBound(first);
      expect((await fetch(first, { headers })).status).toBe(200);
      await at.stop();
      const own = { publicUrl: "https://other.example", grants: createMemoryGrants() };
      const second = await at.start(undefined, { ...own, requireBinding: true });
      // The resource that the second shop expects; the salt still commits to the first.
      const { resource } = payloadOf(await payFor(second));
      const moved = {
        [headerNames.paymentSignature]: encodeHeader({ ...payloadOf(headers), resource }),
      };
      expect(await reasonOf(await fetch(second, { headers: moved }))).toBe("binding_mismatch");
      // The buyer writes the Host header too: it names the first shop to the second one.
      const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      const atFirst = `Host: ${new URL(publicUrl).host}`;
      const request = rawRequest("GET /report?city=Paris", [atFirst, ...shown]);
      expect((await sendRaw(second, request)).status).toBe(402);
      expect(at.served).toHaveLength(1);
    });
  });
}
