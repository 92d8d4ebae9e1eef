/** Extensions of third parties: what a challenge declares, and hooks that refuse a payment. */
import { decodeHeader, headerNames, isObject } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { listenFetch } from "../adapters/listen.testing.ts";
import { payer, payFor } from "../buyer.testing.ts";
import {
  ConfigurationError,
  createSeller,
  ExtensionRefusedError,
  type SellerExtension,
} from "../index.ts";
import { payTo, reasonOf, useScene } from "../scene.testing.ts";

const scene = useScene((options, route, app) => {
  const paid = createSeller(options).route(route);
  return listenFetch(async (request) => {
    const { response } = await paid.charge(request, async (payment) => {
      const { body = "", status = 200 } = await app({ body: "", payment });
      return new Response(body, { status });
    });
    return response;
  });
});

const declaration = { info: { order: "required" }, schema: { type: "object" } };
const names = ["beforeVerify", "afterVerify", "beforeSettle", "afterSettle"] as const;
/** The calls of the facilitator before a hook. */
const calls = { beforeVerify: 0, afterVerify: 1, beforeSettle: 1, afterSettle: 2 };

/** An extension that writes down what it is told, and does what a test says in one hook. */
function acme(hook?: (typeof names)[number], act?: SellerExtension["beforeVerify"]) {
  const told: unknown[] = [];
  const hooks = Object.fromEntries(
    names.map((name) => [
      name,
      (context: Parameters<NonNullable<SellerExtension["beforeVerify"]>>[0]) => {
        told.push([name, context]);
        return name === hook ? act?.(context) : undefined;
      },
    ]),
  );
  const extension: SellerExtension = { key: "acme", declaration, ...hooks };
  return { told, extension };
}

describe.each(["before-work", "after-success"] as const)("with settle %s", (settle) => {
  test("every hook is told of the payment, and of what the buyer sent", async () => {
    const { extension, told } = acme();
    const url = await scene.start(undefined, { extensions: [extension], settle });
    const challenge = decodeHeader(
      (await fetch(url)).headers.get(headerNames.paymentRequired),
    )?.value;
    expect(isObject(challenge) && challenge["extensions"]).toMatchObject({ acme: declaration });
    const response = await fetch(url, { headers: await payFor(url) });
    expect([response.status, await response.text()]).toEqual([200, "report 1"]);
    const payment = { payer, amount: "10000", network: "eip155:50" };
    const context = { url, payment: expect.objectContaining(payment), sent: declaration };
    expect(told).toEqual(names.map((name) => [name, context]));
  });

  test.each(["beforeVerify", "afterVerify", "beforeSettle"] as const)(
    "%s refuses with a reason, and no money moves",
    async (name) => {
      const { extension, told } = acme(name, () => ({ refuse: "No order 7." }));
      const url = await scene.start(undefined, { extensions: [extension], settle });
      const headers = await payFor(url);
      const response = await fetch(url, { headers });
      expect(response.clone().status).toBe(402);
      expect((await response.clone().json()).message).toBe("No order 7.");
      expect(await reasonOf(response)).toBe("extension_refused");
      expect(scene.facilitator.calls.length).toBe(calls[name]);
      expect(told.length).toBe(names.indexOf(name) + 1);
      // The payment is not used up.
      expect((await fetch(url, { headers })).status).toBe(402);
    },
  );

  test.each(["beforeVerify", "afterVerify", "beforeSettle"] as const)(
    "%s that fails takes no payment, and the seller hears of it",
    async (name) => {
      const error = new Error("the register is down");
      const { extension } = acme(name, () => Promise.reject(error));
      const url = await scene.start(undefined, { extensions: [extension], settle });
      const response = await fetch(url, { headers: await payFor(url) });
      expect([response.status, response.headers.get(headerNames.paymentRequired)]).toEqual([
        503,
        null,
      ]);
      expect(scene.facilitator.calls.length).toBe(calls[name]);
      expect(scene.events).toContainEqual(expect.objectContaining({ type: "broken", error }));
    },
  );

  test("afterSettle withholds content that is paid for, until it lets it pass", async () => {
    let reason: string | undefined = "Order 7 is on hold.";
    const { extension } = acme("afterSettle", () =>
      reason === undefined ? undefined : { refuse: reason },
    );
    const url = await scene.start(undefined, { extensions: [extension], settle });
    const headers = await payFor(url);
    const withheld = await fetch(url, { headers });
    expect([withheld.status, await withheld.json()]).toMatchObject([
      403,
      { error: "paid_undelivered", message: expect.stringContaining("Order 7 is on hold.") },
    ]);
    expect(withheld.headers.get(headerNames.paymentResponse)).not.toBeNull();
    const error = expect.any(ExtensionRefusedError);
    expect(scene.events).toContainEqual(expect.objectContaining({ type: "undelivered", error }));
    reason = undefined;
    const repeated = await fetch(url, { headers });
    expect([repeated.status, await repeated.text()]).toEqual([200, "report 1"]);
    expect(scene.facilitator.calls.length).toBe(2);
  });
});

test("the first refusal counts, in the order of the extensions", async () => {
  const one = { key: "one", beforeVerify: () => ({ refuse: "one" }) };
  const two = { key: "two", beforeVerify: () => ({ refuse: "two" }) };
  const url = await scene.start(undefined, { extensions: [one, two] });
  const response = await fetch(url, { headers: await payFor(url) });
  expect((await response.json()).message).toBe("one");
});

test.each([
  [{}],
  [[{}]],
  [[{ key: "bazaar" }]],
  [[{ key: "payment-identifier" }]],
  // Readers of the challenge stop at 32 levels.
  [[{ key: "a", declaration: JSON.parse(`${'{"a":'.repeat(24)}{}${"}".repeat(24)}`) }]],
  [[{ key: "a b" }]],
  [[{ key: "a", beforeSettle: "no function" }]],
  [[{ key: "a", declaration: "text" }]],
  [[{ key: "a" }, { key: "a" }]],
  [[{ key: "a", declaration: { text: "x".repeat(2_000) } }]],
  [Array.from({ length: 9 }, (_, at) => ({ key: `a${at}` }))],
])("the extensions %j are refused at the start", (extensions) => {
  const facilitator = { url: "https://facilitator.example" };
  const options: object = { facilitator, payTo, price: "0.01", extensions };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as from JavaScript
  expect(() => createSeller(options as never)).toThrow(ConfigurationError);
});
