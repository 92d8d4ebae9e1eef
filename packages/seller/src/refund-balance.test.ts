/** Balances that are paid back over the payments that have topped them up. */
import { beforeEach, expect, test } from "vitest";
import {
  amountOf,
  dieAt,
  openRefundShop,
  paid,
  signer,
  startRefundFacilitator,
  type RefundShop,
} from "./refund-shop.testing.ts";
import { createBalanceRefund, splitRefund, type BalanceRefundOutcome } from "./refund-balance.ts";
import { createRefund } from "./refund.ts";

let shop: RefundShop;
beforeEach(() => {
  shop = openRefundShop();
});

/** Three payments, of which the buyer has spent `cost`. */
async function sell(cost: bigint) {
  for (const payment of ["stl_03", "stl_01", "stl_02"]) await shop.topUp(payment);
  const { id } = await shop.topUp("stl_01");
  await shop.spend(id, cost);
  return id;
}

function partsOf(outcome: BalanceRefundOutcome): readonly string[] {
  if (outcome.kind !== "balance") return [outcome.kind];
  return outcome.refunds.map((one) => `${one.settlementId} ${amountOf(one.outcome)}`);
}

test("what is left goes back in full, the oldest payments first, one refund each", async () => {
  const { facilitator, refundsOf, state } = startRefundFacilitator(shop);
  const id = await sell(1_600n);
  const payBack = createBalanceRefund({ ...shop, facilitator, signer });
  const outcome = await payBack({ balance: { id, reserve: "0", remaining: "0" } });
  expect(outcome).toMatchObject({ kind: "balance", amount: "1400", left: "0" });
  expect(partsOf(outcome)).toEqual(["stl_03 1000", "stl_01 400"]);
  expect(await shop.leftIn(id)).toBe(0n);
  const again = await payBack(id);
  expect(again).toMatchObject({ kind: "balance", refunds: [], amount: "0", left: "0" });
  expect(refundsOf("stl_02")).toEqual([]);
  // The first payments only are asked for: that is enough.
  await shop.topUp("stl_04");
  state.finds = 0;
  expect(partsOf(await payBack(id))).toEqual(["stl_01 600", "stl_02 400"]);
  expect(state.finds).toBe(3);
  expect(await shop.leftIn(id)).toBe(0n);
});

test("calls at once are one", async () => {
  const { facilitator, refundsOf } = startRefundFacilitator(shop);
  const id = await sell(200n);
  const payBack = createBalanceRefund({ ...shop, facilitator, signer });
  await Promise.all(Array.from({ length: 8 }, () => payBack(id)));
  for (const [payment, amount] of [
    ["stl_03", paid],
    ["stl_01", paid],
    ["stl_02", 800n],
  ] as const) {
    expect(refundsOf(payment)).toMatchObject([{ ordinal: 0, amount }]);
  }
  expect(await shop.leftIn(id)).toBe(0n);
});

test.each([false, true])(
  "a call whose process dies at any step, done before: %s",
  async (isDone) => {
    let isOver = false;
    for (let nth = 1; !isOver; nth++) {
      shop = openRefundShop();
      const { facilitator, calls, refundsOf, state } = startRefundFacilitator(shop);
      state.minAmount = 500n;
      const id = await sell(1_600n);
      const { deps, hasDied } = dieAt(nth, isDone, shop, { calls });
      await createBalanceRefund(deps)(id).catch(() => undefined);
      isOver = !hasDied();
      await createBalanceRefund({ ...shop, facilitator, signer })(id);
      // The minimum does not allow 1000 and 400.
      const sums = ["stl_03", "stl_01", "stl_02"].map((payment) => refundsOf(payment));
      const amounts = sums.map((refunds) => refunds.map(({ amount }) => amount));
      expect([nth, ...amounts]).toEqual([nth, [900n], [500n], []]);
      expect([nth, await shop.leftIn(id)]).toEqual([nth, 0n]);
    }
  },
);

test("refunds of single payments come before, and a begun one is continued", async () => {
  const { facilitator, calls } = startRefundFacilitator(shop);
  const id = await sell(0n);
  const refund = createRefund({ ...shop, facilitator, signer });
  await refund("stl_03", 400n);
  const dying = createRefund(dieAt(3, true, shop, { calls }).deps);
  await expect(dying("stl_01", 300n)).rejects.toThrow(/died/);
  const outcome = await createBalanceRefund({ ...shop, facilitator, signer })(id);
  expect(partsOf(outcome)).toEqual(["stl_01 300", "stl_03 600", "stl_02 1000"]);
  // A second refund of one payment in a call would be needed for the rest.
  expect(outcome).toMatchObject({ amount: "1900", left: "700" });
  expect(await shop.leftIn(id)).toBe(700n);
});

test("what cannot go back stays in the balance", async () => {
  const { facilitator, state } = startRefundFacilitator(shop);
  state.minAmount = 500n;
  const { id } = await shop.topUp("stl_01");
  await shop.spend(id, 700n);
  const payBack = createBalanceRefund({ ...shop, facilitator, signer });
  const tooSmall = { kind: "refused", code: "amount_below_minimum" };
  expect(await payBack(id)).toMatchObject({
    refunds: [{ settlementId: "stl_01", outcome: tooSmall }],
    amount: "0",
    left: "300",
  });
  expect(await shop.leftIn(id)).toBe(300n);
  expect(await payBack("unknown")).toEqual({ kind: "not_found" });
  const unsigned = createBalanceRefund({ ...shop, facilitator, signer: undefined });
  expect(await unsigned(id)).toMatchObject({ kind: "refused", code: "no_signer" });
});

test("a top-up that waits for its payment to be final goes back once it is", async () => {
  const { facilitator, state } = startRefundFacilitator(shop);
  state.finalAtMs = shop.clock.now() + 5_000;
  const { id } = await shop.topUp("stl_01", 900n);
  const payBack = createBalanceRefund({ ...shop, facilitator, signer });
  const notFinal = { kind: "refused", code: "settlement_not_refundable" };
  expect(await payBack(id)).toMatchObject({ refunds: [{ outcome: notFinal }], left: "100" });
  expect(await payBack(id, { waitMs: 9_000 })).toMatchObject({ amount: "1000", left: "0" });
});

const late = { kind: "fault", reason: "timed_out", message: "late" } as const;

test("a refund that was sent stays debited while its payment is not final any more", async () => {
  const { calls, facilitator, state, refundsOf } = startRefundFacilitator(shop);
  const { id } = await shop.topUp("stl_01");
  const losing = { refunds: { ...calls, send: async () => late } };
  const first = await createBalanceRefund({ ...shop, facilitator: losing, signer })(id);
  expect(partsOf(first)).toEqual(["stl_01 fault"]);
  state.finalAtMs = shop.clock.now() + 5_000;
  const payBack = createBalanceRefund({ ...shop, facilitator, signer });
  expect(partsOf(await payBack(id))).toEqual(["stl_01 refused"]);
  // Its signature is out, so the buyer cannot spend the money as well.
  expect([await shop.leftIn(id), refundsOf("stl_01")]).toEqual([0n, []]);
  await shop.clock.sleep(5_000);
  expect(partsOf(await payBack(id))).toEqual(["stl_01 1000"]);
});

test("nothing goes back over a payment that has failed", async () => {
  const { facilitator } = startRefundFacilitator(shop);
  const { id } = await shop.topUp("stl_03", paid);
  const [failed] = (await shop.records.refunds.heldIn(id))?.topUps ?? [];
  await shop.records.balances.settleTopUp(id, failed?.key ?? "", "void");
  await shop.topUp("stl_01");
  const outcome = await createBalanceRefund({ ...shop, facilitator, signer })(id);
  expect(partsOf(outcome)).toEqual(["stl_01 1000"]);
});

test.each([
  { rests: [1_000n, 1_000n], left: 1_400n, amounts: [900n, 500n] },
  { rests: [100n, 1_000n], left: 500n, amounts: [0n, 500n] },
  { rests: [1_000n, 300n], left: 1_300n, amounts: [1_000n, 300n] },
  { rests: [1_000n, 300n], left: 1_200n, amounts: [900n, 300n] },
  { rests: [1_000n, 1_000n], left: 1_000n, amounts: [1_000n, 0n] },
  { rests: [600n, 1_000n], left: 700n, amounts: [0n, 700n] },
  { rests: [600n, 600n], left: 800n, amounts: [600n, 200n] },
  { rests: [1_000n], left: 300n, amounts: [300n] },
  { rests: [], left: 300n, amounts: [] },
])("splits $left, where a part has at least 500", ({ rests, left, amounts }) => {
  const payments = rests.map((rest) => ({ rest, minAmount: 500n }));
  expect(splitRefund(left, payments)).toEqual(amounts);
});

test("a facilitator that names another wallet for a top-up gets no signature", async () => {
  const payer = `0x${"99".repeat(20)}` as const;
  const { facilitator, refundsOf } = startRefundFacilitator(shop, { payer });
  const id = await sell(400n);
  const outcome = await createBalanceRefund({ ...shop, facilitator, signer })(id);
  expect(outcome).toMatchObject({ kind: "balance", amount: "0" });
  expect(partsOf(outcome)).toEqual(["stl_03 refused", "stl_01 refused", "stl_02 refused"]);
  expect(refundsOf("stl_01")).toEqual([]);
});

test("a facilitator that falls silent gets no second refund to lose, and a repeat completes the first", async () => {
  const { facilitator, refundsOf, state } = startRefundFacilitator(shop);
  const id = await sell(600n);
  const payBack = createBalanceRefund({ ...shop, facilitator, signer });
  state.lose = true;
  const lost = await payBack(id);
  expect(partsOf(lost)).toEqual(["stl_03 fault"]);
  expect(lost).toMatchObject({ amount: "0" });
  expect(refundsOf("stl_01")).toEqual([]);
  state.lose = false;
  // The first line is the refund that was made and not told.
  expect(partsOf(await payBack(id))).toEqual(["stl_03 1000", "stl_01 1000", "stl_02 400"]);
  expect(refundsOf("stl_03")).toHaveLength(1);
  expect(await shop.leftIn(id)).toBe(0n);
});

test.each([
  { found: { kind: "fault", reason: "timed_out", message: "late" }, told: "fault" },
  { found: { kind: "account", code: "unauthorized", message: "" }, told: "account" },
] as const)(
  "nothing goes back while the facilitator answers with $told",
  async ({ found, told }) => {
    const { calls, refundsOf } = startRefundFacilitator(shop);
    const id = await sell(0n);
    const facilitator = { refunds: { ...calls, find: async () => found } };
    const outcome = await createBalanceRefund({ ...shop, facilitator, signer })(id);
    expect(outcome.kind).toBe(told);
    expect(refundsOf("stl_03")).toEqual([]);
    expect(await shop.leftIn(id)).toBe(3_000n);
  },
);

test("a payment that the facilitator has forgotten leaves its money to the others", async () => {
  const { calls } = startRefundFacilitator(shop);
  const id = await sell(0n);
  const find: typeof calls.find = async (settlement, limit) =>
    settlement === "stl_03" ? { kind: "not_found" } : calls.find(settlement, limit);
  const payBack = createBalanceRefund({
    ...shop,
    facilitator: { refunds: { ...calls, find } },
    signer,
  });
  const outcome = await payBack(id);
  expect(partsOf(outcome)).toEqual(["stl_01 1000", "stl_02 1000"]);
  expect(outcome).toMatchObject({ amount: "2000", left: "1000" });
});

test("what the buyer spends before the debit does not go back", async () => {
  const { calls, refundsOf } = startRefundFacilitator(shop);
  const { id } = await shop.topUp("stl_01");
  const find: typeof calls.find = async (...asked) => {
    await shop.spend(id, paid);
    return calls.find(...asked);
  };
  const deps = { ...shop, facilitator: { refunds: { ...calls, find } }, signer };
  expect(await createBalanceRefund(deps)(id)).toEqual({
    kind: "balance",
    refunds: [],
    amount: "0",
    left: "0",
  });
  expect(await createRefund(deps)("stl_01")).toMatchObject({ code: "balance_spent" });
  expect(refundsOf("stl_01")).toEqual([]);
});
