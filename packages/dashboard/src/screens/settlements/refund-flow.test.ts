/** Refunds from the dashboard: what is offered, what is signed, and what is sent again. */
import { parseRefund, refundNonce, apothem, type SettleResponse } from "@farthing/protocol";
import type { RefundJson, SettlementDetail } from "@farthing/facilitator/api";
import { expect, test } from "vitest";
import { ApiProblem } from "../../api/call.ts";
import { createRefundFlow, readRefundAmount, refundOffer } from "./refund-flow.ts";

const payer = "0x0000000000000000000000000000000000000011";
const payTo = "0x0000000000000000000000000000000000000022";
const nonce = `0x${"07".repeat(32)}` as const;
const signature = `0x${"11".repeat(65)}` as const;
const nowMs = 1_800_000_000_000;

const final: SettlementDetail = {
  id: `stl_${"0".repeat(32)}`,
  state: "confirmed",
  network: apothem.id,
  payer,
  payTo,
  amount: "10000",
  transaction: null,
  keyId: null,
  credits: 1,
  createdAt: "2027-01-15T08:00:00.000Z",
  confirmedAt: "2027-01-15T08:00:02.000Z",
  finalizedAt: "2027-01-15T08:00:08.000Z",
  failure: null,
  resource: null,
  route: null,
  reference: null,
  refundOf: null,
  recoveredAt: null,
  refunds: [],
  refundedAmount: "0",
  minRefundAmount: "1000",
  asset: apothem.usdc,
  nonce,
  timeline: [],
  gasUsed: null,
  gasPaidWei: null,
  sharedBy: null,
  blockNumber: null,
  logIndex: null,
  settledBy: null,
  requestId: null,
  failureMessage: null,
  nextStep: null,
  explorer: null,
};

const refund = (ordinal: number, state: RefundJson["state"], amount: string): RefundJson => ({
  id: `stl_${`${ordinal + 1}`.repeat(32)}`,
  ordinal,
  state,
  amount,
  transaction: null,
  finalized: false,
});

/** The payment with refunds, as the service shows it. */
const refunded = (refundedAmount: string, ...refunds: RefundJson[]): SettlementDetail => ({
  ...final,
  refunds,
  refundedAmount,
});

test.each([
  ["a final payment", final, 10_000n],
  ["the rest", refunded("4000", refund(0, "queued", "4000")), 6_000n],
  [
    "a failed part once more",
    refunded("4000", refund(0, "confirmed", "4000"), refund(1, "failed", "500")),
    500n,
  ],
  [
    "no more than the rest",
    refunded("9000", refund(0, "failed", "5000"), refund(1, "confirmed", "9000")),
    1_000n,
  ],
  ["nothing before finality", { ...final, finalizedAt: null }, undefined],
  ["nothing of what opened a pass", { ...final, opens: "pass" as const }, undefined],
  ["nothing of a refund", { ...final, refundOf: final.id }, undefined],
  ["nothing of what is returned", refunded("10000", refund(0, "confirmed", "10000")), undefined],
  [
    "nothing after three",
    refunded("3", refund(0, "confirmed", "1"), refund(1, "queued", "1"), refund(2, "queued", "1")),
    undefined,
  ],
])("offers %s", (_name, settlement: SettlementDetail, amount) => {
  expect(refundOffer(settlement)?.amount).toBe(amount);
});

const payment = offerOf(final);

function offerOf(settlement: SettlementDetail) {
  const offer = refundOffer(settlement);
  if (!offer) throw new Error("Nothing is offered.");
  return offer.payment;
}

test.each([
  ["0.004", 4_000n],
  ["0.01", 10_000n],
  ["0", "More than zero"],
  ["0.010001", "At most 0.01 USDC"],
  ["-1", expect.stringMatching(/six decimals/)],
  ["0.0000001", expect.stringMatching(/six decimals/)],
  ["", expect.stringMatching(/six decimals/)],
  ["0.0009", expect.stringMatching(/At least 0.001 USDC, or all 0.01 USDC/)],
])("reads the amount %j", (text, read) => {
  expect(readRefundAmount(text, payment)).toEqual(read);
});

const pending: SettleResponse = {
  success: false,
  status: "pending",
  transaction: "",
  network: apothem.id,
};

const problem = (status: number) =>
  new ApiProblem({ status, code: "x", message: "", requestId: "", retryable: false });

/** A flow whose service responds with these in turn; `sent` are the bodies. */
function openFlow(responses: (SettleResponse | Error)[], settlement = final) {
  const sent: unknown[] = [];
  const typed: unknown[] = [];
  const flow = createRefundFlow({
    read: async () => settlement,
    send: async (body) => {
      sent.push(body);
      const response = responses.shift();
      if (!response || response instanceof Error) throw response ?? new Error("Not expected.");
      return response;
    },
    now: () => nowMs,
  });
  const run = (amount: bigint) =>
    flow.run(
      payment,
      amount,
      async (_payment, typedData) => {
        typed.push(typedData);
        return signature;
      },
      () => {},
    );
  return { flow, run, sent, typed };
}

test("the wallet signs the next refund, to the payer, and the service gets it", async () => {
  const { run, sent, typed } = openFlow([pending]);
  expect(await run(4_000n)).toBe("pending");
  const [body] = sent;
  expect(parseRefund(body)).toEqual({
    ok: true,
    value: {
      settlementId: final.id,
      signature,
      authorization: {
        from: payTo,
        to: payer,
        value: 4_000n,
        validAfter: 0n,
        validBefore: BigInt(nowMs / 1000) + 600n,
        nonce: refundNonce(payment, 0),
      },
    },
  });
  expect(JSON.parse(JSON.stringify(typed))).toMatchObject([
    {
      domain: { chainId: 51, verifyingContract: apothem.usdc },
      primaryType: "TransferWithAuthorization",
      types: { EIP712Domain: [{}, {}, {}, {}] },
      message: { from: payTo, to: payer, value: "4000" },
    },
  ]);
});

test.each([
  ["no response", problem(0)],
  ["a fault of the service", problem(503)],
])("after %s the same signature is sent again, whatever the amount", async (_name, failure) => {
  const { flow, run, sent, typed } = openFlow([failure, { ...pending, status: "confirmed" }]);
  await expect(run(4_000n)).rejects.toBe(failure);
  expect(flow.isUnanswered()).toBe(true);
  await run(10_000n);
  expect(sent[1]).toEqual(sent[0]);
  expect(typed).toHaveLength(1);
  expect(flow.isUnanswered()).toBe(false);
});

test("after a refusal the wallet signs anew", async () => {
  const failed = {
    ...pending,
    status: "failed",
    errorReason: "insufficient_funds",
    errorMessage: "Too little USDC.",
  } as const;
  const { flow, run, sent, typed } = openFlow([problem(402), failed, pending]);
  await expect(run(10_000n)).rejects.toMatchObject({ details: { status: 402 } });
  await expect(run(10_000n)).rejects.toMatchObject({
    message: "Too little USDC.",
    details: { code: "insufficient_funds" },
  });
  expect(flow.isUnanswered()).toBe(false);
  await run(5_000n);
  expect(typed).toHaveLength(3);
  expect(sent[2]).toMatchObject({ authorization: { value: "5000" } });
});

test("a payment that was refunded meanwhile is not signed", async () => {
  const { run, sent, typed } = openFlow([], refunded("4000", refund(0, "queued", "4000")));
  await expect(run(4_000n)).rejects.toMatchObject({ details: { code: "refund_mismatch" } });
  expect([sent, typed]).toEqual([[], []]);
});
