/** What every store promises about balances: the sum of a ledger, never below zero, whoever asks at once. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SettledRequest } from "../../events.ts";
import { availableOf, maxOpenTopUps, maxReserves, maxTokens, type Balances } from "./balances.ts";
import type { PaymentRecords } from "../rules/payment-records.ts";
import type { CreateStore, StoreKind } from "../rules/payment-records.suite.ts";
import { minuteMs } from "../rules/payment-records.testing.ts";
import { maxReserveMs, maxSuspendedMs, maxUndeliveredMs } from "../retention.ts";

const payment: SettledRequest = {
  payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  amount: "1000",
  network: "eip155:50",
  transaction: "0x1",
  settlementId: "s_1",
};

const payers = [
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
];

/** Runs these promises against one store. */
export function balancesSuite(name: string, kind: StoreKind): void {
  // The hooks are for these tests alone, beside whatever else a file has.
  describe("balances", () => {
    let nowMs: number;
    let stage: Awaited<ReturnType<StoreKind["open"]>>;
    let balances: Balances;
    const create = (bounds: Partial<Parameters<CreateStore>[0]> = {}) =>
      balancesOf(stage.create({ now: () => nowMs, ...bounds }));
    beforeEach(async () => {
      nowMs = 1_000;
      stage = await kind.open();
      balances = create();
    });
    afterEach(() => stage.close());

    async function toppedUp(key = "a") {
      const { id } = await balances.topUp(key, "reports", payment);
      const given = await balances.giveToken(id);
      if (!given) throw new Error("There is no balance.");
      return given;
    }
    const sumOf = async (id: string, by = balances) =>
      (await by.ledger(id)).reduce((sum, { amount }) => sum + amount, 0n);
    const leftOf = async (token: string) => {
      const found = await balances.find(token);
      return found && [found.amount, availableOf(found)];
    };

    describe(`${name}: a balance`, () => {
      test("is topped up once by each payment, and found by its tokens", async () => {
        const { balance, token } = await toppedUp("a");
        expect(balance).toMatchObject({ scope: "reports", amount: 1000n, reserves: [], payment });
        expect(JSON.stringify(await balances.ledger(balance.id).then(String))).not.toContain(token);
        const second = { ...payment, transaction: "0x2" };
        for (let nth = 0; nth < 3; nth++) await balances.topUp("b", "reports", second);
        await toppedUp("a");
        const { token: newest } = await toppedUp("a");
        expect(newest).not.toBe(token);
        expect(await balances.find(token)).toEqual(await balances.find(newest));
        expect(await balances.find(newest)).toMatchObject({ amount: 2000n, payment: second });
        expect(await balances.ledger(balance.id)).toEqual([
          { kind: "top-up", key: "a", amount: 1000n, atMs: 1_000 },
          { kind: "top-up", key: "b", amount: 1000n, atMs: 1_000 },
        ]);
        for (const wrong of ["", balance.id, `${newest}0`, newest.toUpperCase()]) {
          expect(await balances.find(wrong)).toBeUndefined();
        }
        expect(await balances.giveToken("0".repeat(32))).toBeUndefined();
      });

      test("belongs to one payer, one network and one scope", async () => {
        const all = await Promise.all([
          balances.topUp("a", "reports", payment),
          balances.topUp("a", "other", payment),
          balances.topUp("a", "reports", { ...payment, network: "eip155:51" }),
          balances.topUp("a", "reports", { ...payment, payer: payers[1] ?? "" }),
        ]);
        expect(new Set(all.map(({ id }) => id)).size).toBe(4);
        expect(all.map(({ amount }) => amount)).toEqual([1000n, 1000n, 1000n, 1000n]);
      });

      test("is charged the cost of a request, between nothing and its reserve, once", async () => {
        const { balance, token } = await toppedUp();
        const costs = [7n, 0n, -5n, 5_000n];
        const charged: (bigint | undefined)[] = [];
        for (const [nth, cost] of costs.entries()) {
          const useId = `use ${nth}`;
          expect(await balances.reserve(balance.id, { useId, amount: 100n })).toMatchObject({
            kind: "reserved",
            isCharged: false,
          });
          charged.push((await balances.charge(balance.id, useId, cost))?.cost);
          charged.push((await balances.charge(balance.id, useId, cost))?.cost);
        }
        expect(charged).toEqual([7n, 0n, 0n, 0n, 0n, 0n, 100n, 0n]);
        expect(await leftOf(token)).toEqual([893n, 893n]);
        const entries = await balances.ledger(balance.id);
        expect(entries.map(({ kind, amount }) => [kind, amount])).toEqual([
          ["top-up", 1000n],
          ["charge", -7n],
          ["charge", 0n],
          ["charge", 0n],
          ["charge", -100n],
        ]);
      });

      test("keeps the reserve of a request that failed for its repeat, and charges it when none comes", async () => {
        const { balance, token } = await toppedUp();
        const asked = { useId: "one", amount: 600n };
        await balances.reserve(balance.id, asked);
        expect(await balances.suspend(balance.id, "one", 7n)).toMatchObject({ amount: 1000n });
        expect(await balances.suspend(balance.id, "other", 7n)).toBeUndefined();
        // The time of a repeat does not shorten what was kept.
        await balances.reserve(balance.id, asked);
        nowMs += maxUndeliveredMs;
        expect(await leftOf(token)).toEqual([1000n, 400n]);
        const repeat = await balances.reserve(balance.id, asked);
        const held = [expect.objectContaining({ useId: "one", metered: 7n })];
        expect(repeat).toMatchObject({ isCharged: false, balance: { reserves: held } });
        nowMs += maxSuspendedMs - maxUndeliveredMs - 1;
        await balances.release(balance.id, "other");
        expect(await leftOf(token)).toEqual([1000n, 400n]);
        nowMs += maxReserveMs;
        await balances.release(balance.id, "other");
        expect(await leftOf(token)).toEqual([993n, 993n]);
        expect(await sumOf(balance.id)).toBe(993n);
        expect(await balances.suspend(balance.id, "one", 7n)).toBeUndefined();
      });

      test("costs a request that was charged before nothing more, and one that was released its reserve", async () => {
        const { balance } = await toppedUp();
        const asked = { useId: "one", amount: 600n };
        await balances.reserve(balance.id, asked);
        await balances.release(balance.id, "one");
        expect(await balances.reserve(balance.id, asked)).toMatchObject({ isCharged: false });
        // The same request again holds nothing more.
        const twice = await balances.reserve(balance.id, asked);
        expect(twice.kind === "reserved" && availableOf(twice.balance)).toBe(400n);
        await balances.charge(balance.id, "one", 200n);
        const again = await balances.reserve(balance.id, asked);
        expect(again).toMatchObject({ kind: "reserved", isCharged: true });
        expect(again.kind === "reserved" && availableOf(again.balance)).toBe(800n);
      });

      test("holds as many reserves as it can pay, of three hundred requests at once", async () => {
        const { balance, token } = await toppedUp();
        const other = kind.isShared ? create() : balances;
        const reserved = await Promise.all(
          Array.from({ length: 300 }, (_one, nth) =>
            (nth % 2 ? other : balances).reserve(balance.id, { useId: `use ${nth}`, amount: 10n }),
          ),
        );
        const held = reserved.filter((one) => one.kind === "reserved");
        expect(held).toHaveLength(100);
        expect(reserved.filter((one) => one.kind === "short")).toHaveLength(200);
        expect(await leftOf(token)).toEqual([1000n, 0n]);
      });

      test("holds no more reserves at once than its bound", async () => {
        const { balance } = await toppedUp();
        for (let nth = 0; nth < maxReserves; nth++) {
          await balances.reserve(balance.id, { useId: `use ${nth}`, amount: 1n });
        }
        const more = await balances.reserve(balance.id, { useId: "more", amount: 1n });
        expect(more.kind).toBe("busy");
      });

      test("is found by as many tokens as there are programs, within a bound", async () => {
        const tokens: string[] = [];
        for (let nth = 0; nth <= maxTokens; nth++) tokens.push((await toppedUp(`${nth}`)).token);
        const found = await Promise.all(tokens.map((token) => balances.find(token)));
        expect(found.map((one) => one !== undefined)).toEqual([
          false,
          ...Array(maxTokens).fill(true),
        ]);
        const asked = { useId: "one", amount: 1n };
        expect(await balances.reserve("0".repeat(32), asked)).toEqual({ kind: "unknown" });
      });

      test("is found for its payer", async () => {
        const { balance } = await toppedUp();
        const held = (payer: string, scope = "reports") =>
          balances.heldBy(payer, ["eip155:51", payment.network], scope);
        expect(await held(payment.payer.toLowerCase())).toEqual(balance);
        expect(await held(payers[1] ?? "")).toBeUndefined();
        expect(await held(payment.payer, "other")).toBeUndefined();
        // Where there are several, the one with the most money.
        for (const [key, amount] of [["b", "999"] as const, ["c", "2"] as const]) {
          await balances.topUp(key, "reports", { ...payment, amount, network: "eip155:51" });
          const { network } = (await held(payment.payer))?.payment ?? {};
          expect(network).toBe(key === "b" ? "eip155:50" : "eip155:51");
        }
      });

      test("keeps a top-up shut until its payment is final, and takes back one that has failed", async () => {
        for (const key of ["a", "b"]) {
          const { id } = await balances.topUp(key, "reports", payment, 900n);
          await balances.reserve(id, { useId: `with ${key}`, amount: 100n });
          await balances.charge(id, `with ${key}`, 40n);
        }
        const { balance, token } = await toppedUp("a");
        const { id } = balance;
        const money = {
          key: "a",
          paid: 1000n,
          shut: 900n,
          settlementId: "s_1",
          transaction: "0x1",
        };
        expect(balance.openTopUps).toEqual([money, { ...money, key: "b" }]);
        expect(await leftOf(token)).toEqual([1920n, 120n]);
        expect((await balances.reserve(id, { useId: "one", amount: 121n })).kind).toBe("short");
        for (let nth = 0; nth < 2; nth++) await balances.settleTopUp(id, "a", "final");
        expect(await leftOf(token)).toEqual([1920n, 1020n]);
        for (let nth = 0; nth < 2; nth++) await balances.settleTopUp(id, "b", "void");
        await balances.settleTopUp(id, "a", "void");
        expect(await leftOf(token)).toEqual([920n, 920n]);
        expect(await sumOf(id)).toBe(920n);
        expect((await balances.ledger(id)).at(-1)).toMatchObject({ kind: "void", amount: -1000n });
        await balances.topUp("c", "reports", payment, 900n);
        expect(await balances.payBack(id, "refund 1", 5_000n)).toBe(true);
        expect(await leftOf(token)).toEqual([900n, 0n]);
      });

      test("gets a reserve back that a crash has left, without what was metered", async () => {
        const { balance, token } = await toppedUp();
        await balances.reserve(balance.id, { useId: "silent", amount: 400n });
        await balances.reserve(balance.id, { useId: "stream", amount: 400n });
        nowMs += minuteMs;
        expect(await balances.meter(balance.id, "stream", 150n)).toBe(true);
        // Without a cost it is prolonged alone.
        expect(await balances.meter(balance.id, "stream")).toBe(true);
        nowMs = 1_000 + maxReserveMs - 1;
        const early = await balances.reserve(balance.id, { useId: "next", amount: 201n });
        expect(early.kind).toBe("short");
        nowMs++;
        // The stream has shown life since.
        const half = await balances.reserve(balance.id, { useId: "next", amount: 600n });
        expect(half.kind).toBe("reserved");
        nowMs += minuteMs;
        await balances.release(balance.id, "next");
        expect(await leftOf(token)).toEqual([850n, 850n]);
        expect(await balances.meter(balance.id, "stream", 200n)).toBe(false);
        // Its process was only slow: it was charged already.
        expect((await balances.charge(balance.id, "stream", 300n))?.cost).toBe(0n);
        // Another one without an entry costs what is there, but nothing that is not.
        expect((await balances.charge(balance.id, "silent", 5_000n))?.cost).toBe(850n);
        expect(await leftOf(token)).toEqual([0n, 0n]);
      });

      test("is charged no more than the reserve of a request whose process has died", async () => {
        const { balance, token } = await toppedUp();
        await balances.reserve(balance.id, { useId: "one", amount: 400n });
        await balances.meter(balance.id, "one", 700n);
        nowMs += maxReserveMs;
        await balances.release(balance.id, "other");
        expect(await leftOf(token)).toEqual([600n, 600n]);
      });

      test("takes as many payments that are not final as its bound", async () => {
        const id = await balances.idOf("reports", payment);
        for (let nth = 0; nth < maxOpenTopUps; nth++) {
          expect(await balances.hasRoom(id)).toBe(true);
          await balances.topUp(`${nth}`, "reports", payment, 1n);
        }
        expect(await balances.hasRoom(id)).toBe(false);
        await balances.settleTopUp(id, "0", "final");
        expect(await balances.hasRoom(id)).toBe(true);
      });

      test("charges what was metered once, where a reserve ends with its request", async () => {
        const { balance, token } = await toppedUp();
        for (const useId of ["slow", "again"]) {
          await balances.reserve(balance.id, { useId, amount: 400n });
          await balances.meter(balance.id, useId, 150n);
          nowMs += maxReserveMs;
          // Its end is found by the call itself, which finds no entry in the store yet.
          if (useId === "slow") {
            expect((await balances.charge(balance.id, useId, 300n))?.cost).toBe(0n);
          } else {
            const repeat = await balances.reserve(balance.id, { useId, amount: 400n });
            expect(repeat).toMatchObject({ kind: "reserved", isCharged: true });
          }
        }
        expect(await leftOf(token)).toEqual([700n, 700n]);
        expect(await sumOf(balance.id)).toBe(700n);
      });

      test("pays back what is not reserved, once for each key", async () => {
        const { balance, token } = await toppedUp();
        const { id } = balance;
        await balances.reserve(id, { useId: "one", amount: 300n });
        expect(await balances.payBack(id, "refund 1", 0n)).toBe(false);
        expect(await balances.payBack(id, "refund 1", 701n)).toBe(true);
        expect(await balances.payBack(id, "refund 1", 701n)).toBe(true);
        expect(await leftOf(token)).toEqual([300n, 0n]);
        expect(await balances.payBack(id, "refund 2", 5n)).toBe(false);
        expect(await balances.payBack(id, "refund 2", 5n, true)).toBe(true);
        expect(await sumOf(id)).toBe(300n);
        const [first, second] = (await balances.ledger(id)).filter(
          ({ kind }) => kind === "payback",
        );
        expect([first?.amount, first?.goesBack]).toEqual([-700n, undefined]);
        expect([second?.amount, second?.goesBack]).toEqual([0n, 5n]);
        if (!first) throw new Error("There is no payback.");
        for (let nth = 0; nth < 2; nth++) await balances.reversePayBack(id, first);
        expect(await leftOf(token)).toEqual([1_000n, 700n]);
        expect(await sumOf(id)).toBe(1_000n);
      });

      test("is seen by every process", async () => {
        if (!kind.isShared) return;
        const { balance, token } = await toppedUp();
        const other = create();
        await other.reserve(balance.id, { useId: "one", amount: 10n });
        await other.charge(balance.id, "one", 3n);
        expect(await balances.find(token)).toEqual(await other.find(token));
        expect(await sumOf(balance.id, other)).toBe(997n);
      });
    });

    test.runIf(kind.isBounded)(`${name}: balances make no room, and can be topped up`, async () => {
      balances = create({ entriesMax: 1 });
      const id = await balances.idOf("reports", payment);
      expect(await balances.hasRoom(id)).toBe(true);
      await toppedUp();
      expect(await balances.hasRoom(id)).toBe(true);
      expect(await balances.hasRoom(await balances.idOf("other", payment))).toBe(false);
    });
  });
}

function balancesOf({ balances }: PaymentRecords): Balances {
  if (!balances) throw new Error("The store keeps no balances.");
  return balances;
}
