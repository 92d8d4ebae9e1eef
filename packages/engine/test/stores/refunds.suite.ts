/** Refunds in the store: concurrent claims never return more than the payment. */
import { maxRefunds, refundNonce } from "@farthing/protocol";
import * as fc from "fast-check";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { Claim, Settlement } from "../../src/index.ts";
import { storeForEach } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  confirm,
  fail,
  held,
  hex32,
  idOf,
  minedIn,
  planOf,
  refusalOf,
  type StoreBench,
  type TestStore,
} from "./store-values.testing.ts";

/** Base units. */
const paid = 10n;

/** The tests, on databases that `start` makes. */
export function refundsSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);

  test("at most the payment goes back, whatever two processes claim and whatever fails", async () => {
    const { bench, store } = at();
    const other = await bench.open();
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 5 }), (rounds) =>
          keepsWithinPayment(rounds, bench.isConcurrent ? [store, other] : [store]),
        ),
        { numRuns: 30 },
      );
    } finally {
      await other.close();
    }
  });

  test("two claims of the rest at once: one is refused", async () => {
    const { bench, store } = at();
    const other = await bench.open();
    try {
      const payment = await finalPayment(store);
      const claims = [refundOf(payment, 0, 6n), refundOf(payment, 1, 6n)];
      const results = (
        await Promise.all(
          claims.map((claim, index) =>
            (bench.isConcurrent && index === 1 ? other : store).claimSettlements([claim], 10),
          ),
        )
      ).flat();
      const refusals = results.map(refusalOf);
      // In the other order the ordinal 1 is not the next one yet.
      expect([
        [undefined, "refund_exceeds_payment"],
        [undefined, "refund_mismatch"],
      ]).toContainEqual(refusals);
    } finally {
      await other.close();
    }
  });

  test("in one batch, each claim counts for the next", async () => {
    const { store } = at();
    const payment = await finalPayment(store);
    const claims = [3n, 3n, 3n, 1n].map((amount, ordinal) => refundOf(payment, ordinal, amount));
    const results = await store.claimSettlements(claims, 10);
    expect(results.map(refusalOf)).toEqual([
      undefined,
      undefined,
      undefined,
      "refund_limit_reached",
    ]);
    const refunds = await store.listRefunds([payment.id]);
    expect(refunds.map(({ ordinal, settlement }) => [ordinal, settlement.amount])).toEqual([
      [0, 3n],
      [1, 3n],
      [2, 3n],
    ]);
  });

  test("a failed refund is signed again in its place", async () => {
    const { store } = at();
    const payment = await finalPayment(store);
    const first = refundOf(payment, 0, 4n);
    await store.claimSettlements([first], 10);
    const lease = await held(store);
    const [sent] = await store.reserveTransactions(lease, [planOf(first.id)], 11);
    await store.recordSigned(lease, [{ id: sent?.id ?? 0, raw: hex32(1), hash: hex32(1) }], 12);
    await store.closeTransactions(sent ? [sent] : [], "mined", 99);
    const reverted = { code: "transaction_reverted", message: "m", transaction: hex32(1) } as const;
    await store.recordFailed([{ id: first.id, ...reverted }], 13);
    const window = { validAfter: 5n, validBefore: noEnd };
    // Its payee is a contract wallet by now.
    const payer = { payerHasCode: true, seenUnusedAt: 98 };
    const again = refundOf(payment, 0, 4n, { signature: "0xabcd", ...window, ...payer });
    const [result] = await store.claimSettlements([again], 20);
    expect(result).toMatchObject({ kind: "created" });
    expect(idOf(result)).toBe(first.id);
    expect(await store.findSettlement(first.id)).toMatchObject({
      state: "queued",
      refundOf: payment.id,
      signature: "0xabcd",
      signatureHash: expect.any(String),
      ...window,
      ...payer,
      failure: null,
      failedAt: null,
      transaction: null,
      submittedAt: null,
    });
    expect(await store.reserveTransactions(lease, [planOf(first.id)], 21)).toHaveLength(1);
    expect(await store.takeFailuresToLookAt(chainId, 10, Number.MAX_SAFE_INTEGER)).toEqual([]);
    await confirm(store, first.id);
    expect((await store.findSettlement(first.id))?.state).toBe("confirmed");
  });

  test("while the failed authorization can be used, another amount is refused", async () => {
    const { store } = at();
    const payment = await finalPayment(store);
    const [first, second] = [refundOf(payment, 0, 8n), refundOf(payment, 1, 2n)];
    await store.claimSettlements([first, second], 10);
    await fail(store, first.id, second.id);
    const smaller = refundOf(payment, 0, 2n);
    const shorter = refundOf(payment, 0, 8n, { validBefore: soon - 1n });
    for (const claim of [smaller, shorter]) {
      const [result] = await store.claimSettlements([claim], 20);
      expect(refusalOf(result)).toBe("refund_mismatch");
    }
    await store.endFailureWatches([first]);
    // The other failed refund of 2 can still be used.
    const [whole] = await store.claimSettlements([refundOf(payment, 0, 10n)], 20);
    expect(refusalOf(whole)).toBe("refund_exceeds_payment");
    const [made] = await store.claimSettlements([smaller], 20);
    expect(made?.kind).toBe("created");
    expect((await store.findSettlement(first.id))?.amount).toBe(2n);
  });

  test("what is found out about an earlier authorization leaves the new one alone", async () => {
    const { store } = at();
    const payment = await finalPayment(store);
    const first = refundOf(payment, 0, 4n);
    await store.claimSettlements([first], 10);
    await fail(store, first.id);
    const again = refundOf(payment, 0, 4n, { validBefore: noEnd });
    await store.claimSettlements([again], 20);
    const { amount, validBefore } = first;
    const expired = { code: "authorization_expired", message: "m", transaction: null } as const;
    // Another process has searched for the first one until now.
    for (const authorization of [
      { amount, validBefore },
      { amount: amount - 1n, validBefore: noEnd },
    ]) {
      const late = { id: first.id, ...expired, authorization };
      expect(await store.recordFailed([late], 30)).toEqual([]);
    }
    expect((await store.findSettlement(first.id))?.state).toBe("queued");
    await fail(store, first.id);
    await store.endFailureWatches([first]);
    expect(await store.listRefunds([payment.id])).toMatchObject([{ isDead: false }]);
    await store.endFailureWatches([{ ...again, id: first.id }]);
    expect(await store.listRefunds([payment.id])).toMatchObject([{ isDead: true }]);
  });

  test("nothing is refunded while a process of an earlier version is connected", async () => {
    const { bench, store } = at();
    // The processes of a SQLite file are replaced together.
    if (!bench.isConcurrent) return;
    const payment = await finalPayment(store);
    const older = new Client({
      connectionString: bench.databaseUrl,
      application_name: "farthing/0014",
    });
    older.on("error", () => {});
    await older.connect();
    onTestFinished(() => older.end());
    const claim = async () => (await store.claimSettlements([refundOf(payment, 0, 4n)], 10))[0];
    expect(refusalOf(await claim())).toBe("refunds_not_ready");
    await older.end();
    // The server notices the end a moment later.
    await expect.poll(async () => (await claim())?.kind).toBe("created");
  });

  test("a failed refund that the money moved for is not claimed again", async () => {
    const { store } = at();
    const payment = await finalPayment(store);
    const first = refundOf(payment, 0, 4n);
    await store.claimSettlements([first], 10);
    await fail(store, first.id);
    await confirm(store, first.id);
    const [again] = await store.claimSettlements([refundOf(payment, 0, 4n)], 20);
    expect(again).toMatchObject({ kind: "existing", settlement: { state: "confirmed" } });
  });

  test("only final payments are refunded, and no refund is", async () => {
    const { store } = at();
    const payment = claimOf({ amount: paid });
    await store.claimSettlements([payment], 1);
    const claim = async (of: Settlement) => {
      return refusalOf((await store.claimSettlements([refundOf(of, 0, 1n)], 10))[0]);
    };
    const settlement = async () => {
      const found = await store.findSettlement(payment.id);
      if (!found) throw new Error("the payment is missing");
      return found;
    };
    expect(await claim(await settlement())).toBe("settlement_not_refundable");
    await confirm(store, payment.id);
    expect(await claim(await settlement())).toBe("settlement_not_refundable");
    await store.recordFinalized(chainId, 100, 8);
    const refund = refundOf(await settlement(), 0, 1n);
    await store.claimSettlements([refund], 10);
    await store.recordConfirmed([{ id: refund.id, mined: minedIn(101) }], 11);
    await store.recordFinalized(chainId, 101, 12);
    const refunded = await store.findSettlement(refund.id);
    expect(refunded && (await claim(refunded))).toBe("settlement_not_refundable");
  });

  test("a refund of nothing is none, also where no amount is too small", async () => {
    const { store } = at();
    const payment = await finalPayment(store);
    const refund = { of: payment.id, unitsMin: 0n };
    const [nothing] = await store.claimSettlements([refundOf(payment, 0, 0n, { refund })], 10);
    expect(refusalOf(nothing)).toBe("amount_below_minimum");
  });

  test("payments and refunds do not share a nonce", async () => {
    const { store } = at();
    const payment = await finalPayment(store);
    const refund = refundOf(payment, 0, 1n);
    await store.claimSettlements([refund], 10);
    const { refund: _, ...asPayment } = refundOf(payment, 0, 1n);
    const [found] = await store.claimSettlements([asPayment], 11);
    expect(found).toMatchObject({ kind: "existing", settlement: { refundOf: payment.id } });
    const taken = { ...refundOf(payment, 1, 1n), refund: undefined };
    await store.claimSettlements([taken], 12);
    const [other] = await store.claimSettlements([refundOf(payment, 1, 1n)], 13);
    expect(other).toMatchObject({ kind: "existing", settlement: { refundOf: null } });
  });
}

const noEnd = (1n << 256n) - 1n;

/** Unix seconds, later than the failures in these tests. */
const soon = 1_000_000n;

async function finalPayment(store: TestStore): Promise<Settlement> {
  const claim = claimOf({ amount: paid });
  await store.claimSettlements([claim], 1);
  await confirm(store, claim.id);
  await store.recordFinalized(chainId, 100, 8);
  const payment = await store.findSettlement(claim.id);
  if (!payment) throw new Error("the payment is missing");
  return payment;
}

function refundOf(
  payment: Settlement,
  ordinal: number,
  amount: bigint,
  changes: Partial<Claim> = {},
): Claim {
  return claimOf({
    payer: payment.payTo,
    payTo: payment.payer,
    nonce: refundNonce(payment, ordinal),
    amount,
    validBefore: soon,
    refund: { of: payment.id, unitsMin: 1n },
    ...changes,
  });
}

/** Steps of a round happen at once. */
interface Step {
  readonly ordinal: number;
  readonly amount: number;
  readonly kind: "claim" | "fail" | "expire";
}

const step = fc.record<Step>({
  ordinal: fc.integer({ min: 0, max: maxRefunds }),
  amount: fc.integer({ min: 1, max: Number(paid) }),
  kind: fc.constantFrom("claim", "claim", "fail", "expire"),
});

/** Checks that all authorizations that could still move money are within the payment. */
async function keepsWithinPayment(
  rounds: readonly (readonly Step[])[],
  stores: readonly TestStore[],
): Promise<void> {
  const [store] = stores;
  if (!store) throw new Error("there is no store");
  const payment = await finalPayment(store);
  for (const round of rounds) {
    const before = await store.listRefunds([payment.id]);
    await Promise.all(
      round.map(async ({ ordinal, amount, kind }, index) => {
        const by = stores[index % stores.length] ?? store;
        const known = before.find((one) => one.ordinal === ordinal)?.settlement;
        if (kind === "claim") {
          await by.claimSettlements([refundOf(payment, ordinal, BigInt(amount))], 10);
        } else if (known !== undefined && kind === "fail") await fail(by, known.id);
        else if (known !== undefined) await by.endFailureWatches([known]);
      }),
    );
    const refunds = await store.listRefunds([payment.id]);
    const usable = refunds.filter(({ isDead }) => !isDead);
    const sum = usable.reduce((units, { settlement }) => units + settlement.amount, 0n);
    expect(sum).toBeLessThanOrEqual(paid);
    expect(refunds.length).toBeLessThanOrEqual(maxRefunds);
  }
}
