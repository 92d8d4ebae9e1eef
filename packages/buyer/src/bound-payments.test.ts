/** Payments that commit to their request: what a seller can check, and when there is no binding. */
import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import {
  bindingNonce,
  bodyHashOf,
  buildChallenge,
  declareRequestBinding,
  readRequestBinding,
  requestBindingKey,
  xdc,
  type JsonObject,
  type Payment,
} from "@farthing/protocol";
import express from "express";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { expect, test } from "vitest";
import { buyerBench } from "./buyer-bench.testing.ts";
import { memoryLedger } from "./ledger/memory-ledger.ts";
import {
  listen,
  oneCent,
  payer,
  payTo,
  served,
  startSeller,
  transaction,
  type Answer,
  type SeenRequest,
} from "./scripted-seller.testing.ts";

const declared = { [requestBindingKey]: declareRequestBinding("token-of-this-402") };

/** A challenge for the address that was asked, or for another one. */
function shopOf(extensions?: JsonObject, nameOf = (own: string) => own) {
  return ({ headers, path }: SeenRequest): Answer => {
    const url = nameOf(`http://${headers.host}${path}`);
    const offers = [oneCent];
    const terms = {
      offers,
      resource: { url },
      ...(extensions === undefined ? {} : { extensions }),
    };
    const { headers: own, body } = buildChallenge(terms);
    // The extension also stands at the top of the body, where version 1 looks.
    const whole = { ...body, ...(extensions === undefined ? {} : { extensions }) };
    return { status: 402, headers: own, body: JSON.stringify(whole) };
  };
}

/** The same address in another spelling. */
const spelled = (own: string) => own.replace("http:", "HTTP:").replace("/r", "/x/../r");
/** How a proxy that ends TLS makes a seller name its address, when nobody told the seller. */
const behindProxy = (own: string) => own.replace("http:", "https:");

/** Whether the nonce opens by the salt of the payment to this request. */
function opens(payment: Payment, method: string, url: string, body = ""): boolean {
  const { salt } = readRequestBinding(payment.extensions);
  if (salt === undefined) return false;
  const bodyHash = bodyHashOf(new TextEncoder().encode(body));
  const { nonce, to } = payment.authorization;
  return bindingNonce({ salt, method, url, bodyHash, payTo: to }) === nonce;
}

test.each(["v1", "v2"] as const)("a %s payment commits to its request", async (prefer) => {
  for (const extensions of [declared, undefined]) {
    await using seller = await startSeller({ unpaid: shopOf(extensions) });
    const { pay, events } = buyerBench({ prefer });
    await pay(`${seller.url}?q=1`, { method: "post", body: "a=1" });
    const payment = seller.payment();
    expect(opens(payment, "POST", `${seller.url}?q=1`, "a=1")).toBe(true);
    for (const other of [
      opens(payment, "PUT", `${seller.url}?q=1`, "a=1"),
      opens(payment, "POST", `${seller.url}?q=2`, "a=1"),
      opens(payment, "POST", `${seller.url}?q=1`, "a=2"),
    ]) {
      expect(other).toBe(false);
    }
    expect(events.map(({ type }) => type)).not.toContain("unbound");
    if (extensions === undefined) continue;
    // What the seller declared comes back as it was, with the salt beside it.
    const { salt } = readRequestBinding(payment.extensions);
    const { info, ...rest } = declareRequestBinding("token-of-this-402");
    expect(payment.extensions).toEqual({
      [requestBindingKey]: { ...rest, info: { ...Object(info), salt } },
    });
  }
});

test("an address that only differs in its spelling is bound as the challenge writes it", async () => {
  await using seller = await startSeller({ unpaid: shopOf(declared, spelled) });
  await buyerBench().pay(`${seller.url}#part`);
  expect(opens(seller.payment(), "GET", spelled(seller.url))).toBe(true);
});

test("where the challenge names another address nothing is bound, and the buyer is told", async () => {
  for (const prefer of ["v1", "v2"] as const) {
    await using seller = await startSeller({ unpaid: shopOf(declared, behindProxy) });
    const { pay, events } = buyerBench({ prefer });
    await pay(seller.url);
    // The token comes back all the same, which is what tells this buyer from others.
    expect(seller.payment().extensions).toEqual(declared);
    expect(events.find(({ type }) => type === "unbound")).toMatchObject({
      url: seller.url,
      resourceUrl: behindProxy(seller.url),
      isDeclared: true,
    });
  }
});

test("a later version of the extension is echoed as it stands", async () => {
  const later = { [requestBindingKey]: { info: { version: 2, token: "t" } } };
  await using seller = await startSeller({ unpaid: shopOf(later) });
  await buyerBench().pay(seller.url);
  expect(seller.payment().extensions).toEqual(later);
});

test("with a secret a repeat after a crash is the same payment, bound again", async () => {
  await using seller = await startSeller({ unpaid: shopOf(declared) });
  const nonceSecret = new Uint8Array(32).fill(7);
  for (const id of ["a", "a", "b"]) {
    // Each with a ledger of its own, as if the one before were lost.
    await buyerBench({ nonceSecret }).pay(seller.url, { payment: { requestId: id } });
  }
  const payments = [0, 1, 2].map((index) => seller.payment(index));
  const [one, again, other] = payments.map(({ authorization }) => authorization.nonce);
  expect([again === one, other === one]).toEqual([true, false]);
  for (const payment of payments) expect(opens(payment, "GET", seller.url)).toBe(true);
});

test("a payment that is resumed by another process is the same bound payment", async () => {
  const busy: Answer = { status: 503, headers: { "Retry-After": "3600" } };
  await using seller = await startSeller({ unpaid: shopOf(declared), paid: [busy, served()] });
  const ledger = memoryLedger();
  const payment = { requestId: "order" };
  await buyerBench({ ledger }).pay(seller.url, { payment });
  expect((await buyerBench({ ledger }).pay.resume("order")).payment.state).toBe("settled");
  expect(seller.paid[1]?.paymentHeader).toBe(seller.paid[0]?.paymentHeader);
  expect(opens(seller.payment(1), "GET", seller.url)).toBe(true);
});

test("the reference seller takes bound payments, whether it declares the extension or not", async () => {
  const facilitator = createServer((request, response) => {
    const answers: Readonly<Record<string, object>> = {
      "/supported": { kinds: [{ x402Version: 2, scheme: "exact", network: xdc.id }] },
      "/verify": { isValid: true, payer },
      "/settle": { success: true, payer, transaction, network: xdc.id },
    };
    void readText(request).then(() => {
      response.setHeader("Content-Type", "application/json");
      return response.end(JSON.stringify(answers[request.url ?? ""] ?? {}));
    });
  });
  const url = await listen(facilitator);
  const resourceServer = new x402ResourceServer(new HTTPFacilitatorClient({ url }));
  resourceServer.register(xdc.id, new ExactEvmScheme());
  const accepts = { scheme: "exact", price: "$0.01", network: xdc.id, payTo } as const;
  const seen: string[] = [];
  const app = express();
  app.use((request, _, next) => {
    seen.push(request.get("PAYMENT-SIGNATURE") ?? "");
    next();
  });
  app.use(
    paymentMiddleware(
      {
        "GET /plain": { accepts, description: "d" },
        "GET /declared": { accepts, description: "d", extensions: { ...declared } },
      },
      resourceServer,
    ),
  );
  app.use((_, response) => void response.send("content"));
  const shop = createServer(app);
  const origin = await listen(shop);
  for (const path of ["/plain", "/declared"]) {
    const { pay } = buyerBench();
    expect((await pay(origin + path)).payment).toMatchObject({ state: "settled", transaction });
    const paid = JSON.parse(Buffer.from(seen.at(-1) ?? "", "base64").toString());
    expect(readRequestBinding(paid.extensions).salt).toMatch(/^0x[0-9a-f]{64}$/);
  }
  for (const one of [shop, facilitator]) {
    one.closeAllConnections();
    one.close();
  }
});
