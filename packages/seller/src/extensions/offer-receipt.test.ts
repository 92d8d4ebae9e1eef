/** Signed offers and receipts, read and verified by the stock client's own functions. */
import { generateKeyPairSync, sign } from "node:crypto";
import { decodeHeader, headerNames, isObject, type JsonObject } from "@farthing/protocol";
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  isEIP712SignedOffer,
  isEIP712SignedReceipt,
  isJWSSignedOffer,
  isJWSSignedReceipt,
  verifyOfferSignatureEIP712,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureEIP712,
  verifyReceiptSignatureJWS,
  type SignedOffer,
  type SignedReceipt,
} from "@x402/extensions/offer-receipt";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { listenFetch } from "../adapters/listen.testing.ts";
import { payer, payFor } from "../buyer.testing.ts";
import { ConfigurationError, createSeller, type ReceiptSigner } from "../index.ts";
import { useScene } from "../scene.testing.ts";

const account = privateKeyToAccount(`0x${"51".repeat(32)}`);
const key = generateKeyPairSync("ed25519");

const signers: Readonly<Record<"eip712" | "jws", ReceiptSigner>> = {
  eip712: {
    format: "eip712",
    signTypedData: ({ domain, types, primaryType, message }) =>
      account.signTypedData({ domain, types, primaryType, message }),
  },
  jws: {
    format: "jws",
    kid: "did:web:shop.example#key-1",
    algorithm: "EdDSA",
    sign: (bytes) => sign(null, bytes, key.privateKey).toString("base64url"),
  },
};

const scene = useScene((options, route, app) => {
  const paid = createSeller(options).route(route);
  return listenFetch(async (request) => {
    const { response } = await paid.charge(request, async (payment) => {
      const { body = "", status = 200 } = await app({ body: "", payment });
      return new Response(body, { status });
    });
    return response;
  });
});

async function challengeAt(url: string) {
  const response = await fetch(url);
  const value = decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;
  if (!isObject(value)) throw new Error("no challenge");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stock functions' own type
  return value as unknown as Parameters<typeof extractOffersFromPaymentRequired>[0];
}

/** The payload, once the stock client has verified the signature. */
async function verifiedOffer(offer: SignedOffer): Promise<unknown> {
  if (isJWSSignedOffer(offer)) return verifyOfferSignatureJWS(offer, key.publicKey);
  if (!isEIP712SignedOffer(offer)) throw new Error("of no known format");
  const { signer, payload } = await verifyOfferSignatureEIP712(offer);
  expect(signer).toBe(account.address);
  return payload;
}

async function verifiedReceipt(receipt: SignedReceipt | undefined): Promise<unknown> {
  if (!receipt) throw new Error("there is no receipt");
  if (isJWSSignedReceipt(receipt)) return verifyReceiptSignatureJWS(receipt, key.publicKey);
  if (!isEIP712SignedReceipt(receipt)) throw new Error("of no known format");
  const { signer, payload } = await verifyReceiptSignatureEIP712(receipt);
  expect(signer).toBe(account.address);
  return payload;
}

function settledIn(response: Response): JsonObject {
  const value = decodeHeader(response.headers.get(headerNames.paymentResponse))?.value;
  return isObject(value) ? value : {};
}

describe.each(["eip712", "jws"] as const)("as %s", (format) => {
  const receiptSigner = signers[format];

  test("each entry is offered and signed, and the delivery has a receipt, also when repeated", async () => {
    const url = await scene.start(undefined, { receiptSigner, network: ["xdc", "eip155:51"] });
    const challenge = await challengeAt(url);
    const signed = extractOffersFromPaymentRequired(challenge);
    const offers = decodeSignedOffers(signed);
    expect(offers.map(({ network }) => network)).toEqual(["eip155:50", "eip155:51"]);
    for (const [index, offer] of offers.entries()) {
      const entry = challenge.accepts[index];
      expect(findAcceptsObjectFromSignedOffer(offer, challenge.accepts)).toBe(entry);
      expect(await verifiedOffer(offer.signedOffer)).toEqual({
        version: 1,
        resourceUrl: url,
        scheme: "exact",
        network: entry?.network,
        asset: entry?.asset,
        payTo: entry?.payTo,
        amount: "10000",
        validUntil: expect.any(Number),
      });
    }
    const headers = await payFor(url);
    const first = await fetch(url, { headers });
    const receipt = extractReceiptFromResponse(first);
    const { transaction } = settledIn(first);
    const stated = { version: 1, network: "eip155:50", resourceUrl: url, payer, transaction };
    expect(await verifiedReceipt(receipt)).toEqual({ ...stated, issuedAt: expect.any(Number) });
    const [offer] = offers;
    expect(offer && receipt && verifyReceiptMatchesOffer(receipt, offer, [payer])).toBe(true);
    const again = await fetch(url, { headers });
    expect(await verifiedReceipt(extractReceiptFromResponse(again))).toMatchObject(stated);
    expect(await again.text()).toBe(await first.text());
  });
});

test("what is not delivered has no receipt, and without a signer nothing is signed", async () => {
  const { eip712: receiptSigner } = signers;
  const url = await scene.start(() => ({ status: 500 }), { receiptSigner });
  const undelivered = await fetch(url, { headers: await payFor(url) });
  expect([undelivered.status, settledIn(undelivered)["success"]]).toEqual([500, true]);
  expect(extractReceiptFromResponse(undelivered)).toBeUndefined();
  await scene.stop();
  const plain = await scene.start();
  expect(extractOffersFromPaymentRequired(await challengeAt(plain))).toEqual([]);
  const response = await fetch(plain, { headers: await payFor(plain) });
  expect([response.status, extractReceiptFromResponse(response)]).toEqual([200, undefined]);
});

test("a signer that fails costs no buyer the content, and the seller hears of it", async () => {
  const error = new Error("the key service is down");
  const signTypedData = () => Promise.reject(error);
  const url = await scene.start(undefined, { receiptSigner: { format: "eip712", signTypedData } });
  const response = await fetch(url, { headers: await payFor(url) });
  expect([response.status, await response.text()]).toEqual([200, "report 1"]);
  expect(settledIn(response)).toMatchObject({ success: true });
  expect(scene.events).toContainEqual(expect.objectContaining({ type: "broken", error }));
});

test.each([{}, { format: "eip712" }, { format: "jws", kid: "", algorithm: "EdDSA", sign() {} }])(
  "the signer %j is refused at the start",
  (receiptSigner) => {
    const facilitator = { url: "https://facilitator.example" };
    const options: JsonObject = { facilitator, payTo: account.address, receiptSigner };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as from JavaScript
    expect(() => createSeller(options as never)).toThrow(ConfigurationError);
  },
);
