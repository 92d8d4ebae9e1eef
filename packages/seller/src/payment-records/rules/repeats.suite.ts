/** What every store of payment records promises about repeats: what they show decides what they get. */
import { describe, expect, test } from "vitest";
import type { Access, PaymentRecords, Lease, Proof } from "./payment-records.ts";
import {
  response,
  binding,
  dayMs,
  leaseOf,
  pending,
  receipt,
  showing,
} from "./payment-records.testing.ts";

/** Before any clock of these tests. */
const longAgoMs = -dayMs;

/** Runs these promises against the store of the running test. */
export function repeatSuite(name: string, grants: () => PaymentRecords): void {
  const ofKind = async (key: string, access: Access) =>
    (await grants().acquire(binding(key), access)).kind;
  const openedBy = (access: Access): Promise<Lease> => leaseOf(grants(), binding("a"), access);

  const identify = (key: string, validBeforeMs = dayMs * 99_999) =>
    grants().identify("id", binding(key, { validBeforeMs }));
  const over = (key: string) =>
    grants().identify("old", binding(key, { validBeforeMs: longAgoMs }));

  describe(`${name}: an identifier`, () => {
    test("stands for one payment as long as that can be charged, or has a record", async () => {
      expect([await identify("a"), await identify("a"), await identify("b")]).toEqual([
        true,
        true,
        false,
      ]);
      const lease = await openedBy(showing({}));
      expect([await over("a"), await over("b")]).toEqual([true, false]);
      await lease.discard();
      expect([await over("b"), await over("b")]).toEqual([true, true]);
    });

    test("passes on a few times, and not for ever", async () => {
      const taken: boolean[] = [];
      for (let nth = 0; nth < 9; nth++) taken.push(await identify(`over ${nth}`, longAgoMs));
      expect(taken).toEqual([...Array.from({ length: 8 }, () => true), false]);
    });
  });

  describe(`${name}: a repeat`, () => {
    test.each<[string, Proof, Proof]>([
      ["the token", { token: "t" }, { token: "t", cookie: "d" }],
      ["the authorization", { authorization: "a", cookie: "c" }, { authorization: "a" }],
      ["the cookie", { token: "t", cookie: "c" }, { token: "u", cookie: "c" }],
      ["the salt", { isOpened: true }, { isOpened: true }],
    ])("that shows %s has what the record keeps", async (_case, opener, proof) => {
      const first = await openedBy(showing(opener));
      expect(await ofKind("a", showing(proof))).toBe("busy");
      await first.settling({ receipt: pending });
      await first.unlock();
      const next = await openedBy(showing(proof, "proven"));
      await next.complete(receipt, response(1));
      const kept = { kind: "delivered", receipt, response: response(1) };
      expect(await grants().acquire(binding("a"), showing(proof))).toEqual(kept);
      // Nothing, or something else, proves nothing.
      for (const other of [{}, { token: "x", authorization: "x", cookie: "x" }]) {
        const bare = { kind: "delivered", receipt };
        expect(await grants().acquire(binding("a"), showing(other))).toEqual(bare);
      }
    });

    test("that shows nothing takes no lease of what is bound", async () => {
      const lease = await leaseOf(grants(), binding("a"));
      await lease.settling({ receipt: pending });
      const unproven = { kind: "unproven", receipt: pending };
      expect(await grants().acquire(binding("a"), showing({}))).toEqual(unproven);
      await lease.unlock();
      expect(await grants().acquire(binding("a"), showing({}))).toEqual(unproven);
      expect(await ofKind("a", showing({}, "anyone"))).toBe("acquired");
    });

    test("resumes what its first request left without a proof, until it is delivered", async () => {
      const first = await openedBy(showing({}));
      await first.settling();
      await first.unlock();
      expect(await ofKind("a", showing({}, "proven"))).toBe("unproven");
      const second = await openedBy(showing({ token: "t" }));
      await second.complete(receipt, response(1));
      for (const proof of [{}, { token: "t" }]) {
        const bare = { kind: "delivered", receipt };
        expect(await grants().acquire(binding("a"), showing(proof))).toEqual(bare);
      }
    });

    test("shows nothing by a token that another payer has shown", async () => {
      expect(await grants().isTokenShared("t", "one")).toBe(false);
      expect(await grants().isTokenShared("t", "one")).toBe(false);
      expect(await grants().isTokenShared("u", "other")).toBe(false);
      await (await leaseOf(grants(), binding("a"))).complete(receipt, response(1));
      expect(await grants().isTokenShared("t", "other")).toBe(true);
      expect(await grants().isTokenShared("t", "one")).toBe(true);
      const access = showing({ token: "t", isTokenShared: true });
      expect(await grants().acquire(binding("a"), access)).toEqual({ kind: "delivered", receipt });
      // Nor does such a token bind what is opened with it.
      expect(await ofKind("b", access)).toBe("acquired");
      expect(await ofKind("b", access)).toBe("busy");
    });

    test("stays with the facilitator that it was sent to", async () => {
      const facilitator = "https://one.example/api";
      const first = await leaseOf(grants(), binding("a"));
      expect(first.facilitator).toBeUndefined();
      await first.settling({ facilitator });
      await first.settling({ receipt: pending });
      await first.unlock();
      const second = await leaseOf(grants(), binding("a"));
      expect(second).toMatchObject({ state: "settling", facilitator, receipt: pending });
      await second.settling({ facilitator: "https://other.example", isForLaterVersions: true });
      await second.unlock();
      const third = await leaseOf(grants(), binding("a"));
      expect(third.facilitator).toBe("https://other.example");
      await third.discard();
      expect((await leaseOf(grants(), binding("a"))).facilitator).toBeUndefined();
    });

    test("settles under the name of the first, and another record under another", async () => {
      const first = await leaseOf(grants(), binding("a"));
      expect(first.exchangeKey).toMatch(/^[0-9a-f]{32}$/);
      await first.settling();
      await first.unlock();
      const second = await leaseOf(grants(), binding("a"));
      expect(second.exchangeKey).toBe(first.exchangeKey);
      await second.discard();
      expect((await leaseOf(grants(), binding("a"))).exchangeKey).not.toBe(first.exchangeKey);
    });
  });
}
