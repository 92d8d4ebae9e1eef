/** The extension `payment-identifier`: offered, written by the stock client, and honoured. */
import { decodeHeader, encodeHeader, headerNames, isObject } from "@farthing/protocol";
import {
  appendPaymentIdentifierToExtensions,
  extractAndValidatePaymentIdentifier,
  generatePaymentId,
  isPaymentIdentifierExtension,
  isPaymentIdentifierRequired,
  PAYMENT_IDENTIFIER,
} from "@x402/extensions/payment-identifier";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { listenFetch } from "../adapters/listen.testing.ts";
import { pay, payBoundFor, payloadOf, type Changes, type PaymentHeader } from "../buyer.testing.ts";
import { createMemoryGrants, createSeller } from "../index.ts";
import { bodyOf, reasonOf, useScene } from "../scene.testing.ts";
import { transferHash } from "../scripted-facilitator.testing.ts";

const scene = useScene((options, route, app) => {
  const paid = createSeller(options).route(route);
  return listenFetch(async (request) => {
    const { response } = await paid.charge(request, async (payment) => {
      const { body = "" } = await app({ body: "", payment });
      return new Response(body);
    });
    return response;
  });
});

/** Names a payment as the stock client does. */
function named(header: PaymentHeader, id: string): PaymentHeader {
  const payment = payloadOf(header);
  const echoed = payment["extensions"];
  const extensions = appendPaymentIdentifierToExtensions(isObject(echoed) ? { ...echoed } : {}, id);
  return { [headerNames.paymentSignature]: encodeHeader({ ...payment, extensions }) };
}

/** Pays with a name; each time another payment. */
const payNamed = async (url: string, id: string, changes: Changes = {}) =>
  named(await pay(await fetch(url), "v2", changes), id);

async function expectConflict(response: Response): Promise<void> {
  expect([response.status, response.headers.get(headerNames.paymentRequired)]).toEqual([409, null]);
  const error = "payment_identifier_conflict";
  expect(await bodyOf(response)).toMatchObject({ error, retryable: false });
}

test("is offered as the stock extension reads it, and passed on to the facilitator", async () => {
  const url = await scene.start();
  const required = decodeHeader((await fetch(url)).headers.get(headerNames.paymentRequired))?.value;
  const offered = Object(Object(required).extensions)[PAYMENT_IDENTIFIER];
  expect(isPaymentIdentifierExtension(offered)).toBe(true);
  expect(isPaymentIdentifierRequired(offered)).toBe(false);
  const id = generatePaymentId();
  expect((await fetch(url, { headers: await payNamed(url, id) })).status).toBe(200);
  for (const { body } of scene.facilitator.calls) {
    const sent = Object(body).paymentPayload;
    expect(extractAndValidatePaymentIdentifier(sent)).toEqual({ id, validation: { valid: true } });
  }
});

test("the same payment gets the same answer, with its name and without", async () => {
  const url = await scene.start();
  const bare = await payBoundFor(await fetch(url), "GET", "");
  const headers = named(bare, generatePaymentId());
  for (const again of [headers, headers, bare]) {
    const response = await fetch(url, { headers: again });
    expect([response.status, await response.text()]).toEqual([200, "report 1"]);
  }
  expect(scene.facilitator.transfers()).toBe(1);
});

test("the same payment and name from someone without its binding gets no answer", async () => {
  const url = await scene.start();
  const bound = await payBoundFor(await fetch(url), "GET", "");
  const paid = named(bound, generatePaymentId());
  expect((await fetch(url, { headers: paid })).status).toBe(200);
  // The payment is public once it has settled; its name may be known, and its salt is not.
  const { extensions, ...rebuilt } = payloadOf(paid);
  const name = { [PAYMENT_IDENTIFIER]: Object(extensions)[PAYMENT_IDENTIFIER] };
  expect(name[PAYMENT_IDENTIFIER].info.id).toBeDefined();
  const headers = {
    [headerNames.paymentSignature]: encodeHeader({ ...rebuilt, extensions: name }),
  };
  const response = await fetch(url, { headers });
  expect(response.status).toBe(409);
  expect(await bodyOf(response)).toMatchObject({ error: "already_delivered" });
});

test("is another name at another payee, who may keep records in the same store", async () => {
  await scene.start();
  const grants = createMemoryGrants();
  const id = generatePaymentId();
  const statusAt = async (payTo: string) => {
    const facilitator = { url: scene.facilitator.url };
    const seller = createSeller({ facilitator, payTo, price: "0.01", grants });
    const send = async (headers: Record<string, string> = {}) => {
      const request = new Request("https://shop.example/report", { headers });
      return (await seller.charge(request, () => new Response("report"))).response;
    };
    return (await send({ ...named(await pay(await send(), "v2"), id) })).status;
  };
  expect(await statusAt("0x209693Bc6afc0C5328bA36FaF03C514EF312287C")).toBe(200);
  expect(await statusAt(`0x${"55".repeat(20)}`)).toBe(200);
});

describe("another payment with the same name", () => {
  test("is a 409, and moves nothing, before and after the first is delivered", async () => {
    const id = generatePaymentId();
    const others: Response[] = [];
    const url: string = await scene.start(async () => {
      others.push(await fetch(url, { headers: await payNamed(url, id) }));
      return { body: "report" };
    });
    expect((await fetch(url, { headers: await payNamed(url, id) })).status).toBe(200);
    others.push(await fetch(url, { headers: await payNamed(url, id) }));
    expect(others).toHaveLength(2);
    for (const other of others) await expectConflict(other);
    expect([scene.facilitator.transfers(), scene.served.length]).toEqual([1, 1]);
  });

  test("is a 409 also when the first has failed, and not when it comes from another payer", async () => {
    const url = await scene.start();
    const id = generatePaymentId();
    const network = "eip155:50";
    const failed = { success: false, status: "failed", errorReason: "transaction_reverted" };
    const reply = { json: { ...failed, transaction: transferHash, network } };
    scene.facilitator.script.settle.push(reply);
    const first = await fetch(url, { headers: await payNamed(url, id) });
    expect(await reasonOf(first)).toBe("transaction_reverted");
    await expectConflict(await fetch(url, { headers: await payNamed(url, id) }));
    const account = privateKeyToAccount(`0x${"57".repeat(32)}`);
    const theirs = await fetch(url, { headers: await payNamed(url, id, { account }) });
    expect(theirs.status).toBe(200);
  });

  test("does not count while it is forged", async () => {
    const url = await scene.start();
    const id = generatePaymentId();
    scene.facilitator.script.verify.push({
      json: { isValid: false, invalidReason: "invalid_exact_evm_payload_signature" },
    });
    expect((await fetch(url, { headers: await payNamed(url, id) })).status).toBe(402);
    expect((await fetch(url, { headers: await payNamed(url, id) })).status).toBe(200);
  });

  test.each(["verify", "settle"] as const)(
    "is a 409 too where only the facilitator knows the first (%s)",
    async (operation) => {
      const url = await scene.start();
      const reason = "payment_identifier_conflict";
      const network = "eip155:50";
      const json =
        operation === "verify"
          ? { isValid: false, invalidReason: reason }
          : { success: false, errorReason: reason, transaction: "", network };
      scene.facilitator.script[operation].push({ status: 409, json });
      await expectConflict(await fetch(url, { headers: await payNamed(url, generatePaymentId()) }));
      expect(scene.facilitator.transfers()).toBe(0);
    },
  );
});

test("a name that is none is refused before anybody is asked", async () => {
  const url = await scene.start();
  const header = await pay(await fetch(url), "v2");
  const payment = {
    ...payloadOf(header),
    extensions: { [PAYMENT_IDENTIFIER]: { info: { id: 7 } } },
  };
  const headers = { [headerNames.paymentSignature]: encodeHeader(payment) };
  expect(await reasonOf(await fetch(url, { headers }))).toBe("invalid_payload");
  expect(scene.facilitator.calls).toEqual([]);
});
