/** The promises about the limit of one payer: who is counted, what is refused, and that nothing is lost. */
import { balanceHeaders, headerNames } from "@farthing/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { privateKeyToAccount } from "viem/accounts";
import { payBound, payer, payFor } from "./buyer.testing.ts";
import {
  createMemoryGrants,
  createPayerCounts,
  type PayerCounts,
  type PaymentRecords,
  type SettlementTiming,
} from "./index.ts";
import { bodyOf, reasonOf, useScene, type Listen } from "./scene.testing.ts";

// The public key of Hardhat's account 2: worth nothing anywhere.
const other = privateKeyToAccount(
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
);

async function expectLimited(response: Response, shown: string): Promise<void> {
  expect(response.status).toBe(429);
  const seconds = Number(response.headers.get("Retry-After"));
  expect(Number.isInteger(seconds) && seconds > 0 && seconds <= 60).toBe(true);
  expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
  const { message, ...body } = await bodyOf(response);
  expect(body).toEqual({ error: "rate_limited", retryable: true });
  expect(message).toContain(`Repeat the request with the same ${shown} in ${seconds} s`);
}

/** Runs these promises against one adapter. */
export function rateLimitSuite(listen: Listen): void {
  const at = useScene(listen);
  let aheadMs: number;
  /** Counts with a clock that a test sets forward. */
  let counts: PayerCounts;
  beforeEach(() => {
    aheadMs = forgotten = 0;
    const { take } = createPayerCounts();
    counts = { take: (who, perMinute, nowMs) => take(who, perMinute, nowMs + aheadMs) };
  });
  /** How many records were forgotten. */
  let forgotten: number;
  const limited = (perPayer: number) => {
    const records = createMemoryGrants();
    const grants: PaymentRecords = {
      ...records,
      async acquire(...asked) {
        const acquired = await records.acquire(...asked);
        if (acquired.kind !== "acquired") return acquired;
        const { lease } = acquired;
        const discard = () => (forgotten++, lease.discard());
        return { ...acquired, lease: { ...lease, discard } };
      },
    };
    return { grants, rateLimit: { perPayer, counts } };
  };

  const timings: SettlementTiming[] = ["before-work", "after-success"];
  test.each(timings)(
    "a payment over the limit is not taken, and taken later: %s",
    async (settle) => {
      const url = await at.start(undefined, limited(1), { settle });
      const first = await payFor(url);
      expect(await (await fetch(url, { headers: first })).text()).toBe("report 1");
      const headers = await payFor(url);
      await expectLimited(await fetch(url, { headers }), "payment");
      expect([at.facilitator.transfers(), at.served.length, forgotten]).toEqual([1, 1, 1]);
      expect(at.facilitator.operations()).toEqual(["verify", "settle", "verify"]);
      expect(at.events).toMatchObject([
        { type: "delivered" },
        { type: "limited", payment: { payer, amount: "10000" } },
      ]);
      // What was paid is repeated, and another payer has a limit of their own.
      expect(await (await fetch(url, { headers: first })).text()).toBe("report 1");
      const others = await payFor(url, {}, { account: other });
      expect((await fetch(url, { headers: others })).status).toBe(200);
      aheadMs = 60_000;
      expect((await fetch(url, { headers })).status).toBe(200);
      expect(at.facilitator.transfers()).toBe(3);
    },
  );

  test("a payment that was taken is delivered by a repeat, which does not count", async () => {
    const app = () => ({ status: at.served.length === 1 ? 500 : 200 });
    const url = await at.start(app, limited(1));
    const headers = await payFor(url);
    expect((await fetch(url, { headers })).status).toBe(500);
    await expectLimited(await fetch(url, { headers: await payFor(url) }), "payment");
    expect((await fetch(url, { headers })).status).toBe(200);
    expect(at.facilitator.transfers()).toBe(1);
  });

  test("payments that somebody forged in a payer's name do not count", async () => {
    const url = await at.start(undefined, limited(1));
    for (let nth = 1; nth <= 3; nth++) {
      const forged = { account: other, authorization: { from: payer } };
      const refused = await fetch(url, { headers: await payFor(url, {}, forged) });
      expect(await reasonOf(refused)).toBe("invalid_signature");
    }
    expect((await fetch(url, { headers: await payFor(url) })).status).toBe(200);
  });

  describe.each([
    ["pass", "X-Pass-Remaining", { price: "1.00", pass: { uses: 9, validFor: "1h" } }],
    ["balance", balanceHeaders.remaining, { balance: { topUp: "5.00", reserve: "0.05" } }],
  ] as const)("with a %s", (sold, left, route) => {
    test("a request over the limit takes nothing, and one that was served is repeated", async () => {
      const url = await at.start(() => ({ headers: { "X-Cost": "0.01" } }), limited(2), route);
      const bought = await fetch(url, { headers: await payBound(url) });
      const token = { "PAYMENT-PASS": bought.headers.get("PAYMENT-PASS") ?? "" };
      const keyed = { headers: { ...token, "Idempotency-Key": "one" } };
      const used = await fetch(url, keyed);
      expect(used.status).toBe(200);
      const remaining = used.headers.get(left);
      const next = { headers: { ...token, "Idempotency-Key": "two" } };
      for (const init of [{ headers: token }, next]) {
        const refused = await fetch(url, init);
        expect(refused.headers.get(left)).toBe(remaining);
        await expectLimited(refused, sold);
      }
      const again = await fetch(url, keyed);
      expect([again.status, again.headers.get("X-Payment-Replayed")]).toEqual([200, "true"]);
      expect([at.served.length, forgotten]).toEqual([2, 1]);
      aheadMs = 30_000;
      const later = await fetch(url, next);
      expect(later.status).toBe(200);
      expect(Number(later.headers.get(left))).toBeLessThan(Number(remaining));
      expect(at.facilitator.transfers()).toBe(1);
    });
  });
}
