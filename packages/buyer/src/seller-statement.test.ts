/** What the reference seller signs (@x402/express with @x402/extensions), bought and verified by ours. */
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import express from "express";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import {
  createEIP712OfferReceiptIssuer,
  createJWSOfferReceiptIssuer,
  createOfferReceiptExtension,
  declareOfferReceiptExtension,
  type OfferReceiptIssuer,
} from "@x402/extensions/offer-receipt";
import {
  decodeHeader,
  findSignedOffers,
  findSignedReceipt,
  isObject,
  xdc,
  type JsonObject,
} from "@farthing/protocol";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { buyerBench } from "./buyer-bench.testing.ts";
import { listen, otherPayee, payer, payTo, transaction } from "./scripted-seller.testing.ts";
import { verifySellerStatement, type TrustedSeller } from "./seller-statement.ts";

const account = privateKeyToAccount(`0x${"51".repeat(32)}`);
const kid = "did:web:shop.example#key-1";

function textSigner(algorithm: "EdDSA" | "ES256K" | "ES256") {
  const curves = { ES256K: "secp256k1", ES256: "prime256v1" } as const;
  const { publicKey, privateKey } =
    algorithm === "EdDSA"
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("ec", { namedCurve: curves[algorithm] });
  const hash = algorithm === "EdDSA" ? null : "sha256";
  const issuer = createJWSOfferReceiptIssuer(kid, {
    kid,
    format: "jws",
    algorithm,
    sign: async (bytes) =>
      sign(hash, bytes, { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url"),
  });
  return {
    issuer,
    trusted: { keySet: { keys: [{ ...publicKey.export({ format: "jwk" }), kid }] } },
  };
}

const signers: Readonly<
  Record<string, { readonly issuer: OfferReceiptIssuer; readonly trusted: TrustedSeller }>
> = {
  eip712: {
    issuer: createEIP712OfferReceiptIssuer(`did:pkh:eip155:1:${account.address}`, (data) =>
      account.signTypedData(data),
    ),
    trusted: { address: account.address },
  },
  EdDSA: textSigner("EdDSA"),
  ES256K: textSigner("ES256K"),
  ES256: textSigner("ES256"),
};

/** Answers of a facilitator for which every payment is good. */
const answers: Readonly<Record<string, object>> = {
  "/supported": { kinds: [{ x402Version: 2, scheme: "exact", network: xdc.id }] },
  "/verify": { isValid: true, payer },
  "/settle": { success: true, payer, transaction, network: xdc.id },
};

/** Buys from the reference seller; returns what the buyer's ledger keeps of its signatures. */
async function buyFrom(issuer: OfferReceiptIssuer) {
  const facilitator = createServer((request, response) => {
    void readText(request).then(() => {
      response.setHeader("Content-Type", "application/json");
      return response.end(JSON.stringify(answers[request.url ?? ""] ?? {}));
    });
  });
  const server = new x402ResourceServer(
    new HTTPFacilitatorClient({ url: await listen(facilitator) }),
  );
  server.register(xdc.id, new ExactEvmScheme());
  server.registerExtension(createOfferReceiptExtension(issuer));
  const accepts = { scheme: "exact", price: "$0.01", network: xdc.id, payTo } as const;
  const extensions = declareOfferReceiptExtension();
  const app = express();
  app.use(paymentMiddleware({ "GET /r": { accepts, description: "d", extensions } }, server));
  app.get("/r", (_, response) => {
    response.send("content");
  });
  const shop = createServer(app);
  const { pay, ledger } = buyerBench();
  const url = `${await listen(shop)}/r`;
  const requestId = "order";
  const { payment } = await pay(url, { payment: { requestId } });
  for (const one of [shop, facilitator]) {
    one.closeAllConnections();
    one.close();
  }
  const record = await ledger.find(requestId);
  const sent = decodeHeader(record?.signed?.headerValue ?? "")?.value;
  const [offer] = findSignedOffers(isObject(sent) ? sent["extensions"] : undefined);
  const receipt = findSignedReceipt(record?.answer?.receipt?.extensions);
  return { url, payment, offer, receipt };
}

const stranger = { address: otherPayee } as const;
const otherKeys = textSigner("EdDSA").trusted;

describe.each(Object.entries(signers))(
  "%s of the reference seller",
  (_name, { issuer, trusted }) => {
    test("offer and receipt are kept with the payment, and verified", async () => {
      const { url, payment, offer, receipt } = await buyFrom(issuer);
      expect(payment).toMatchObject({ state: "settled", transaction });
      const terms = { scheme: "exact", network: xdc.id, asset: xdc.usdc, payTo, amount: "10000" };
      expect(verifySellerStatement("offer", offer, trusted)).toMatchObject({
        ok: true,
        isVerified: true,
        statement: { version: 1, resourceUrl: url, ...terms },
      });
      expect(verifySellerStatement("receipt", receipt, trusted)).toMatchObject({
        ok: true,
        isVerified: true,
        statement: { version: 1, resourceUrl: url, network: xdc.id, payer },
      });
      for (const signed of [offer, receipt]) {
        const kind = signed === offer ? "offer" : "receipt";
        expect(verifySellerStatement(kind, signed)).toMatchObject({ ok: true, isVerified: false });
        for (const other of [stranger, otherKeys]) {
          expect(verifySellerStatement(kind, signed, other).ok).toBe(false);
        }
        const lie = altered(signed);
        expect(verifySellerStatement(kind, lie, trusted).ok).toBe(false);
        // One kind never passes for the other.
        const wrongKind = kind === "offer" ? "receipt" : "offer";
        expect(verifySellerStatement(wrongKind, signed, trusted).ok).toBe(false);
      }
    });
  },
);

/** The same signature over another resource. */
function altered(signed: unknown): JsonObject {
  const { format, payload, signature } = isObject(signed) ? signed : {};
  const resourceUrl = "https://elsewhere.example/";
  if (format === "eip712") {
    return { format, signature, payload: { ...(isObject(payload) ? payload : {}), resourceUrl } };
  }
  const [head, body = "", end] = String(signature).split(".");
  const stated: unknown = JSON.parse(Buffer.from(body, "base64url").toString());
  const lie = JSON.stringify({ ...(isObject(stated) ? stated : {}), resourceUrl });
  return { format, signature: `${head}.${Buffer.from(lie).toString("base64url")}.${end}` };
}

test.each([
  undefined,
  "text",
  {},
  { format: "jws" },
  { format: "jws", signature: "a.b.c" },
  { format: "eip712", payload: {}, signature: "0x" },
  { format: "eip712", payload: { version: 1 }, signature: `0x${"11".repeat(65)}` },
])("%j is refused", (signed) => {
  expect(verifySellerStatement("receipt", signed).ok).toBe(false);
});
