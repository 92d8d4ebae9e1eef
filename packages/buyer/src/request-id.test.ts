/** One logical request, one signature: calling again, at once or later, never makes a second. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "./buyer-bench.testing.ts";
import { reservedMsMax } from "./chain/reconcile.ts";
import {
  challenge,
  countingSigner,
  oneCent,
  receiptHeader,
  served,
  startSeller,
  type Answer,
} from "./scripted-seller.testing.ts";

const payment = { requestId: "order-1" };

test("calls at once with one id share one payment, and each gets the whole content", async () => {
  await using seller = await startSeller();
  const { pay, signer } = buyerBench();
  const responses = await Promise.all([1, 2, 3].map(() => pay(seller.url, { payment })));
  expect(await Promise.all(responses.map((response) => response.text()))).toEqual([
    "content",
    "content",
    "content",
  ]);
  expect(responses.map((response) => response.payment.state)).toEqual([
    "settled",
    "settled",
    "settled",
  ]);
  expect(signer.count).toBe(1);
  expect(seller.paid).toHaveLength(1);
});

test("after a lost answer the same call sends the same bytes and gets the content", async () => {
  const busy: Answer = { status: 503, headers: { "Retry-After": "3600" } };
  await using seller = await startSeller({ paid: [busy, served()] });
  const { pay, signer } = buyerBench();
  expect((await pay(seller.url, { payment })).payment.state).toBe("ambiguous");
  const again = await pay(seller.url, { payment });
  expect([await again.text(), again.payment.state]).toEqual(["content", "settled"]);
  expect(signer.count).toBe(1);
  expect(seller.paid[1]?.paymentHeader).toBe(seller.paid[0]?.paymentHeader);
  // The second call needs no new price: it goes out with the payment at once.
  expect(seller.requests).toHaveLength(3);
});

test("a settled request that is called again shows the same payment, also after it expired", async () => {
  await using seller = await startSeller();
  const { pay, signer, clock } = buyerBench();
  await pay(seller.url, { payment });
  clock.time += 3_600_000;
  expect((await pay(seller.url, { payment })).payment.state).toBe("settled");
  expect(signer.count).toBe(1);
  expect(new Set(seller.paid.map(({ paymentHeader }) => paymentHeader)).size).toBe(1);
});

test("an expired payment without an outcome is neither sent nor replaced", async () => {
  await using seller = await startSeller({ paid: [{ status: 200 }] });
  const { pay, signer, clock } = buyerBench();
  await pay(seller.url, { payment });
  clock.time += 60_000;
  const error = await paymentErrorOf(pay(seller.url, { payment }));
  expect(error.problem).toMatchObject({
    error: "authorization_expired",
    payment_state: "in_flight",
    retry_action: "human_required",
  });
  expect(signer.count).toBe(1);
  expect(seller.paid).toHaveLength(1);
});

test("an id belongs to method, URL and body", async () => {
  await using seller = await startSeller();
  const { pay, signer } = buyerBench();
  await pay(seller.url, { payment, method: "POST", body: "a" });
  for (const init of [
    { method: "POST", body: "b" },
    { method: "PUT", body: "a" },
  ]) {
    const error = await paymentErrorOf(pay(seller.url, { ...init, payment }));
    expect(error.code).toBe("request_id_conflict");
  }
  const both = [
    pay(seller.url, { payment: { requestId: "x" } }),
    pay(`${seller.url}2`, { payment: { requestId: "x" } }),
  ];
  expect((await paymentErrorOf(Promise.all(both))).code).toBe("request_id_conflict");
  await both[0];
  expect(signer.count).toBe(2);
});

test("a record that was never signed, left by a run that died, is not signed again", async () => {
  await using seller = await startSeller();
  const { pay, ledger, signer } = buyerBench();
  const { pay: other } = buyerBench({
    ledger: { ...ledger, transition: () => Promise.reject(new Error("disk full")) },
  });
  await expect(other(seller.url, { payment })).rejects.toThrow("disk full");
  expect(seller.paid).toHaveLength(0);
  const error = await paymentErrorOf(pay(seller.url, { payment }));
  expect(error.code).toBe("payment_unresolved");
  expect(signer.count).toBe(0);
});

test("what a wallet signs after its reservation was given up does not leave", async () => {
  await using seller = await startSeller();
  const { pay: other, ledger, clock } = buyerBench();
  const slow = countingSigner();
  const { pay } = buyerBench({
    ledger,
    runtime: clock,
    signer: {
      ...slow,
      async signTypedData(typedData) {
        // While the person looks at his wallet, another run tidies up and pays the same order.
        clock.time += reservedMsMax;
        expect(await other.reconcile()).toMatchObject([{ outcome: "released" }]);
        await other(seller.url, { payment });
        return slow.signTypedData(typedData);
      },
    },
  });
  const error = await paymentErrorOf(pay(seller.url, { payment }));
  expect([error.code, error.problem.payment_state]).toEqual(["signing_failed", "unused"]);
  expect(seller.paid).toHaveLength(1);
  expect((await ledger.find("order-1"))?.state).toBe("settled");
});

test("nor does it leave in the place of what another run has reserved meanwhile", async () => {
  let price = 10_000n;
  await using seller = await startSeller({
    unpaid: () => challenge({ ...oneCent, amount: price }),
  });
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const patient = countingSigner();
  const {
    pay: other,
    ledger,
    clock,
  } = buyerBench({
    signer: {
      ...patient,
      async signTypedData(typedData) {
        asked.resolve();
        await answered.promise;
        return patient.signTypedData(typedData);
      },
    },
  });
  const slow = countingSigner();
  let second: Promise<unknown> | undefined;
  const { pay } = buyerBench({
    ledger,
    runtime: clock,
    signer: {
      ...slow,
      async signTypedData(typedData) {
        clock.time += reservedMsMax;
        await other.reconcile();
        price = 5000n;
        second = other(seller.url, { payment });
        await asked.promise;
        return slow.signTypedData(typedData);
      },
    },
  });
  expect((await paymentErrorOf(pay(seller.url, { payment }))).code).toBe("signing_failed");
  answered.resolve();
  await second;
  expect(seller.paid).toHaveLength(1);
  expect(seller.payment().authorization.value).toBe(5000n);
});

test("who stops before the signature has signed nothing", async () => {
  await using seller = await startSeller();
  const stop = new AbortController();
  const { pay, ledger, signer } = buyerBench({
    limits: { askAbove: "0" },
    approve() {
      stop.abort(new Error("stopped"));
      return true;
    },
  });
  await expect(pay(seller.url, { signal: stop.signal })).rejects.toThrow("stopped");
  expect([signer.count, await ledger.list()]).toEqual([0, []]);
});

test("two buyers on one ledger sign once for one id, whichever comes first", async () => {
  await using seller = await startSeller();
  const one = buyerBench();
  const other = buyerBench({ ledger: one.ledger });
  const calls = [one, other].map(({ pay }) => pay(seller.url, { payment }));
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
  expect(one.signer.count + other.signer.count).toBe(1);
  expect(new Set(seller.paid.map(({ paymentHeader }) => paymentHeader)).size).toBe(1);
});

test("with a secret the nonce follows from the request id; without one it is random", async () => {
  await using seller = await startSeller();
  const nonceSecret = new Uint8Array(32).fill(7);
  const calls = [
    { options: { nonceSecret }, id: "a" },
    { options: { nonceSecret }, id: "a" },
    { options: { nonceSecret }, id: "b" },
    { options: {}, id: "a" },
  ];
  for (const { options, id } of calls) {
    // A new buyer each time, as after a crash that lost the ledger.
    await buyerBench(options).pay(seller.url, { payment: { requestId: id } });
  }
  const nonces = calls.map((_, index) => seller.payment(index).authorization.nonce);
  expect(nonces[1]).toBe(nonces[0]);
  expect(new Set(nonces).size).toBe(3);
});

const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
  fc.constant(served()),
  fc.constant(challenge()),
  fc.constantFrom<Answer>({ cut: "before" }, { ...served(), cut: "body" }),
  fc
    .constantFrom(200, 202, 302, 400, 402, 404, 409, 425, 429, 500, 503)
    .map((status) => ({ status })),
  fc
    .constantFrom(
      { success: false, errorReason: "settlement_pending" },
      { success: false, errorReason: "x" },
      { payer: "0x1" },
    )
    .chain((over) =>
      fc.constantFrom(200, 402, 500).map((status) => ({ status, headers: receiptHeader(over) })),
    ),
);

test("whatever the seller answers, however often it is asked, there is one signature", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyAnswer, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      async (paid, calls) => {
        await using seller = await startSeller({ paid });
        const { pay, signer, ledger } = buyerBench();
        let wasSettled = false;
        for (let call = 0; call < calls; call++) {
          await pay(seller.url, { payment }).catch(() => {});
          const state = (await ledger.find("order-1"))?.state;
          // Settled is never taken back, and nothing signed is ever released here.
          if (wasSettled) expect(state).toBe("settled");
          expect(["ambiguous", "settled"]).toContain(state);
          wasSettled = state === "settled";
        }
        expect(signer.count).toBe(1);
        expect(new Set(seller.paid.map(({ paymentHeader }) => paymentHeader)).size).toBe(1);
      },
    ),
    { numRuns: 60 },
  );
});
