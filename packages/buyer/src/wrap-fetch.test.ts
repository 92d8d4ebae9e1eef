/** The whole exchange over real HTTP: what is paid, how, and what the caller gets to see. */
import { apothem, authorizationDigest, decodeHeader, xdc } from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "./buyer-bench.testing.ts";
import {
  bodyChallenge,
  challenge,
  oneCent,
  payer,
  payTo,
  served,
  startSeller,
  transaction,
} from "./scripted-seller.testing.ts";

test("a 402 is paid in version 2 and the content comes back with the payment", async () => {
  await using seller = await startSeller();
  const { pay, signer, clock } = buyerBench();
  const response = await pay(seller.url);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("content");
  expect(response.payment).toMatchObject({
    state: "settled",
    amount: "10000",
    amountUsdc: "0.010000",
    payTo,
    payer,
    network: "eip155:50",
    version: 2,
    transaction,
    explorerUrl: `https://xdcscan.com/tx/${transaction}`,
    receipt: { success: true },
  });
  expect(signer.count).toBe(1);
  const payment = seller.payment();
  expect(payment.shape).toBe("v2");
  expect(payment.resource).toMatchObject({ url: "https://seller.example/r" });
  const { authorization } = payment;
  const now = BigInt(clock.time / 1000);
  expect(authorization).toMatchObject({ from: payer, to: payTo, value: 10_000n, validAfter: 0n });
  expect(authorization.validBefore).toBe(now + 60n);
  const signature = Signature.fromHex(payment.signature);
  const payload = authorizationDigest(xdc, authorization);
  expect(Secp256k1.recoverAddress({ payload, signature }).toLowerCase()).toBe(payer.toLowerCase());
});

test("`accepted` is the chosen entry word for word, unknown keys and address case included", async () => {
  const entry = {
    scheme: "exact",
    network: "eip155:50",
    amount: "10000",
    asset: xdc.usdc.toLowerCase(),
    payTo: payTo.toLowerCase(),
    maxTimeoutSeconds: 60,
    extra: { version: "2", name: "USDC", colour: "red" },
    note: "keep me",
  };
  await using seller = await startSeller({ unpaid: bodyChallenge([entry], { x402Version: 2 }) });
  await buyerBench().pay(seller.url);
  expect(JSON.stringify(seller.payment().accepted)).toBe(JSON.stringify(entry));
});

test("a challenge of version 1 alone is paid with X-PAYMENT and the entry's own label", async () => {
  const unpaid = bodyChallenge([
    {
      scheme: "exact",
      network: "xdc-testnet",
      maxAmountRequired: "10000",
      asset: apothem.usdc,
      payTo,
      maxTimeoutSeconds: 60,
      resource: "https://seller.example/r",
      extra: { name: "USDC", version: "2" },
    },
  ]);
  const paid = [served({ network: "xdc-testnet" })];
  await using seller = await startSeller({ unpaid, paid });
  const response = await buyerBench().pay(seller.url);
  expect(response.payment).toMatchObject({ state: "settled", version: 1, network: "eip155:51" });
  const [request] = seller.paid;
  expect(request?.headers["payment-signature"]).toBeUndefined();
  expect(decodeHeader(String(request?.headers["x-payment"]))?.value).toMatchObject({
    x402Version: 1,
    scheme: "exact",
    network: "xdc-testnet",
  });
});

test("of a dual challenge version 2 is paid, or version 1 when that is preferred", async () => {
  await using seller = await startSeller();
  await buyerBench().pay(seller.url);
  await buyerBench({ prefer: "v1" }).pay(seller.url);
  expect([seller.payment(0).version, seller.payment(1).version]).toEqual([2, 1]);
  expect(seller.paid.map(({ headers }) => "x-payment" in headers)).toEqual([false, true]);
});

test("an answer other than 402 comes back as it is, and nothing is signed", async () => {
  await using seller = await startSeller({ unpaid: { status: 418, body: "tea" } });
  const { pay, signer } = buyerBench();
  const response = await pay(seller.url);
  expect([response.status, await response.text()]).toEqual([418, "tea"]);
  expect(response.payment.state).toBe("not_required");
  expect(signer.count).toBe(0);
});

test("validity is cut to 300 s however long the seller asks for", async () => {
  await using seller = await startSeller({
    unpaid: challenge({ ...oneCent, maxTimeoutSeconds: 86_400 }),
  });
  const { pay, clock } = buyerBench();
  await pay(seller.url);
  const { validBefore } = seller.payment().authorization;
  expect(Number(validBefore) - clock.time / 1000).toBe(300);
});

test("method, body and headers of the caller go out with the payment", async () => {
  await using seller = await startSeller();
  await buyerBench().pay(seller.url, {
    method: "POST",
    body: JSON.stringify({ query: "x" }),
    headers: { "Content-Type": "application/json", "X-Own": "1" },
  });
  expect(seller.requests).toHaveLength(2);
  for (const { method, body, headers } of seller.requests) {
    expect([method, body]).toEqual(["POST", '{"query":"x"}']);
    expect([headers["content-type"], headers["x-own"]]).toEqual(["application/json", "1"]);
  }
});

test("a Request object is paid too", async () => {
  await using seller = await startSeller();
  const request = new Request(seller.url, {
    method: "PUT",
    body: "abc",
    headers: { "X-Own": "1" },
  });
  const response = await buyerBench().pay(request);
  expect(response.payment.state).toBe("settled");
  expect(seller.paid[0]).toMatchObject({ method: "PUT", body: "abc" });
  expect(seller.paid[0]?.headers["x-own"]).toBe("1");
});

test("declared extensions are echoed, with one payment id that stays the same on a resend", async () => {
  const declared = { "payment-identifier": { info: { required: false }, schema: {} }, bazaar: {} };
  const accepts = [
    {
      scheme: "exact",
      network: "eip155:50",
      amount: "10000",
      asset: xdc.usdc,
      payTo,
      maxTimeoutSeconds: 60,
    },
  ];
  await using seller = await startSeller({
    unpaid: bodyChallenge(accepts, { x402Version: 2, extensions: declared }),
    paid: [{ status: 503 }, served()],
  });
  await buyerBench().pay(seller.url, { payment: { requestId: "order_0123456789abcdef" } });
  for (const index of [0, 1]) {
    expect(seller.payment(index).extensions).toEqual({
      "payment-identifier": { info: { required: false, id: "order_0123456789abcdef" }, schema: {} },
      bazaar: {},
    });
  }
});

test("a request that already carries a payment is left to whoever made it", async () => {
  await using seller = await startSeller();
  const call = buyerBench().pay(seller.url, { headers: { "payment-signature": "abc" } });
  expect((await paymentErrorOf(call)).code).toBe("payment_header_present");
  expect(seller.requests).toHaveLength(0);
});

test("a Host header of another host is refused: who is asked is who is checked", async () => {
  await using seller = await startSeller();
  const { pay, signer } = buyerBench();
  const headers = { Host: "other.example" };
  const error = await paymentErrorOf(pay(seller.url, { headers }));
  expect([error.code, signer.count, seller.requests]).toEqual(["host_not_allowed", 0, []]);
  const own = await pay(seller.url, { headers: { Host: new URL(seller.url).host } });
  expect(own.payment.state).toBe("settled");
});

test("events tell the story without a signature in it", async () => {
  await using seller = await startSeller();
  const { pay, events } = buyerBench({ limits: { perDay: "0.02" } });
  await pay(seller.url);
  expect(events.map(({ type }) => type)).toEqual([
    "quote",
    "limit_near",
    "signed",
    // The scripted seller names a resource of another address.
    "unbound",
    "sent",
    "settled",
  ]);
  expect(events.find(({ type }) => type === "limit_near")).toMatchObject({ percent: 50 });
  const text = JSON.stringify(events, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  expect(text).not.toContain(seller.payment().signature.slice(2));
});

test("a listener that throws does not cost the answer", async () => {
  await using seller = await startSeller();
  const { pay } = buyerBench({
    onEvent: () => {
      throw new Error("listener");
    },
  });
  expect((await pay(seller.url)).payment.state).toBe("settled");
});

test("quote shows every check and signs nothing", async () => {
  await using seller = await startSeller();
  const { pay, signer } = buyerBench();
  const answer = await pay.quote(seller.url);
  expect(answer.isRequired).toBe(true);
  if (!answer.isRequired) return;
  const { chosen, offers } = answer.quotation;
  expect(chosen?.quote).toMatchObject({ amountUsdc: "0.010000", payTo, version: 2 });
  expect(chosen?.quote.checks.map(({ name }) => name)).toEqual([
    "url",
    "redirect",
    "host",
    "clock",
    "entry",
    "network",
    "asset",
    "domain",
    "flow",
    "payee",
    "pin",
    "amount",
    "per_call",
    "per_day",
    "open_payments",
    "agreed",
    "time",
    "balance",
  ]);
  expect(offers.map(({ offer }) => [offer.source, offer.requirements?.version])).toEqual([
    ["header", 2],
    ["body", 2],
    ["body", 1],
  ]);
  expect(signer.count).toBe(0);
  expect(seller.paid).toHaveLength(0);
});

test("a clock that is a minute off is warned about", async () => {
  await using seller = await startSeller();
  const { pay, clock } = buyerBench();
  clock.time = Date.now() - 60_000;
  const answer = await pay.quote(seller.url);
  const checks = answer.isRequired ? answer.quotation.chosen?.quote.checks : undefined;
  const check = checks?.find(({ name }) => name === "clock");
  expect(check?.verdict).toBe("warn");
  expect(check?.message).toMatch(/^This clock is (59|60|61) s behind/);
});

test("a wallet that refuses leaves no reservation behind", async () => {
  await using seller = await startSeller();
  let answers = 0;
  const { signer } = buyerBench();
  const { pay } = buyerBench({
    limits: { perDay: "0.01" },
    signer: {
      address: payer,
      signTypedData: (typedData) =>
        answers++ === 0 ? Promise.reject(new Error("no")) : signer.signTypedData(typedData),
    },
  });
  const error = await paymentErrorOf(pay(seller.url, { payment: { requestId: "one" } }));
  expect(error.problem).toMatchObject({ error: "signing_failed", payment_state: "unused" });
  expect(error.cause).toMatchObject({ message: "no" });
  const response = await pay(seller.url, { payment: { requestId: "one" } });
  expect(response.payment.state).toBe("settled");
});
