/** `seller.refund` with a facilitator that responds as scripted. */
import { apothem, xdc, type RefundablePayment } from "@farthing/protocol";
import { expect, test, vi } from "vitest";
import type { RefundCalls } from "./facilitator.ts";
import { createRefund } from "./refund.ts";
import { systemClock } from "./clock.ts";

const payTo = `0x${"22".repeat(20)}` as const;

const payment: RefundablePayment = {
  network: apothem,
  chainId: apothem.chainId,
  asset: apothem.usdc,
  payer: `0x${"11".repeat(20)}`,
  nonce: `0x${"33".repeat(32)}`,
  payTo,
  rest: 10_000n,
  minAmount: 0n,
  ordinal: 0,
  refunds: [],
  opens: undefined,
  isFinal: true,
};

const signer = { address: payTo, signTypedData: async () => "0x1234" as const };

/** Responses to `send` in their order; the last one is repeated. */
function scripted(
  replies: readonly Awaited<ReturnType<RefundCalls["send"]>>[],
  changes: Partial<RefundablePayment> = {},
) {
  let sent = 0;
  const send = vi.fn<RefundCalls["send"]>(async () => {
    const reply = replies[Math.min(sent++, replies.length - 1)];
    if (!reply) throw new Error("nothing is sent here");
    return reply;
  });
  const found = { kind: "payment" as const, payment: { ...payment, ...changes } };
  return { send, refunds: { send, find: async () => found } };
}

function settled(status: "pending" | "confirmed" | "failed") {
  const id = "stl_2";
  const isOver = status !== "pending";
  const settlement = { success: status === "confirmed", status, id, transaction: "0xab" };
  const problem = { errorReason: "transaction_reverted", errorMessage: "It reverted." };
  return {
    kind: "settlement" as const,
    settlement: {
      ...settlement,
      network: apothem.id,
      ...(isOver && status === "failed" ? problem : {}),
    },
  };
}

const clock = systemClock;

test("a pending refund is asked for again, as the same one", async () => {
  const facilitator = scripted([settled("pending"), settled("confirmed")]);
  const refund = createRefund({ facilitator, signer, clock });
  expect(await refund("stl_1", "0.004")).toEqual({
    kind: "refund",
    status: "confirmed",
    id: "stl_2",
    transaction: "0xab",
    amount: "4000",
  });
  expect(facilitator.send).toHaveBeenCalledTimes(2);
  const [first, second] = facilitator.send.mock.calls;
  expect(second?.[0]).toEqual(first?.[0]);
  expect(first?.[0]).toMatchObject({
    settlementId: "stl_1",
    authorization: { from: payTo, to: payment.payer, value: "4000" },
    signature: "0x1234",
  });
});

test("one that stays open is pending, and one that fails is refused", async () => {
  const open = createRefund({ facilitator: scripted([settled("pending")]), signer, clock });
  expect(await open("stl_1")).toMatchObject({
    kind: "refund",
    status: "pending",
    amount: "10000",
  });
  const failing = createRefund({ facilitator: scripted([settled("failed")]), signer, clock });
  expect(await failing("stl_1")).toEqual({
    kind: "refused",
    code: "transaction_reverted",
    message: "It reverted.",
  });
});

test("what cannot be refunded is not signed", async () => {
  const signTypedData = vi.fn(async () => "0x1234" as const);
  const own = { ...signer, signTypedData };
  const code = async (
    amount: bigint,
    changes: Partial<RefundablePayment> = {},
    by: typeof own | undefined = own,
  ) => {
    const facilitator = scripted([], changes);
    const outcome = await createRefund({ facilitator, signer: by, clock })("stl_1", amount);
    return outcome.kind === "refused" ? outcome.code : outcome.kind;
  };
  expect(await code(10_001n)).toBe("refund_exceeds_payment");
  expect(await code(0n)).toBe("refund_exceeds_payment");
  expect(await code(1n, { isFinal: false })).toBe("settlement_not_refundable");
  expect(await code(1n, { payTo: payment.payer })).toBe("refund_mismatch");
  const without = createRefund({ facilitator: scripted([]), signer: undefined, clock });
  expect(await without("stl_1")).toMatchObject({ kind: "refused", code: "no_signer" });
  const refund = createRefund({ facilitator: scripted([]), signer: own, clock });
  await expect(refund("stl_1", "much")).rejects.toThrow(TypeError);
  expect(signTypedData).not.toHaveBeenCalled();
});

const paid = {
  settlementId: "stl_1",
  payer: payment.payer,
  amount: "10000",
  network: apothem.id,
};
const thief = `0x${"99".repeat(20)}` as const;

test.each([
  ["another payer", { payer: thief }, {}],
  ["another network", { network: xdc, chainId: xdc.chainId, asset: xdc.usdc }, {}],
  ["a larger amount", { rest: 10_001n }, {}],
  ["another payer", {}, { payer: thief }],
  ["a larger amount", {}, { amount: "9999" }],
])("a facilitator that names %s gets no signature", async (what, told, known) => {
  const facilitator = scripted([settled("confirmed")], told);
  const sign = vi.fn<(data: object) => Promise<"0x1234">>(async () => "0x1234");
  const refund = createRefund({ facilitator, clock, signer: { ...signer, signTypedData: sign } });
  const outcome = await refund({ ...paid, ...known });
  expect(outcome).toEqual({
    kind: "refused",
    code: "refund_mismatch",
    message: expect.stringContaining(what),
  });
  expect([sign.mock.calls, facilitator.send.mock.calls]).toEqual([[], []]);
});

test("one that names another payer only while the payment becomes final gets none either", async () => {
  const facilitator = scripted([settled("confirmed")]);
  let finds = 0;
  const find = async () => {
    const told = finds++ === 0 ? { isFinal: false } : { payer: thief };
    return { kind: "payment" as const, payment: { ...payment, ...told } };
  };
  const refunds = { ...facilitator.refunds, find };
  const refund = createRefund({ facilitator: { refunds }, signer, clock });
  expect(await refund(paid, undefined, { waitMs: 5_000 })).toMatchObject({
    kind: "refused",
    code: "refund_mismatch",
  });
  expect(facilitator.send).not.toHaveBeenCalled();
});

test("what the handler got is refunded, also in part, and with an xdc address", async () => {
  const facilitator = scripted([settled("confirmed")], { rest: 4_000n });
  const refund = createRefund({ facilitator, signer, clock });
  const payer = `xdc${payment.payer.slice(2)}`;
  expect(await refund({ ...paid, payer }, "0.001")).toMatchObject({ kind: "refund" });
  await expect(refund({ ...paid, amount: "0.01" })).rejects.toThrow(/base units/);
});
