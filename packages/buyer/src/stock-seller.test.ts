/** Our buyer against the reference seller, @x402/express, with a facilitator that says yes. */
import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import express from "express";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { expect, test } from "vitest";
import { decodeHeader } from "@farthing/protocol";
import { buyerBench } from "./buyer-bench.testing.ts";
import { listen, payer, payTo, startSeller, transaction } from "./scripted-seller.testing.ts";

/** Answers of a facilitator for which every payment is good. */
const answers: Readonly<Record<string, object>> = {
  "/supported": { kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:50" }] },
  "/verify": { isValid: true, payer },
  "/settle": { success: true, payer, transaction, network: "eip155:50" },
};

test("a seller that reads scheme and network at the top of a payment is paid", async () => {
  for (const prefer of ["v2", "v1"] as const) {
    await using seller = await startSeller();
    const { pay } = buyerBench({ prefer });
    expect((await pay(seller.url)).payment.state).toBe("settled");
    const sent = decodeHeader(seller.paid[0]?.paymentHeader ?? "")?.value;
    const network = { v2: "eip155:50", v1: "xdc" }[prefer];
    expect(sent).toMatchObject({ scheme: "exact", network, payload: {} });
  }
});

test("the reference seller is paid, and its receipt is understood", async () => {
  const asked: string[] = [];
  const facilitator = createServer((request, response) => {
    void readText(request).then(() => {
      asked.push(request.url ?? "");
      response.setHeader("Content-Type", "application/json");
      return response.end(JSON.stringify(answers[request.url ?? ""] ?? {}));
    });
  });
  const url = await listen(facilitator);
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url }));
  server.register("eip155:50", new ExactEvmScheme());
  const accepts = { scheme: "exact", price: "$0.01", network: "eip155:50", payTo } as const;
  const app = express();
  app.use(paymentMiddleware({ "GET /r": { accepts, description: "d" } }, server));
  app.get("/r", (_, response) => {
    response.send("content");
  });
  const shop = createServer(app);
  const { pay, signer } = buyerBench();
  const response = await pay(`${await listen(shop)}/r`);
  expect([response.status, await response.text()]).toEqual([200, "content"]);
  expect(response.payment).toMatchObject({ state: "settled", transaction, amountUsdc: "0.010000" });
  expect(asked).toEqual(["/supported", "/verify", "/settle"]);
  expect(signer.count).toBe(1);
  for (const one of [shop, facilitator]) one.closeAllConnections();
  shop.close();
  facilitator.close();
});
