import { decodePaymentSignatureHeader } from "@x402/core/http";
import { PaymentPayloadV1Schema, PaymentPayloadV2Schema } from "@x402/core/schemas";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wirePayment } from "./arbitraries.testing.ts";
import { decodeHeader, encodeHeader } from "../encoding/headers.ts";
import { toLowerHex } from "../encoding/hex.ts";
import { depositCollector } from "../networks/channel-addresses.ts";
import { apothem, xdc } from "../networks/networks.ts";
import { parsePayment, parsePaymentRequest, signatureBytesMax, toWirePayment } from "./payment.ts";
import {
  asJson,
  basePaymentV1,
  flatPayment,
  json,
  objectIn,
  officialPayment,
  refusalOf,
  requestV1,
  requestV2,
  valueOf,
  vectorAuthorization,
  vectorPayee,
  vectorPayer,
  vectors,
} from "./wire-examples.testing.ts";

const official = json(officialPayment);
const flat = json(flatPayment);
const first = { ...flat, x402Version: 1, network: "xdc" };
const accepted = objectIn(official, "accepted");

const codeOf = (input: unknown) => refusalOf(parsePayment(input)).code;

describe("captured payments", () => {
  test("official version 2", () => {
    expect(valueOf(parsePayment(official))).toEqual({
      shape: "v2",
      version: 2,
      network: xdc,
      networkName: "eip155:50",
      authorization: {
        from: vectorPayer,
        to: vectorPayee,
        value: 1000n,
        validAfter: 0n,
        validBefore: 1795171011n,
        nonce: "0x102cd105cb6520835e09e4f001b32de17b15a4ccd0b90855489df83ded777c15",
      },
      signature:
        "0x03e617d323a756089dffd7bc6ca5192d2970299c8181664a54515d76c513503950f8e9aac0c7a8ecc80d60831aaa36dee559e57cee844ae84fdaeb81460f6a921c",
      asset: xdc.usdc,
      accepted,
      resource: official["resource"],
    });
  });

  test("flat version 2", () => {
    expect(valueOf(parsePayment(flat))).toEqual({
      shape: "flat-v2",
      version: 2,
      network: xdc,
      networkName: "eip155:50",
      authorization: vectorAuthorization,
      signature: vectors[0].signature,
    });
  });

  test("version 1, by label and alias", () => {
    const rest = { authorization: vectorAuthorization, signature: vectors[0].signature };
    const head = { shape: "v1", version: 1, ...rest };
    for (const [networkName, network] of [
      ["xdc", xdc],
      ["xdc-apothem", apothem],
      ["xdc-testnet", apothem],
    ] as const) {
      const parsed = valueOf(parsePayment({ ...first, network: networkName }));
      expect(parsed).toEqual({ ...head, network, networkName });
    }
  });

  test("the version 1 payment of x402-fetch differs from ours in the network only", () => {
    expect(codeOf(json(basePaymentV1))).toBe("unsupported_network");
    const parsed = valueOf(parsePayment({ ...json(basePaymentV1), network: "xdc" }));
    expect(parsed.authorization.validAfter).toBe(1795168329n);
  });
});

describe("shapes", () => {
  test("an accepted of null counts as absent", () => {
    expect(valueOf(parsePayment({ ...flat, accepted: null })).shape).toBe("flat-v2");
    expect(
      valueOf(parsePayment({ ...official, resource: null, extensions: null })),
    ).not.toHaveProperty("resource");
  });

  test.each([["eip155:50"], [[]], [1], [true]])("an accepted of %o is no shape at all", (value) => {
    expect(codeOf({ ...flat, accepted: value })).toBe("invalid_payload");
  });

  test("version 1 has no accepted; what stands there is ignored", () => {
    expect(valueOf(parsePayment({ ...first, accepted })).shape).toBe("v1");
  });

  test("accepted wins over names at the top", () => {
    const mixed = { ...official, scheme: "upto", network: "eip155:51" };
    expect(valueOf(parsePayment(mixed)).network).toBe(xdc);
  });

  test("accepted is kept verbatim, its amount and payTo unjudged", () => {
    const odd = {
      ...accepted,
      amount: "999999",
      payTo: "nobody",
      asset: xdc.usdc.toLowerCase(),
      x: 1,
    };
    const parsed = valueOf(parsePayment({ ...official, accepted: odd }));
    expect(parsed.accepted).toEqual(odd);
    expect(parsed.asset).toBe(xdc.usdc);
    expect(parsed.authorization.value).toBe(1000n);
  });

  test.each([
    [{ x402Version: 3 }, "invalid_x402_version"],
    [{ x402Version: "2" }, "invalid_x402_version"],
    [{ x402Version: undefined }, "invalid_x402_version"],
    [{ scheme: "upto" }, "unsupported_scheme"],
    [{ scheme: undefined }, "invalid_payload"],
    [{ network: 50 }, "invalid_payload"],
    [{ network: "xdc" }, "unsupported_network"],
    [{ network: "eip155:8453" }, "unsupported_network"],
    [{ x402Version: 1 }, "unsupported_network"],
    [{ payload: null }, "invalid_payload"],
    [{ payload: { permit2Authorization: {} } }, "unsupported_transfer_method"],
  ])("flat with %o: %s", (change, code) => {
    expect(codeOf({ ...flat, ...change })).toBe(code);
  });

  test.each([
    [{ scheme: "upto" }, "unsupported_scheme"],
    [{ scheme: null }, "invalid_payload"],
    [{ network: undefined }, "invalid_payload"],
    [{ network: "eip155:1" }, "unsupported_network"],
    [{ asset: "USDC" }, "invalid_payload"],
    [{ scheme: "upto", extra: { assetTransferMethod: "permit2" } }, "unsupported_scheme"],
    [{ network: "solana:x", asset: "USDC" }, "unsupported_network"],
    [{ extra: { assetTransferMethod: "permit2" } }, "unsupported_transfer_method"],
  ])("accepted with %o: %s", (change, code) => {
    expect(codeOf({ ...official, accepted: { ...accepted, ...change } })).toBe(code);
  });

  test("a network that is named as in the other version is named as it should be", () => {
    const first1 = refusalOf(parsePayment({ ...first, network: "eip155:50" }));
    expect(first1.message).toMatch(/Version 1 of x402 calls this network xdc, not eip155:50/);
    const flat2 = refusalOf(parsePayment({ ...flat, network: "xdc-testnet" }));
    expect(flat2.message).toMatch(/Version 2 .* eip155:51, not xdc-testnet/);
  });

  test.each([[null], [undefined], [[]], ["text"], [1]])("%o is no payment", (input) => {
    expect(codeOf(input)).toBe("invalid_payload");
  });
});

const withSignature = (signature: unknown) =>
  parsePayment({ ...flat, payload: { ...objectIn(flat, "payload"), signature } });

describe("signatures", () => {
  test.each([0, 64, 65, 66, signatureBytesMax])("of %d bytes", (bytes) => {
    const signature = `0x${"Ab".repeat(bytes)}`;
    expect(valueOf(withSignature(signature)).signature).toBe(signature.toLowerCase());
  });

  test.each([
    `0x${"ab".repeat(signatureBytesMax + 1)}`,
    "0xabc",
    "ab",
    "0xzz",
    "",
    null,
    undefined,
    27,
  ])("malformed %o", (signature) => {
    expect(refusalOf(withSignature(signature))).toEqual({
      code: "invalid_payload",
      message: expect.stringContaining("payload.signature"),
    });
  });
});

test("what is read and written again means the same, also through a header", () => {
  fc.assert(
    fc.property(wirePayment, (wire) => {
      const payment = valueOf(parsePayment(asJson(wire)));
      const written = toWirePayment(payment);
      expect(valueOf(parsePayment(written))).toEqual(payment);
      const header = encodeHeader(written);
      expect(valueOf(parsePayment(decodeHeader(header)?.value))).toEqual(payment);
      // Stock software takes the two shapes it knows.
      const stock = decodePaymentSignatureHeader(header);
      if (payment.shape === "v2") PaymentPayloadV2Schema.parse({ ...stock, resource: null });
      if (payment.shape === "v1") PaymentPayloadV1Schema.parse(stock);
    }),
  );
});

test("the captured payments survive being written", () => {
  const head = { scheme: "exact", network: "eip155:50" };
  for (const text of [officialPayment, flatPayment]) {
    expect(toWirePayment(valueOf(parsePayment(json(text))))).toEqual({ ...json(text), ...head });
  }
  expect(toWirePayment(valueOf(parsePayment(first)))).toEqual(first);
});

describe("the body of /verify and /settle", () => {
  const two = json(requestV2);
  const one = json(requestV1);

  test("captured from a stock seller, version 2", () => {
    const { payment, requirements } = valueOf(parsePaymentRequest(two));
    expect(payment.shape).toBe("v2");
    expect(payment.authorization.validBefore).toBe(1795169176n);
    expect(requirements).toMatchObject({ version: 2, amount: 1000n, maxTimeoutSeconds: 300 });
  });

  test("version 1", () => {
    const { payment, requirements } = valueOf(parsePaymentRequest(one));
    expect(payment).toMatchObject({ shape: "v1", authorization: vectorAuthorization });
    expect(requirements).toMatchObject({ version: 1, network: xdc, amount: 1000n });
  });

  test("flat version 2 with version 2 requirements", () => {
    const request = { paymentPayload: flat, paymentRequirements: two["paymentRequirements"] };
    expect(valueOf(parsePaymentRequest(request)).payment.shape).toBe("flat-v2");
  });

  test.each([undefined, null, 2])("the outer version may be %o", (x402Version) => {
    expect(parsePaymentRequest({ ...two, x402Version, more: true }).ok).toBe(true);
  });

  test.each([1, 3, "2", 0, false, ""])("the outer version may not be %o", (x402Version) => {
    expect(refusalOf(parsePaymentRequest({ ...two, x402Version })).code).toBe(
      "invalid_x402_version",
    );
  });

  test("a transfer to the collector of deposits is refused: the next caller of the collector could take the money", () => {
    const payload = objectIn(flat, "payload");
    for (const to of [depositCollector, toLowerHex(depositCollector)]) {
      const authorization = { ...objectIn(payload, "authorization"), to };
      const paymentPayload = { ...flat, payload: { ...payload, authorization } };
      const refused = refusalOf(parsePaymentRequest({ ...two, paymentPayload }));
      expect(refused.code).toBe("pay_to_mismatch");
    }
  });

  test("a payload that is no object is a malformed payload, not a wrong version", () => {
    for (const paymentPayload of [undefined, null, "text", []]) {
      const refused = refusalOf(parsePaymentRequest({ ...two, paymentPayload }));
      expect(refused.code).toBe("invalid_payload");
    }
  });

  test("the shapes of the two objects must agree", () => {
    for (const mixed of [
      { paymentPayload: two["paymentPayload"], paymentRequirements: one["paymentRequirements"] },
      { paymentPayload: one["paymentPayload"], paymentRequirements: two["paymentRequirements"] },
      { paymentPayload: flat, paymentRequirements: one["paymentRequirements"] },
    ]) {
      expect(refusalOf(parsePaymentRequest(mixed)).code).toBe("invalid_payment_requirements");
    }
  });

  test.each([
    [null, "invalid_payload"],
    [[], "invalid_payload"],
    [{}, "invalid_payload"],
    [{ paymentPayload: flat }, "invalid_payment_requirements"],
    [{ paymentHeader: "e30=", paymentRequirements: {} }, "invalid_payload"],
  ])("%j: %s", (body, code) => {
    expect(refusalOf(parsePaymentRequest(body)).code).toBe(code);
  });

  test("reading does not judge: different networks pass here", () => {
    const { payment, requirements } = valueOf(
      parsePaymentRequest({
        ...two,
        paymentRequirements: { ...objectIn(two, "paymentRequirements"), network: "eip155:51" },
      }),
    );
    expect(payment.network).toBe(xdc);
    expect(requirements.network).toBe(apothem);
  });
});
