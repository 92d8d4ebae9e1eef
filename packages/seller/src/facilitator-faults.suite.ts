/** The promises about a facilitator that errs, stalls or will not work: the same for every adapter. */
import { describe, expect, test } from "vitest";
import { payFor } from "./buyer.testing.ts";
import { expectLater, shortMs, useScene, type Listen, type Scene } from "./scene.testing.ts";
import {
  confirmedReply,
  pendingReply,
  transferHash,
  type Reply,
} from "./scripted-facilitator.testing.ts";

const faults: [string, Reply][] = [
  ["answers 503", { status: 503, json: { error: "service_unavailable" } }],
  [
    "answers 429",
    { status: 429, json: { error: "rate_limited" }, headers: { "Retry-After": "7" } },
  ],
  ["answers 500 in HTML", { status: 500, text: "<h1>Oops</h1>" }],
  ["answers 200 in HTML", { status: 200, text: "<h1>Hello</h1>" }],
  ["redirects", { status: 307, text: "", headers: { Location: "/settle" } }],
  ["cuts the connection", "cut"],
  ["does not answer", "hang"],
];

/** A seller who ends a call without a response soon, and no call that a busy machine makes slow. */
const hastily = ({ facilitator }: Scene, reply: Reply) => ({
  facilitator: { url: `${facilitator.url}/`, timeoutMs: reply === "hang" ? 1_500 : 20_000 },
});

/** Runs these promises against one adapter. */
export function facilitatorFaultsSuite(listen: Listen): void {
  const at = useScene(listen);

  describe("a facilitator that", () => {
    test.each(faults)("%s to verify has taken nothing", async (_case, reply) => {
      const url = await at.start(undefined, hastily(at, reply));
      at.facilitator.script.verify.push(reply);
      const headers = await payFor(url);
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      expect(at.facilitator.operations()).toEqual(["verify"]);
      expect((await fetch(url, { headers })).status).toBe(200);
      expect(at.served).toHaveLength(1);
    });

    test.each(faults)("%s to settle is asked again by the repeat", async (_case, reply) => {
      const url = await at.start(undefined, hastily(at, reply));
      at.facilitator.script.settle.push(reply);
      const headers = await payFor(url);
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      expect(at.served).toEqual([]);
      expect(at.events.map(({ type }) => type)).toEqual(["facilitator_fault"]);
      expect((await fetch(url, { headers })).status).toBe(200);
      // Not verified again: a payment under way does not verify any more.
      expect(at.facilitator.operations()).toEqual(["verify", "settle", "settle"]);
    });

    test("settled without answering still opens the content once", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      const extra = { replayed: true, ownExchange: true };
      at.facilitator.script.settle.push("cut", confirmedReply({ extra }));
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      expect((await fetch(url, { headers })).status).toBe(200);
      expect((await fetch(url, { headers })).headers.get("X-Payment-Replayed")).toBe("true");
      expect(at.served).toHaveLength(1);
    });

    test("cut a settle off and refuses the next one may still have the payment, which is not taken anew", async () => {
      const url = await at.start();
      const headers = await payFor(url);
      const refusal = { error: "unauthorized", message: "No.", requestId: "r_1" };
      at.facilitator.script.settle.push("cut", { status: 401, json: refusal });
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
      await expectLater(await fetch(url, { headers }), "seller_account_problem");
      expect((await fetch(url, { headers })).status).toBe(200);
      expect(at.facilitator.operations()).toEqual(["verify", "settle", "settle", "settle"]);
      expect(at.served).toHaveLength(1);
    });

    test("leaves it pending gets the same id asked by the repeat", async () => {
      const url = await at.start(undefined, { waitMs: shortMs });
      const headers = await payFor(url);
      at.facilitator.script.settle.push(pendingReply("s_1"));
      at.facilitator.script.settlement.push(
        ...Array.from({ length: 9 }, () => pendingReply("s_1")),
      );
      const receipt = await expectLater(await fetch(url, { headers }), "settlement_pending");
      const extra = { settlementId: "s_1" };
      expect(receipt).toMatchObject({ success: false, transaction: transferHash, extra });
      at.facilitator.script.settlement.splice(0, 9, confirmedReply());
      expect((await fetch(url, { headers })).status).toBe(200);
      expect(at.facilitator.operations().filter((name) => name === "settle")).toHaveLength(1);
    });

    test.each([
      ["verify", 401, "unauthorized"],
      ["settle", 401, "unauthorized"],
      ["settle", 403, "insufficient_facilitator_credits"],
      ["settle", 403, "seller_plan_inactive"],
      ["settle", 403, "payee_mismatch"],
    ] as const)(
      "answers %s with %i %s is the seller's trouble",
      async (operation, status, error) => {
        const url = await at.start();
        const headers = await payFor(url);
        at.facilitator.script[operation].push({
          status,
          json: { error, message: "No.", requestId: "r_1" },
        });
        const response = await fetch(url, { headers });
        const text = await response.clone().text();
        await expectLater(response, "seller_account_problem");
        expect(text).not.toMatch(/fail|credit|plan|key|payee|invalid/i);
        expect(at.events).toMatchObject([{ type: "account_problem", problem: { code: error } }]);
        // Nothing was sent, so the payment is as good as before.
        expect((await fetch(url, { headers })).status).toBe(200);
        expect(at.facilitator.operations().filter((name) => name === "verify")).toHaveLength(2);
      },
    );
  });
}
