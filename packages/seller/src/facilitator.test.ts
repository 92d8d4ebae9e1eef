/** The facilitator's HTTP client: addresses, keys, and what each kind of answer comes to. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sampleRequest as request } from "./buyer.testing.ts";
import { systemClock } from "./clock.ts";
import { createFacilitatorOrder, refundsInOrder } from "./facilitator-order.ts";
import { createFacilitatorClient, type WireRefund } from "./facilitator.ts";
import {
  confirmedReply,
  startScriptedFacilitator,
  type Reply,
  type ScriptedFacilitator,
} from "./scripted-facilitator.testing.ts";

const limit = { timeoutMs: 2_000 };
let facilitator: ScriptedFacilitator;
beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
});
afterEach(() => facilitator.close());

const missing = () => new Response("", { status: 404 });
const unknown = () => Response.json({ error: "not_found", message: "None." }, { status: 404 });

function refundsOf(first: () => Response, second: () => Response) {
  const [a, b] = ["https://a.example", "https://b.example"] as const;
  const order = createFacilitatorOrder([
    createFacilitatorClient({ url: a, fetch: async () => first() }),
    createFacilitatorClient({ url: b, fetch: async () => second() }),
  ]);
  return refundsInOrder(order, systemClock);
}

describe("a call", () => {
  test.each(["", "/", "//"])("goes to the base address with %j at its end", async (slashes) => {
    facilitator.script.verify.push({ json: { isValid: true } });
    const client = createFacilitatorClient({ url: facilitator.url + slashes, apiKey: "k" });
    const verdict = { isValid: true };
    expect(await client.verify(request, limit)).toEqual({ kind: "verdict", verdict });
    expect(facilitator.calls).toEqual([
      { operation: "verify", url: "/verify", authorization: "Bearer k", body: request },
    ]);
  });

  test("without a key carries none", async () => {
    facilitator.script.settle.push(confirmedReply());
    await createFacilitatorClient({ url: facilitator.url }).settle(request, limit);
    expect(facilitator.calls[0]?.authorization).toBeUndefined();
  });

  test("goes through the fetch that is given, and no other way", async () => {
    const asked: string[] = [];
    const client = createFacilitatorClient({
      url: "http://inside.invalid/engine/",
      fetch: async (url, init) => {
        asked.push(`${init?.method ?? "GET"} ${new Request(url).url}`);
        return Response.json({ success: true, transaction: "0x1", network: "eip155:50" });
      },
    });
    expect(await client.settle(request, limit)).toMatchObject({ kind: "settlement" });
    await client.settlement("s", { ...limit, waitSeconds: 1 });
    expect(asked).toEqual([
      "POST http://inside.invalid/engine/settle",
      "GET http://inside.invalid/engine/settlements/s?wait=1",
    ]);
  });

  test("to settle says how long it waits, whatever the facilitator does by default", async () => {
    const asked: (string | null)[] = [];
    const client = createFacilitatorClient({
      url: "http://inside.invalid",
      timeoutMs: 8_000,
      fetch: async (url, init) => {
        asked.push(new Request(url, init).headers.get("prefer"));
        return Response.json({ success: true, transaction: "0x1", network: "eip155:50" });
      },
    });
    await client.settle(request, { timeoutMs: 60_000 });
    await client.settle(request, { timeoutMs: 5_500 });
    await client.settle(request, { timeoutMs: 5_500, respondsAsync: true });
    await client.verify(request, { timeoutMs: 5_500 });
    expect(asked).toEqual(["wait=7", "wait=4", "respond-async", null]);
  });

  test.each([
    [404, { error: "not_found" }, { kind: "none" }],
    [200, { kept: [], refused: [] }, { kind: "kept", rows: new Map() }],
    [200, { kept: [{ charged: "1" }], refused: [] }, { kind: "fault", reason: "unreadable" }],
    [401, {}, { kind: "account", code: "unauthorized" }],
    [403, { error: "seller_plan_inactive" }, { kind: "account", code: "seller_plan_inactive" }],
    [429, {}, { kind: "fault", reason: "rate_limited", retryAfterSeconds: 7 }],
    [503, {}, { kind: "fault", reason: "unavailable" }],
  ])("hands vouchers over with the key above the surface: %i", async (status, body, outcome) => {
    const asked: unknown[] = [];
    const client = createFacilitatorClient({
      url: "http://inside.invalid/api/facilitator",
      apiKey: "key",
      fetch: async (url, init) => {
        const { headers, method, url: address } = new Request(url, init);
        asked.push([method, address, headers.get("authorization")]);
        return Response.json(body, { status, headers: { "Retry-After": "7" } });
      },
    });
    expect(await client.keepVouchers?.({ vouchers: [] }, limit)).toMatchObject(outcome);
    expect(asked).toEqual([["POST", "http://inside.invalid/v1/channels/vouchers", "Bearer key"]]);
    expect(createFacilitatorClient({ url: "http://inside.invalid" }).keepVouchers).toBeUndefined();
  });

  test("for a settlement cannot leave its path", async () => {
    facilitator.script.settlement.push(confirmedReply());
    const client = createFacilitatorClient({ url: facilitator.url });
    await client.settlement("../verify?x", { ...limit, waitSeconds: 3 });
    expect(facilitator.calls[0]?.url).toBe("/settlements/..%2Fverify%3Fx?wait=3");
  });

  test("is sent once, whatever happens to it", async () => {
    facilitator.script.settle.push("cut");
    const client = createFacilitatorClient({ url: facilitator.url });
    const outcome = await client.settle(request, limit);
    expect(outcome).toMatchObject({ kind: "fault", reason: "unreachable" });
    expect(facilitator.calls).toHaveLength(1);
  });

  test("to nobody is a fault that names no secret", async () => {
    const client = createFacilitatorClient({ url: facilitator.url, apiKey: "fk_live_x" });
    await facilitator.close();
    const outcome = await client.verify(request, limit);
    expect(outcome).toMatchObject({ kind: "fault", reason: "unreachable" });
    expect(JSON.stringify(outcome)).toMatch(/ECONNREFUSED/);
    expect(JSON.stringify(outcome)).not.toMatch(/fk_live|127\.0\.0\.1/);
  });
});

describe("an answer to settle", () => {
  const failed = {
    success: false,
    errorReason: "insufficient_funds",
    transaction: "",
    network: "x",
  };
  test.each<[string, Reply, object]>([
    ["200 success", confirmedReply(), { kind: "settlement", settlement: { success: true } }],
    ["200 failure", { json: failed }, { kind: "settlement", settlement: failed }],
    ["400 judged", { status: 400, json: failed }, { kind: "settlement", settlement: failed }],
    ["400 unjudged", { status: 400, json: {} }, { kind: "fault", reason: "unavailable" }],
    ["503 judged", { status: 503, json: failed }, { kind: "fault", reason: "unavailable" }],
    ["200 without network", { json: { success: true, transaction: "" } }, { reason: "unreadable" }],
    ["200 too long", { text: " ".repeat(300_000) }, { kind: "fault", reason: "unreadable" }],
    ["200 too deep", { text: "[".repeat(99) }, { kind: "fault", reason: "unreadable" }],
    ["401", { status: 401, json: {} }, { kind: "account", code: "unauthorized" }],
    ["403 of a firewall", { status: 403, text: "<h1>No</h1>" }, { kind: "fault" }],
    [
      "403 of the plan",
      { status: 403, json: { error: "seller_plan_inactive", message: "Renew." } },
      { kind: "account", code: "seller_plan_inactive", message: "Renew." },
    ],
    [
      "429",
      { status: 429, json: {}, headers: { "Retry-After": "9" } },
      { kind: "fault", reason: "rate_limited", retryAfterSeconds: 9 },
    ],
    [
      "503 for a day",
      { status: 503, json: {}, headers: { "Retry-After": "86400" } },
      { kind: "fault", retryAfterSeconds: 300 },
    ],
  ])("%s", async (_case, reply, expected) => {
    facilitator.script.settle.push(reply);
    const client = createFacilitatorClient({ url: facilitator.url });
    expect(await client.settle(request, limit)).toMatchObject(expected);
  });

  test("with an error of the facilitator itself says whether something may have been sent", async () => {
    const client = createFacilitatorClient({ url: facilitator.url });
    const certaintyOf = async (status: number, error: string) => {
      const json = { error, message: "The facilitator says so.", requestId: "req_1" };
      facilitator.script.settle.push({ status, json });
      const outcome = await client.settle(request, limit);
      return "certainty" in outcome ? outcome.certainty : "unknown";
    };
    expect(await certaintyOf(429, "rate_limited")).toBe("refused");
    expect(await certaintyOf(503, "service_unavailable")).toBe("unavailable");
    expect(await certaintyOf(500, "internal_error")).toBe("unknown");
  });

  test("that does not come ends at the shorter of both limits", async () => {
    facilitator.script.settle.push("hang", "hang");
    const patient = createFacilitatorClient({ url: facilitator.url });
    const hasty = createFacilitatorClient({ url: facilitator.url, timeoutMs: 20 });
    for (const [client, timeoutMs] of [
      [patient, 20],
      [hasty, 60_000],
    ] as const) {
      expect(await client.settle(request, { timeoutMs })).toMatchObject({ reason: "timed_out" });
    }
  });
});

test.each([404, 405])("status %i to a lookup means that there is none", async (status) => {
  facilitator.script.settlement.push({ status, text: "" });
  const client = createFacilitatorClient({ url: facilitator.url });
  const outcome = await client.settlement("s", { ...limit, waitSeconds: 1 });
  expect(outcome).toEqual({ kind: "not_found" });
});

describe("a refund at a facilitator", () => {
  const refund: WireRefund = {
    settlementId: "stl_1",
    authorization: request.paymentPayload.payload.authorization,
    signature: request.paymentPayload.payload.signature,
  };

  /** Its paths, each with the response of `reply`. */
  async function ask(path: string, reply: () => Response) {
    const urls: string[] = [];
    const fetch = async (url: unknown) => {
      urls.push(String(url));
      return reply();
    };
    const { refunds } = createFacilitatorClient({ url: `https://pay.example${path}`, fetch });
    const found = await refunds?.find("stl_1", limit);
    const sent = await refunds?.send(refund, { ...limit, waitSeconds: 1 });
    return { urls, found, sent };
  }

  test.each([
    ["a page", () => new Response("<h1>Not found</h1>", { status: 404 })],
    ["another problem", () => Response.json({ error: "Cannot POST" }, { status: 404 })],
    ["405", () => new Response("", { status: 405 })],
  ])("without refunds says what to do instead: %s", async (_name, reply) => {
    const { found, sent } = await ask("", reply);
    const unsupported = {
      kind: "refused",
      code: "unsupported",
      message:
        "The facilitator at https://pay.example has no refunds. Send the money from the payee's wallet, or refund through the facilitator that settled the payment.",
    };
    expect([found, sent]).toEqual([unsupported, unsupported]);
  });

  test("where none of several has refunds, it is the same; one that has some knows better", async () => {
    const none = refundsOf(missing, missing);
    const unsupported = { kind: "refused", code: "unsupported" };
    expect(await none?.find("stl_1", limit)).toMatchObject(unsupported);
    expect(await none?.send(refund, { ...limit, waitSeconds: 1 })).toMatchObject(unsupported);
    const notFound = { kind: "not_found" };
    expect(await refundsOf(missing, unknown)?.find("stl_1", limit)).toEqual(notFound);
    expect(await refundsOf(unknown, missing)?.find("stl_1", limit)).toEqual(notFound);
  });

  test("with refunds, which knows no such payment, is asked above its hosted surface", async () => {
    const { urls, found, sent } = await ask("/api/facilitator", () =>
      Response.json({ error: "not_found", message: "None." }, { status: 404 }),
    );
    expect([found, sent]).toEqual([{ kind: "not_found" }, { kind: "not_found" }]);
    expect(urls).toEqual([
      "https://pay.example/settlements/stl_1",
      "https://pay.example/v1/refunds",
    ]);
  });
});
