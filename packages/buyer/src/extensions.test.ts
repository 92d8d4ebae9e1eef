/** Extensions of third parties in the buyer: what a payment carries, and hooks that refuse it. */
import {
  buildChallenge,
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
} from "@farthing/protocol";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "./buyer-bench.testing.ts";
import type { BuyerExtension } from "./extensions.ts";
import { oneCent, receiptHeader, startSeller, transaction } from "./scripted-seller.testing.ts";

const declared = { info: { order: "required" } };
const received = { info: { place: 3 } };

function challengeWith(extensions: object) {
  const { headers, body } = buildChallenge({
    offers: [oneCent],
    resource: { url: "https://seller.example/r" },
    extensions: { ...extensions },
  });
  return { status: 402, headers, body: JSON.stringify(body) };
}

const script = {
  unpaid: challengeWith({ acme: declared }),
  paid: [{ headers: receiptHeader({ extensions: { acme: received } }), body: "content" }],
};

test("the hooks run in order, and the payment carries what the extension adds", async () => {
  await using seller = await startSeller(script);
  const told: unknown[] = [];
  const tell = (name: string) => (context: object) => void told.push([name, context]);
  const acme: BuyerExtension = {
    key: "acme",
    beforeVerify: tell("beforeVerify"),
    afterVerify: tell("afterVerify"),
    beforeSettle: tell("beforeSettle"),
    extend: (offered) => ({ ...offered, info: { order: "7" } }),
    afterSettle: tell("afterSettle"),
  };
  const undeclared: BuyerExtension = { key: "other", extend: () => ({ info: {} }) };
  const { pay, signer } = buyerBench({ extensions: [acme, undeclared] });
  const response = await pay(seller.url, { payment: { requestId: "order" } });
  expect(await response.text()).toBe("content");
  const quote = expect.objectContaining({ amountUnits: 10_000n });
  expect(told).toEqual([
    ["beforeVerify", { requestId: "order", url: seller.url }],
    ["afterVerify", { quote, declared }],
    ["beforeSettle", { quote, declared }],
    [
      "afterSettle",
      { payment: expect.objectContaining({ state: "settled", transaction }), received },
    ],
  ]);
  const sent = decodeHeader(seller.paid[0]?.paymentHeader ?? "")?.value;
  const { acme: carried, other } = Object(isObject(sent) && sent["extensions"]);
  expect([carried, other, signer.count]).toEqual([{ info: { order: "7" } }, undefined, 1]);
});

test.each(["beforeVerify", "afterVerify", "beforeSettle"] as const)(
  "%s refuses with a reason, and nothing is signed",
  async (name) => {
    await using seller = await startSeller(script);
    const acme: BuyerExtension = { key: "acme", [name]: () => ({ refuse: "Not on Sundays." }) };
    const { pay, signer, ledger } = buyerBench({ extensions: [acme] });
    const error = await paymentErrorOf(pay(seller.url));
    expect([error.code, error.message]).toEqual(["extension_refused", "acme: Not on Sundays."]);
    expect(error.problem).toMatchObject({ payment_state: "unused", retryable: false });
    expect([signer.count, seller.paid.length, (await ledger.list()).length]).toEqual([0, 0, 0]);
  },
);

test("afterSettle withholds a response, and the payment is known as settled", async () => {
  await using seller = await startSeller(script);
  let isRefused = true;
  const acme: BuyerExtension = {
    key: "acme",
    afterSettle: () => (isRefused ? { refuse: "The place is wrong." } : undefined),
  };
  const { pay, signer } = buyerBench({ extensions: [acme] });
  const named = { payment: { requestId: "order" } };
  const error = await paymentErrorOf(pay(seller.url, named));
  expect(error.problem).toMatchObject({ error: "extension_refused", payment_state: "settled" });
  isRefused = false;
  expect(await (await pay(seller.url, named)).text()).toBe("content");
  expect(signer.count).toBe(1);
});

test("a hook that fails stops the payment with its own error", async () => {
  await using seller = await startSeller(script);
  const error = new Error("the register is down");
  const { pay, signer } = buyerBench({
    extensions: [{ key: "acme", beforeSettle: () => Promise.reject(error) }],
  });
  await expect(pay(seller.url)).rejects.toBe(error);
  expect(signer.count).toBe(0);
  const many = Array.from({ length: 9 }, (_, at) => ({ key: `a${at}` }));
  expect(() => buyerBench({ extensions: many })).toThrow(/at most 8/);
});

test("a seller without the extension is paid as ever", async () => {
  const plain = { status: 200, headers: { [headerNames.paymentResponse]: encodeHeader({}) } };
  await using seller = await startSeller({ unpaid: challengeWith({}), paid: [plain] });
  const { pay } = buyerBench({ extensions: [{ key: "acme", extend: () => ({}) }] });
  expect((await pay(seller.url)).status).toBe(200);
});
