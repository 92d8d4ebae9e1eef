/** A process that was not heard of for too long hands nothing out: somebody else may be doing it. */
import { describe, expect, test } from "vitest";
import { payFor } from "./buyer.testing.ts";
import { createMemoryGrants, createSeller, type GrantStore, type Lease } from "./index.ts";
import { listenFetch } from "./listen.testing.ts";
import { expectLater, useScene } from "./scene.testing.ts";

/** A store in which one step comes too late, because the lease has gone to another. */
function losingAt(step: "settling" | "paid" | "deliver"): GrantStore {
  const grants = createMemoryGrants();
  return {
    ...grants,
    async take(binding) {
      const take = await grants.take(binding);
      if (take.kind !== "taken") return take;
      const lease: Lease = { ...take.lease, [step]: async () => false };
      return { kind: "taken", lease };
    },
  };
}

const at = useScene((options, route, app) => {
  const paid = createSeller(options).route(route);
  return listenFetch((request) =>
    paid.charge(request, async (payment) => {
      const { body = "" } = await app({ body: "", payment });
      return new Response(body);
    }),
  );
});

describe.each(["before-work", "after-success"] as const)("a lease lost, settling %s", (settle) => {
  test("before anything is sent sends nothing", async () => {
    const url = await at.start(undefined, { grants: losingAt("settling") }, { settle });
    await expectLater(await fetch(url, { headers: await payFor(url) }), "settlement_pending");
    expect(at.facilitator.operations()).toEqual(["verify"]);
  });

  test("before the content goes out keeps it inside", async () => {
    const url = await at.start(
      () => ({ body: "secret" }),
      { grants: losingAt("deliver") },
      { settle },
    );
    const response = await fetch(url, { headers: await payFor(url) });
    expect(await response.clone().text()).not.toMatch(/secret/);
    await expectLater(response, "settlement_pending");
  });
});

test("a lease lost when the money has moved leaves the work to whoever has it", async () => {
  const url = await at.start(undefined, { grants: losingAt("paid") });
  await expectLater(await fetch(url, { headers: await payFor(url) }), "settlement_pending");
  expect(at.served).toEqual([]);
});
