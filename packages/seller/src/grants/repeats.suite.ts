/** What every store of grants promises about repeats: what they show decides what they get. */
import { describe, expect, test } from "vitest";
import type { Access, GrantStore, Lease, Proof } from "./grants.ts";
import { answer, binding, leaseOf, pending, receipt, showing } from "./grants.testing.ts";

/** Runs these promises against the store of the running test. */
export function repeatSuite(name: string, grants: () => GrantStore): void {
  const ofKind = async (key: string, access: Access) =>
    (await grants().take(binding(key), access)).kind;
  const openedBy = (access: Access): Promise<Lease> => leaseOf(grants(), binding("a"), access);

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
      await first.leave();
      const next = await openedBy(showing(proof, "proven"));
      await next.deliver(receipt, answer(1));
      const kept = { kind: "delivered", receipt, answer: answer(1) };
      expect(await grants().take(binding("a"), showing(proof))).toEqual(kept);
      // Nothing, or something else, proves nothing.
      for (const other of [{}, { token: "x", authorization: "x", cookie: "x" }]) {
        const bare = { kind: "delivered", receipt };
        expect(await grants().take(binding("a"), showing(other))).toEqual(bare);
      }
    });

    test("that shows nothing takes no lease of what is bound", async () => {
      const lease = await leaseOf(grants(), binding("a"));
      await lease.settling({ receipt: pending });
      const unproven = { kind: "unproven", receipt: pending };
      expect(await grants().take(binding("a"), showing({}))).toEqual(unproven);
      await lease.leave();
      expect(await grants().take(binding("a"), showing({}))).toEqual(unproven);
      expect(await ofKind("a", showing({}, "anyone"))).toBe("taken");
    });

    test("resumes what its first request left without a proof, until it is delivered", async () => {
      const first = await openedBy(showing({}));
      await first.settling();
      await first.leave();
      expect(await ofKind("a", showing({}, "proven"))).toBe("unproven");
      const second = await openedBy(showing({ token: "t" }));
      await second.deliver(receipt, answer(1));
      for (const proof of [{}, { token: "t" }]) {
        const bare = { kind: "delivered", receipt };
        expect(await grants().take(binding("a"), showing(proof))).toEqual(bare);
      }
    });

    test("shows nothing by a token that another payer has shown", async () => {
      expect(await grants().isTokenShared("t", "one")).toBe(false);
      expect(await grants().isTokenShared("t", "one")).toBe(false);
      expect(await grants().isTokenShared("u", "other")).toBe(false);
      await (await leaseOf(grants(), binding("a"))).deliver(receipt, answer(1));
      expect(await grants().isTokenShared("t", "other")).toBe(true);
      expect(await grants().isTokenShared("t", "one")).toBe(true);
      const access = showing({ token: "t", isTokenShared: true });
      expect(await grants().take(binding("a"), access)).toEqual({ kind: "delivered", receipt });
      // Nor does such a token bind what is opened with it.
      expect(await ofKind("b", access)).toBe("taken");
      expect(await ofKind("b", access)).toBe("busy");
    });

    test("settles under the name of the first, and another record under another", async () => {
      const first = await leaseOf(grants(), binding("a"));
      expect(first.exchangeKey).toMatch(/^[0-9a-f]{32}$/);
      await first.settling();
      await first.leave();
      const second = await leaseOf(grants(), binding("a"));
      expect(second.exchangeKey).toBe(first.exchangeKey);
      await second.release();
      expect((await leaseOf(grants(), binding("a"))).exchangeKey).not.toBe(first.exchangeKey);
    });
  });
}
