/** What every store promises about passes: as many uses as were paid for, also for concurrent requests. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SettledRequest } from "../../events.ts";
import type { Passes } from "./passes.ts";
import type { PaymentRecords } from "../rules/payment-records.ts";
import type { CreateStore, StoreKind } from "../rules/payment-records.suite.ts";
import { dayMs } from "../rules/payment-records.testing.ts";

const payment: SettledRequest = {
  payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  amount: "1000000",
  network: "eip155:50",
  transaction: "0x1",
  settlementId: "s_1",
};
const sale = { scope: "reports", uses: 100, validForMs: dayMs, isFinalOnly: false };

/** Runs these promises against one store. */
export function passesSuite(name: string, kind: StoreKind): void {
  // The hooks are for these tests alone, beside whatever else a file has.
  describe("passes", () => {
    let nowMs: number;
    let stage: Awaited<ReturnType<StoreKind["open"]>>;
    let passes: Passes;
    const create = (bounds: Partial<Parameters<CreateStore>[0]> = {}) =>
      passesOf(stage.create({ now: () => nowMs, ...bounds }));
    beforeEach(async () => {
      nowMs = 1_000;
      stage = await kind.open();
      passes = create();
    });
    afterEach(() => stage.close());

    async function opened(key = "a", changes: Partial<typeof sale> = {}) {
      const one = await passes.open(key, { ...sale, ...changes }, payment);
      if (!one) throw new Error("The pass is void.");
      return one;
    }

    describe(`${name}: a pass`, () => {
      test("is found by its token alone, with all that was paid for", async () => {
        const { pass, token } = await opened();
        const facts = { scope: "reports", uses: 100, usesLeft: 99, isVoid: false, payment };
        expect(await passes.find(token)).toEqual(pass);
        expect(pass).toMatchObject({ ...facts, expiresAtMs: 1_000 + dayMs });
        expect(JSON.stringify(pass)).not.toContain(token.split(".")[1]);
        const other = await opened("b");
        const mixed = `${pass.id}.${other.token.split(".")[1]}`;
        for (const wrong of [
          mixed,
          pass.id,
          "",
          token.toUpperCase(),
          `${token}0`,
          "a".repeat(97),
        ]) {
          expect(await passes.find(wrong)).toBeUndefined();
        }
      });

      test("opens as many requests as it has uses, of a thousand at once", async () => {
        const { pass, token } = await opened("a", { uses: 101 });
        const other = kind.isShared ? create() : passes;
        const takes = await Promise.all(
          Array.from({ length: 1_000 }, (_one, at) => (at % 2 ? other : passes).take(pass)),
        );
        const left = takes.flatMap((taken) => (taken ? [taken.usesLeft] : []));
        expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at));
        const now = await passes.find(token);
        expect(now?.usesLeft).toBe(0);
        expect(now && passes.endOf(now)).toBe("exhausted");
      });

      test("gets back what was taken, and never more than was paid for", async () => {
        const { pass, token } = await opened("a", { uses: 2 });
        expect((await passes.take(pass))?.usesLeft).toBe(0);
        expect(await passes.take(pass)).toBeUndefined();
        const given = await Promise.all(Array.from({ length: 9 }, () => passes.giveBack(pass)));
        expect(given).toHaveLength(9);
        expect((await passes.find(token))?.usesLeft).toBe(2);
      });

      test("ends with its time, and is forgotten a day later", async () => {
        const { pass, token } = await opened();
        nowMs = pass.expiresAtMs - 1;
        expect((await passes.take(pass))?.usesLeft).toBe(98);
        nowMs = pass.expiresAtMs;
        expect(passes.endOf(pass)).toBe("expired");
        expect(await passes.take(pass)).toBeUndefined();
        expect((await passes.find(token))?.usesLeft).toBe(98);
      });

      test("that is opened again keeps its uses and its end, and gets a new token", async () => {
        const first = await opened();
        await passes.take(first.pass);
        nowMs += 5_000;
        const second = await opened("a", { uses: 500 });
        expect(second.pass).toEqual({
          ...first.pass,
          usesLeft: 98,
          tokenHash: second.pass.tokenHash,
        });
        expect(await passes.find(first.token)).toBeUndefined();
        // Also where the old token was read before it was replaced.
        expect(await passes.take(first.pass)).toBeUndefined();
        expect((await passes.take(second.pass))?.usesLeft).toBe(97);
      });

      test("that is void opens nothing, and no new token either", async () => {
        const { pass, token } = await opened();
        expect(await passes.voidPass(pass.id)).toBe(true);
        expect(await passes.take(pass)).toBeUndefined();
        expect((await passes.giveBack(pass)).usesLeft).toBe(99);
        const found = await passes.find(token);
        expect(found && passes.endOf(found)).toBe("void");
        expect(await passes.open("a", sale, payment)).toBeUndefined();
        expect(await passes.voidPass("0".repeat(32))).toBe(false);
      });

      test("whose payment has to be final opens nothing before", async () => {
        const { pass, token } = await opened("a", { isFinalOnly: true });
        expect([pass.isFinal, passes.endOf(pass)]).toEqual([false, undefined]);
        expect(await passes.take(pass)).toBeUndefined();
        expect(await passes.markFinal(pass.id)).toBe(true);
        const found = await passes.find(token);
        expect(found && (await passes.take(found))?.usesLeft).toBe(98);
        expect(await passes.markFinal("0".repeat(32))).toBe(false);
      });

      test("is found for its payer, while it opens something", async () => {
        const find = (scope = sale.scope, networks = ["eip155:51", payment.network]) =>
          passes.heldBy(payment.payer.toLowerCase(), networks, scope);
        const elsewhere = { ...payment, network: "eip155:51" };
        const shorter = await passes.open("d", { ...sale, validForMs: dayMs / 2 }, elsewhere);
        const one = await opened("a", { validForMs: 2 * dayMs });
        const { pass } = await opened("b", { uses: 2 });
        await opened("c", { scope: "other", validForMs: 9 * dayMs });
        expect((await find())?.id).toBe(one.pass.id);
        await passes.voidPass(one.pass.id);
        expect((await find())?.id).toBe(pass.id);
        await passes.voidPass(shorter?.pass.id ?? "");
        const renewed = await passes.renew(pass);
        if (!renewed) throw new Error("The pass is void.");
        expect((await passes.find(renewed.token))?.usesLeft).toBe(1);
        expect(await passes.take(pass)).toBeUndefined();
        await passes.take(renewed.pass);
        expect(await find()).toBeUndefined();
        expect(await passes.renew(one.pass)).toBeUndefined();
        expect((await find("other"))?.scope).toBe("other");
        expect(await find("other", ["eip155:51"])).toBeUndefined();
        expect(await passes.heldBy("0x1", [payment.network], "other")).toBeUndefined();
        nowMs += 9 * dayMs;
        expect(await find("other")).toBeUndefined();
      });

      test("of many who show one nonce at once, one is the first; all share a day's secret", async () => {
        const other = kind.isShared ? create() : passes;
        const uses = await Promise.all(
          Array.from({ length: 20 }, (_one, at) =>
            (at % 2 ? other : passes).useNonce("n", nowMs + 1_000),
          ),
        );
        expect(uses.filter((isFirst) => isFirst)).toHaveLength(1);
        expect(await passes.useNonce("other", nowMs + 1_000)).toBe(true);
        expect(await other.secretOf(0)).toBe(await passes.secretOf(0));
        expect(await other.secretOf(1)).not.toBe(await passes.secretOf(0));
      });

      test.skipIf(kind.forgetsByItself)(
        "keeps no nonce whose time is over, however many others are over",
        async () => {
          const nonces = Array.from({ length: 20 }, (_one, at) => `n${at}`);
          for (const [at, nonce] of nonces.entries()) await passes.useNonce(nonce, nowMs + at + 1);
          nowMs += 1_000;
          expect(await passes.useNonce("n19", nowMs + 1_000)).toBe(true);
          expect(await passes.useNonce("n19", nowMs + 1_000)).toBe(false);
        },
      );

      test("is seen by every process", async () => {
        if (!kind.isShared) return;
        const { token } = await opened();
        const other = create();
        const found = await other.find(token);
        expect(found && (await other.take(found))?.usesLeft).toBe(98);
        expect((await passes.find(token))?.usesLeft).toBe(98);
      });
    });

    test.runIf(kind.isBounded)(`${name}: passes that were paid for make no room`, async () => {
      passes = create({ entriesMax: 2 });
      await opened("a");
      expect(await passes.isFull()).toBe(false);
      const { pass } = await opened("b");
      expect(await passes.isFull()).toBe(true);
      nowMs = pass.expiresAtMs + dayMs;
      expect(await passes.isFull()).toBe(false);
    });
  });
}

function passesOf({ passes }: PaymentRecords): Passes {
  if (!passes) throw new Error("The store keeps no passes.");
  return passes;
}
