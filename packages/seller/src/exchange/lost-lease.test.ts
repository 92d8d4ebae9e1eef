/** A process that was not heard of for too long hands nothing out: somebody else may be doing it. */
import { describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { createMemoryGrants, createSeller, type PaymentRecords, type Lease } from "../index.ts";
import { listenFetch } from "../adapters/listen.testing.ts";
import { expectLater, useScene } from "../scene.testing.ts";

/** A store in which one step comes too late, because the lease has gone to another. */
function losingAt(step: "settling" | "paid" | "complete" | "discard"): PaymentRecords {
  const grants = createMemoryGrants();
  return {
    ...grants,
    async acquire(binding, access) {
      const acquired = await grants.acquire(binding, access);
      if (acquired.kind !== "acquired") return acquired;
      const lease: Lease = { ...acquired.lease, [step]: async () => false };
      return { kind: "acquired", lease };
    },
  };
}

const at = useScene((options, route, app) => {
  const paid = createSeller(options).route(route);
  return listenFetch((request) =>
    paid
      .charge(request, async (payment) => {
        const { body = "", status = 200 } = await app({ body: "", payment });
        return new Response(body, { status });
      })
      .then(({ response }) => response),
  );
});

describe.each(["before-work", "after-success"] as const)("a lease lost, settling %s", (settle) => {
  test("before anything is sent sends nothing", async () => {
    const url = await at.start(undefined, { grants: losingAt("settling") }, { settle });
    await expectLater(await fetch(url, { headers: await payFor(url) }), "settlement_pending");
    expect(at.facilitator.operations()).toEqual(["verify"]);
    expect(at.events).toMatchObject([{ type: "broken", error: { name: "LeaseLostError" } }]);
  });

  test("before the content goes out keeps it inside", async () => {
    const url = await at.start(
      () => ({ body: "secret" }),
      { grants: losingAt("complete") },
      { settle },
    );
    const response = await fetch(url, { headers: await payFor(url) });
    expect(await response.clone().text()).not.toMatch(/secret/);
    await expectLater(response, "settlement_pending");
  });
});

describe("a lease lost before its holder says no", () => {
  const refused = { errorReason: "authorization_expired", transaction: "", network: "eip155:50" };

  test("to the payment asks for no other one", async () => {
    const url = await at.start(undefined, { grants: losingAt("discard") });
    const headers = await payFor(url);
    at.facilitator.script.verify.push({
      json: { isValid: false, invalidReason: "authorization_expired" },
    });
    await expectLater(await fetch(url, { headers }), "settlement_pending");
  });

  test("to the settlement asks for no other payment", async () => {
    const url = await at.start(undefined, { grants: losingAt("discard") });
    const headers = await payFor(url);
    at.facilitator.script.settle.push({ json: { success: false, ...refused } });
    await expectLater(await fetch(url, { headers }), "settlement_pending");
  });

  test("does not say that nothing was charged", async () => {
    const url = await at.start(
      () => ({ status: 404 }),
      { grants: losingAt("discard") },
      { settle: "after-success" },
    );
    await expectLater(await fetch(url, { headers: await payFor(url) }), "settlement_pending");
  });
});

test("a lease lost when the money has moved leaves the work to whoever has it", async () => {
  const url = await at.start(undefined, { grants: losingAt("paid") });
  await expectLater(await fetch(url, { headers: await payFor(url) }), "settlement_pending");
  expect(at.served).toEqual([]);
});
