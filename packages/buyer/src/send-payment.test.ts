/** One test for each row of the table in read-paid-response.ts, over real HTTP, and its rules. */
import { encodeHeader, headerNames } from "@farthing/protocol";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "./buyer-bench.testing.ts";
import { UnansweredPaymentError } from "./payment-summary.ts";
import { retryAfterSeconds } from "./send-payment.ts";
import {
  challenge,
  otherPayee,
  receiptHeader,
  served,
  startSeller,
  transaction,
  type Answer,
  type ScriptedSeller,
} from "./scripted-seller.testing.ts";

const pending = { success: false, errorReason: "settlement_pending" };
const failed = { success: false, errorReason: "insufficient_funds" };
const json = { "Content-Type": "application/json" };
const settleBody = { payer: otherPayee, transaction, network: "eip155:50" };

const uncharged: Answer = {
  status: 504,
  headers: json,
  body: JSON.stringify({ error: "not_charged", message: "Too slow.", retryable: true }),
};

interface RowTest {
  readonly name: string;
  readonly answers: readonly Answer[];
  readonly state: "settled" | "pending" | "ambiguous";
  /** How often the payment goes out. */
  readonly sends: number;
  readonly status: number;
  readonly code?: string;
}

/** The first answers of the seller, and what comes of them. */
const table: readonly RowTest[] = [
  { name: "2xx with a receipt", answers: [served()], state: "settled", sends: 1, status: 200 },
  {
    name: "2xx without a receipt",
    answers: [{ body: "content" }],
    state: "ambiguous",
    sends: 1,
    status: 200,
    code: "receipt_missing",
  },
  {
    name: "2xx with a receipt that cannot be read",
    answers: [{ headers: { "PAYMENT-RESPONSE": "%%%" }, body: "content" }],
    state: "ambiguous",
    sends: 1,
    status: 200,
    code: "receipt_missing",
  },
  {
    name: "a receipt of another amount",
    answers: [served({ amount: "99999" })],
    state: "ambiguous",
    sends: 1,
    status: 200,
    code: "receipt_mismatch",
  },
  {
    name: "a receipt of another payer",
    answers: [served({ payer: otherPayee })],
    state: "ambiguous",
    sends: 1,
    status: 200,
    code: "receipt_mismatch",
  },
  {
    name: "a receipt of another network",
    answers: [served({ network: "eip155:51" })],
    state: "ambiguous",
    sends: 1,
    status: 200,
    code: "receipt_mismatch",
  },
  {
    name: "a receipt without a transaction",
    answers: [served({ transaction: "" })],
    state: "ambiguous",
    sends: 1,
    status: 200,
    code: "receipt_mismatch",
  },
  {
    name: "a success in the body alone proves nothing",
    answers: [{ headers: json, body: JSON.stringify({ success: true, ...settleBody }) }],
    state: "ambiguous",
    sends: 1,
    status: 200,
    code: "receipt_missing",
  },
  ...[200, 202, 402, 500].map((status) => ({
    name: `pending in the header, status ${status}`,
    answers: [
      { status, headers: receiptHeader(pending) },
      { status, headers: receiptHeader(pending) },
      served(),
    ],
    state: "settled" as const,
    sends: 3,
    status: 200,
  })),
  ...[200, 202, 402, 500].map((status) => ({
    name: `pending in the body, status ${status}`,
    answers: [
      { status, headers: json, body: JSON.stringify({ ...pending, ...settleBody }) },
      served(),
    ],
    state: "settled" as const,
    sends: 2,
    status: 200,
  })),
  {
    name: "402 with a failed receipt, then content",
    answers: [{ status: 402, headers: receiptHeader(failed) }, served()],
    state: "settled",
    sends: 2,
    status: 200,
  },
  {
    name: "402 with a failed receipt, again and again",
    answers: [{ status: 402, headers: receiptHeader(failed), body: "{}" }],
    state: "ambiguous",
    sends: 2,
    status: 402,
    code: "payment_refused",
  },
  {
    name: "402 with a new challenge, then content",
    answers: [challenge(), challenge(), served()],
    state: "settled",
    sends: 3,
    status: 200,
  },
  {
    name: "402 with a new challenge, again and again",
    answers: [challenge()],
    state: "ambiguous",
    sends: 3,
    status: 402,
    code: "payment_refused",
  },
  {
    name: "409",
    answers: [{ status: 409 }],
    state: "ambiguous",
    sends: 1,
    status: 409,
    code: "request_conflict",
  },
  ...[425, 429, 503].map((status) => ({
    name: `${status} with Retry-After`,
    answers: [{ status, headers: { "Retry-After": "9" } }, served()],
    state: "settled" as const,
    sends: 2,
    status: 200,
  })),
  {
    name: "another 4xx",
    answers: [{ status: 404, body: "nothing here" }],
    state: "ambiguous",
    sends: 1,
    status: 404,
    code: "seller_error",
  },
  {
    name: "4xx with a receipt",
    answers: [{ ...served(), status: 404 }],
    state: "settled",
    sends: 1,
    status: 404,
  },
  {
    name: "5xx, then content",
    answers: [{ status: 500 }, { status: 502 }, served()],
    state: "settled",
    sends: 3,
    status: 200,
  },
  {
    name: "5xx that says nothing was charged, then content",
    answers: [uncharged, uncharged, served()],
    state: "settled",
    sends: 3,
    status: 200,
  },
  {
    name: "5xx that says nothing was charged, again and again",
    answers: [uncharged],
    // A seller's word, which proves nothing: the authorization can still be used.
    state: "ambiguous",
    sends: 3,
    status: 504,
    code: "not_charged",
  },
  {
    name: "5xx whose header says the same",
    answers: [{ status: 500, headers: { "X-Payment-Charged": "no" }, body: "broken" }],
    state: "ambiguous",
    sends: 3,
    status: 500,
    code: "not_charged",
  },
  {
    name: "a cut connection, then content",
    answers: [{ cut: "before" }, served()],
    state: "settled",
    sends: 2,
    status: 200,
  },
  {
    name: "a cut in the body, then content",
    answers: [{ ...served(), cut: "body" }, served()],
    state: "settled",
    sends: 2,
    status: 200,
  },
  {
    name: "no answer in time, then content",
    answers: [{ hang: true }, served()],
    state: "settled",
    sends: 2,
    status: 200,
  },
  {
    name: "a redirect",
    answers: [{ status: 307, headers: { Location: "/elsewhere" } }],
    state: "ambiguous",
    sends: 1,
    status: 307,
    code: "redirected",
  },
];

test.each(table)("$name: $state after $sends", async (row) => {
  await using seller = await startSeller({ paid: row.answers });
  // Long enough for a loopback answer on a busy machine, short enough for the one that hangs.
  const { pay, signer, ledger, events } = buyerBench({ answerTimeoutMs: 500 });
  const payment = { requestId: "the-request" };
  const response = await pay(seller.url, { method: "POST", body: "same", payment });
  // Who watches the payment learns why it is sent again.
  expect(events.filter(({ type }) => type === "resending")).toHaveLength(row.sends - 1);
  expect(response.status).toBe(row.status);
  expect(response.payment.state).toBe(row.state);
  expect("problem" in response.payment ? response.payment.problem?.error : undefined).toBe(
    row.code,
  );
  expect(seller.paid).toHaveLength(row.sends);
  expect(signer.count).toBe(1);
  expectSameBytes(seller);
  const record = await ledger.find("the-request");
  expect(record?.state).toBe(row.state === "settled" ? "settled" : "ambiguous");
});

function expectSameBytes(seller: ScriptedSeller): void {
  const sent = seller.paid.map(({ method, path, body, paymentHeader }) => [
    method,
    path,
    body,
    paymentHeader,
  ]);
  expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
}

test("the content of an answer that was judged is still all there", async () => {
  const body = JSON.stringify({ answer: 42 });
  await using seller = await startSeller({ paid: [{ headers: json, body }] });
  const response = await buyerBench().pay(seller.url);
  expect(await response.text()).toBe(body);
});

test("waits 1, 2, 4, 8, 8 s, longer when asked, and stops before the payment expires", async () => {
  const busy = { status: 503 };
  await using seller = await startSeller({
    paid: [busy, busy, busy, busy, { status: 503, headers: { "Retry-After": "20" } }, busy],
  });
  const { pay, clock } = buyerBench();
  const response = await pay(seller.url);
  // The payment lives for 60 s: 1+2+4+8+20+8+8 = 51, and another 8 s would be 59; then it is over.
  expect(clock.waits).toEqual([1, 2, 4, 8, 20, 8, 8, 8]);
  expect(response.status).toBe(503);
  expect(response.payment).toMatchObject({
    state: "ambiguous",
    problem: { error: "seller_unavailable", payment_state: "in_flight", retryable: true },
  });
});

test("a Retry-After beyond the payment's life is reported, and the payment can be sent again", async () => {
  const body = JSON.stringify({ error: "rate_limited", message: "1 request a minute." });
  const headers = { ...json, "Retry-After": "3600" };
  await using seller = await startSeller({ paid: [{ status: 429, headers, body }, served()] });
  const { pay, clock, signer } = buyerBench();
  const payment = { requestId: "the-request" };
  const response = await pay(seller.url, { payment });
  expect(clock.waits).toEqual([]);
  expect(response.payment).toMatchObject({
    problem: {
      error: "seller_unavailable",
      message: expect.stringContaining("(1 request a minute.)"),
      retry_action: "retry_same_payment",
      retry_after_seconds: 3600,
    },
  });
  const again = await pay(seller.url, { payment });
  expect([again.status, again.payment.state, signer.count]).toEqual([200, "settled", 1]);
  expectSameBytes(seller);
});

test("pending until the end is pending, with the hash the seller named", async () => {
  await using seller = await startSeller({
    paid: [{ status: 402, headers: receiptHeader(pending) }],
  });
  const { pay, signer } = buyerBench();
  const response = await pay(seller.url);
  expect(response.payment).toMatchObject({
    state: "pending",
    transaction,
    problem: { error: "settlement_pending", retry_action: "retry_same_payment" },
  });
  expect(signer.count).toBe(1);
});

test("settled stays settled when the content is lost and the seller then refuses the resend", async () => {
  await using seller = await startSeller({ paid: [{ ...served(), cut: "body" }, challenge()] });
  const { pay } = buyerBench();
  const response = await pay(seller.url);
  expect(response.status).toBe(402);
  expect(response.payment).toMatchObject({ state: "settled", transaction });
});

test("a seller that never answers gives an error that says what is at stake", async () => {
  await using seller = await startSeller({ paid: [{ cut: "before" }] });
  const { pay, signer, clock } = buyerBench();
  const clockStart = clock.time;
  const error = await paymentErrorOf(pay(seller.url));
  expect(error).toBeInstanceOf(UnansweredPaymentError);
  expect(error.problem).toMatchObject({
    error: "no_answer",
    payment_state: "in_flight",
    retry_action: "retry_same_payment",
  });
  const expiry = Date.parse(error.problem.authorization_expires_at ?? "");
  expect(expiry).toBe(clockStart + 60_000);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    ...error.problem,
    requestId: error.requestId,
  });
  expect(signer.count).toBe(1);
});

test("the caller's signal stops the waiting; the payment stays in flight", async () => {
  await using seller = await startSeller({ paid: [{ status: 503 }] });
  const { pay, clock, ledger } = buyerBench();
  const stop = new AbortController();
  clock.sleep = () => {
    stop.abort(new Error("enough"));
    return Promise.reject(new Error("enough"));
  };
  const call = pay(seller.url, { signal: stop.signal, payment: { requestId: "r" } });
  const error = await paymentErrorOf(call);
  expect(error.problem).toMatchObject({ error: "interrupted", payment_state: "in_flight" });
  expect((await ledger.find("r"))?.state).toBe("ambiguous");
});

test("what a seller says is cleaned before it is repeated", async () => {
  const error = `bad \u001b[31m\u0007${"x".repeat(500)}`;
  const header = encodeHeader({ x402Version: 2, error, accepts: [] });
  await using seller = await startSeller({
    paid: [{ status: 402, headers: { [headerNames.paymentRequired]: header } }],
  });
  const response = await buyerBench().pay(seller.url);
  const message = "problem" in response.payment ? (response.payment.problem?.message ?? "") : "";
  expect(message).toMatch(/bad +\[31m/);
  expect(message).not.toMatch(/\p{Cc}/u);
  expect(message.length).toBeLessThan(400);
});

test.each([
  ["7", 7],
  ["Thu, 01 Jan 1970 00:00:30 GMT", 20],
  ["Thu, 01 Jan 1970 00:00:01 GMT", 0],
  ["-5", undefined],
  ["soon", undefined],
  ["9999999999999", undefined],
])("Retry-After %s", (text, seconds) => {
  const response = new Response(null, { headers: { "Retry-After": text } });
  expect(retryAfterSeconds(response, 10_000)).toBe(seconds);
});
