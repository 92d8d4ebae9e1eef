/** A buyer who hangs up, or has got some of the response, gets no use of a pass back. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pay } from "../buyer.testing.ts";
import { createMemoryGrants, createSeller, type Seller } from "../index.ts";
import { payTo } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

const url = "https://shop.example/report";
let facilitator: ScriptedFacilitator;
beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
});
afterEach(() => facilitator.close());

const content = () => new Response("content");

const giveUp = (): Response => {
  throw new Error("The work was called off with the buyer.");
};

describe.each(["before-work", "after-success"] as const)("settling %s", (settle) => {
  let seller: Seller;
  let shown: Record<string, string>;
  beforeEach(async () => {
    const pass = { uses: 5, validFor: "1h" };
    const grants = createMemoryGrants();
    const options = { facilitator: { url: facilitator.url }, payTo, grants, settle, pass };
    seller = createSeller({ ...options, price: "1.00", onEvent: () => undefined });
    const challenge = await seller.charge(new Request(url), content);
    const headers = await pay(challenge.response, "v2");
    const { response } = await seller.charge(new Request(url, { headers }), content);
    shown = { "PAYMENT-PASS": response.headers.get("PAYMENT-PASS") ?? "" };
  });

  const use = async (more: object = {}, work: () => Response = content) => {
    const request = new Request(url, { headers: { ...shown, ...more } });
    const { response, outcome } = await seller.charge(request, work);
    return [response.status, outcome.type, response.headers.get("X-Pass-Remaining")];
  };

  /** Hangs up while the work runs, which ends as `end` says. */
  const hangUp = async (end: () => Response, more: object = {}) => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const request = new Request(url, { headers: { ...shown, ...more }, signal });
    const { outcome } = await seller.charge(request, () => {
      leaving.abort();
      return end();
    });
    return outcome.type;
  };
  test("work that goes on is used", async () => {
    expect(await hangUp(content)).toBe("used");
    expect(await use()).toEqual([200, "used", "2"]);
  });

  test("work that fails with the buyer has taken its use", async () => {
    expect(await hangUp(giveUp)).toBe("undelivered");
    expect(await hangUp(() => new Response(null, { status: 500 }))).toBe("undelivered");
    expect(await use()).toEqual([200, "used", "1"]);
  });

  test("a stream that fails after its first bytes has taken its use", async () => {
    const parts = ["one "];
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const part = parts.shift();
          if (part === undefined) throw new Error("The upstream has closed the connection.");
          controller.enqueue(new TextEncoder().encode(part));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { "Content-Type": "text/event-stream" };
    const { response } = await seller.charge(
      new Request(url, { headers: shown }),
      () => new Response(body, { headers }),
    );
    await expect(response.text()).rejects.toThrow("The upstream has closed");
    expect(await use()).toEqual([200, "used", "2"]);
  });

  test("with an Idempotency-Key, the repeat is the same use", async () => {
    const key = { "Idempotency-Key": "order-7" };
    expect(await hangUp(giveUp, key)).toBe("undelivered");
    expect(await use(key)).toEqual([200, "used", "3"]);
    expect(await use()).toEqual([200, "used", "2"]);
  });

  test("requests with one Idempotency-Key at once are one use, and one work", async () => {
    const key = { "Idempotency-Key": "order-8" };
    const [working, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let works = 0;
    const work = async () => {
      works++;
      working.resolve();
      await released.promise;
      return content();
    };
    const ask = async () => {
      const request = new Request(url, { headers: { ...shown, ...key } });
      const { response, outcome } = await seller.charge(request, work);
      return [outcome.type, await response.text(), response.headers.get("X-Pass-Remaining")];
    };
    const first = ask();
    await working.promise;
    const others = [ask(), ask()];
    released.resolve();
    expect(await first).toEqual(["used", "content", "3"]);
    const repeated = ["repeated", "content", "3"];
    expect(await Promise.all(others)).toEqual([repeated, repeated]);
    expect(works).toBe(1);
    expect(await use()).toEqual([200, "used", "2"]);
  });

  test("a body that is too long to be told from another takes nothing", async () => {
    const headers = { ...shown, "Idempotency-Key": "order-9" };
    const body = "x".repeat(2 * 1024 * 1024);
    const request = new Request(url, { method: "POST", headers, body });
    const { response } = await seller.charge(request, content);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: "request_too_large" });
    expect(await use()).toEqual([200, "used", "3"]);
  });
});
