/** `seller.refund` of what passes and balances were bought with, also where a process dies. */
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
import { createRefund } from "./refund.ts";

let shop: RefundShop;
beforeEach(() => {
  shop = openRefundShop();
});

test("refunds of several payments of one balance, at once, return what is left of it", async () => {
  const { facilitator, sumOf, refundsOf } = startRefundFacilitator(shop);
  const { id } = await shop.topUp("stl_01");
  await shop.topUp("stl_02");
  await shop.spend(id, 600n);
  const refund = createRefund({ ...shop, facilitator, signer });
  const calls = ["stl_01", "stl_02", "stl_01", "stl_02"].map((payment) => refund(payment));
  const amounts = (await Promise.all(calls)).map(amountOf);
  expect(amounts.slice(0, 2).toSorted()).toEqual(["1000", "400"]);
  expect(amounts.slice(2)).toEqual(amounts.slice(0, 2));
  expect([sumOf("stl_01") + sumOf("stl_02"), await shop.leftIn(id)]).toEqual([1_400n, 0n]);
  expect([refundsOf("stl_01").length, refundsOf("stl_02").length]).toEqual([1, 1]);
});

test.each([false, true])("a process that dies at any step, done before: %s", async (isDone) => {
  const { facilitator, calls, sumOf } = startRefundFacilitator(shop);
  let hasDied = true;
  for (let nth = 1; hasDied; nth++) {
    const payment = `stl_${nth.toString().padStart(2, "0")}`;
    const { id } = await shop.topUp(payment);
    await shop.spend(id, 600n);
    const { deps, hasDied: isDead } = dieAt(nth, isDone, shop, { calls });
    const dying = createRefund(deps);
    const first = await dying(payment).catch(() => undefined);
    hasDied = isDead();
    // What is left of all payments: each round pays 1000 and spends 600 of them once.
    const refund = createRefund({ ...shop, facilitator, signer });
    const again = first ?? (await refund(payment));
    const amount = nth === 1 ? 400n : 1_000n;
    // A process that dies after its last step has noted that its caller knows.
    const isNoted = isDone && nth === 6 && hasDied;
    expect([nth, amountOf(again)]).toEqual([nth, isNoted ? "refused" : `${amount}`]);
    expect([nth, sumOf(payment)]).toEqual([nth, amount]);
    expect([nth, await shop.leftIn(id)]).toEqual([nth, 0n]);
  }
});

test("a call without an outcome is repeated, and one with an outcome is not", async () => {
  const { facilitator, state, refundsOf } = startRefundFacilitator(shop);
  const refund = createRefund({ ...shop, facilitator, signer });
  state.lose = true;
  expect((await refund("stl_01", 400n)).kind).toBe("fault");
  state.lose = false;
  const other = createRefund({ ...shop, facilitator, signer });
  const repeated = await other("stl_01", 400n);
  expect(repeated).toMatchObject({ kind: "refund", status: "confirmed", id: "stl_01/0" });
  expect(await refund("stl_01", 400n)).toMatchObject({ kind: "refund", id: "stl_01/1" });
  expect(await refund("stl_01")).toMatchObject({ kind: "refund", amount: "200" });
  expect(await refund("stl_02", 300n)).toMatchObject({ kind: "refund", id: "stl_02/0" });
  expect(await refund("stl_02", 300n)).toMatchObject({ kind: "refund", id: "stl_02/1" });
  expect(refundsOf("stl_01").map(({ amount }) => amount)).toEqual([400n, 400n, 200n]);
});

test("what was sold elsewhere is not refunded behind the back of its store", async () => {
  const { facilitator, refundsOf } = startRefundFacilitator(shop, { opens: "balance" });
  const alone = createRefund({ ...shop, facilitator, signer, isOwnStore: true });
  expect(await alone("stl_01")).toMatchObject({ kind: "refused", code: "sale_not_here" });
  expect(refundsOf("stl_01")).toEqual([]);
  await shop.topUp("stl_02");
  expect(await alone("stl_02")).toMatchObject({ kind: "refund", amount: "1000" });
  // A store that the seller shares with the shop that sold has forgotten what is over.
  const shared = createRefund({ ...shop, facilitator, signer, isOwnStore: false });
  expect(await shared("stl_03")).toMatchObject({ kind: "refund", amount: "1000" });
});

test("a refund can wait until its payment is final, which is closed meanwhile", async () => {
  const { facilitator, state, refundsOf } = startRefundFacilitator(shop);
  state.finalAtMs = shop.clock.now() + 10_000;
  const refund = createRefund({ ...shop, facilitator, signer });
  const refused = { kind: "refused", code: "settlement_not_refundable" };
  expect(await refund("stl_01")).toMatchObject(refused);
  await shop.topUp("stl_01");
  expect(await refund("stl_01", undefined, { waitMs: 9_000 })).toMatchObject(refused);
  await expect(shop.topUp("stl_01")).resolves.toMatchObject({ amount: paid });
  await refund("stl_02", undefined, { waitMs: 100 });
  await expect(shop.topUp("stl_02")).rejects.toThrow(/goes back/);
  const done = await refund("stl_01", undefined, { waitMs: 9_000 });
  expect(done).toMatchObject({ kind: "refund", amount: "1000" });
  expect(refundsOf("stl_01")).toHaveLength(1);
});

test("refunds of different amounts at once: the balance is debited what goes back", async () => {
  const { facilitator, sumOf, refundsOf } = startRefundFacilitator(shop);
  const { id } = await shop.topUp("stl_01");
  const refund = createRefund({ ...shop, facilitator, signer });
  const amounts = [300n, 700n, 500n, undefined];
  const outcomes = await Promise.all(amounts.map((amount) => refund("stl_01", amount)));
  const made = outcomes.flatMap((outcome) => (outcome.kind === "refund" ? [outcome.amount] : []));
  expect(new Set(made).size).toBe(1);
  for (const outcome of outcomes) {
    if (outcome.kind !== "refund") expect(outcome).toMatchObject({ code: "refund_begun" });
  }
  expect(refundsOf("stl_01")).toHaveLength(1);
  expect(await shop.leftIn(id)).toBe(paid - sumOf("stl_01"));
});

test.each([true, false])(
  "a refund that is too small leaves balance and pass alone, told of it before: %s",
  async (tellsMin) => {
    const { facilitator, state, refundsOf } = startRefundFacilitator(shop);
    Object.assign(state, { minAmount: 500n, tellsMin });
    const { id } = await shop.topUp("stl_01");
    const refund = createRefund({ ...shop, facilitator, signer });
    const refused = { kind: "refused", code: "amount_below_minimum" };
    for (let nth = 0; nth < 2; nth++) {
      expect(await refund("stl_01", 499n)).toMatchObject(refused);
      expect(await shop.leftIn(id)).toBe(paid);
    }
    expect(amountOf(await refund("stl_01", 500n))).toBe("500");
    await shop.spend(id, 400n);
    // The amount is known only once the balance is looked at.
    await shop.topUp("stl_02");
    await shop.spend(id, 700n, "two");
    expect(await refund("stl_02")).toMatchObject(refused);
    expect(await shop.leftIn(id)).toBe(400n);
    expect(refundsOf("stl_02")).toEqual([]);
  },
);

test("a fourth refund is refused before the balance is debited", async () => {
  const { facilitator } = startRefundFacilitator(shop);
  const { id } = await shop.topUp("stl_01");
  const refund = createRefund({ ...shop, facilitator, signer });
  for (let nth = 0; nth < 3; nth++) expect(amountOf(await refund("stl_01", 100n))).toBe("100");
  const refused = { kind: "refused", code: "refund_limit_reached" };
  expect(await refund("stl_01", 100n)).toMatchObject(refused);
  expect(await shop.leftIn(id)).toBe(paid - 300n);
});

test("a refund that cannot be made ends nothing, also where it would wait", async () => {
  const { facilitator, state } = startRefundFacilitator(shop);
  state.finalAtMs = shop.clock.now() + 10_000;
  const refund = createRefund({ ...shop, facilitator, signer });
  const refused = { kind: "refused", code: "refund_exceeds_payment" };
  expect(await refund("stl_01", paid + 1n, { waitMs: 9_000 })).toMatchObject(refused);
  await expect(shop.topUp("stl_01")).resolves.toMatchObject({ amount: paid });
});

test("a refund that was lost is signed again with a later end once the first has nearly come", async () => {
  const { calls } = startRefundFacilitator(shop);
  const sent: { readonly validBefore: string; readonly value: string }[] = [];
  const send: typeof calls.send = async ({ authorization }) => {
    sent.push(authorization);
    return { kind: "fault", reason: "timed_out", message: "late" };
  };
  const facilitator = { refunds: { ...calls, send } };
  const { id } = await shop.topUp("stl_01");
  const refund = createRefund({ ...shop, facilitator, signer });
  await refund("stl_01");
  // Half a minute before the end that was signed first, which might not reach a block.
  const end = Number(sent[0]?.validBefore) * 1000;
  await shop.clock.sleep(end - 30_000 - shop.clock.now());
  await refund("stl_01");
  expect(sent.map(({ value }) => value)).toEqual([`${paid}`, `${paid}`]);
  expect(Number(sent.at(-1)?.validBefore) * 1000).toBeGreaterThan(end);
  expect(await shop.leftIn(id)).toBe(0n);
});

test("a refund that is refused for now stays debited, and the same call completes it", async () => {
  const { facilitator, state, refundsOf } = startRefundFacilitator(shop);
  const { id } = await shop.topUp("stl_01");
  const refund = createRefund({ ...shop, facilitator, signer });
  state.refuse = "insufficient_funds";
  expect(await refund("stl_01", 400n)).toMatchObject({ kind: "refused", code: state.refuse });
  // Its signature is out, and moves the money once the payee has some.
  expect(await shop.leftIn(id)).toBe(paid - 400n);
  state.refuse = "";
  expect(amountOf(await refund("stl_01", 400n))).toBe("400");
  expect([await shop.leftIn(id), refundsOf("stl_01").length]).toEqual([paid - 400n, 1]);
});
