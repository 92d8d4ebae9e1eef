/** Strangers send anything: no function that reads may throw, whatever it is given. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anything, spoiled } from "./messages/arbitraries.testing.ts";
import * as protocol from "./index.ts";
import {
  challengeBody,
  challengeHeaderJson,
  confirmedReceipt,
  flatPayment,
  invalidVerdict,
  json,
  objectIn,
  officialPayment,
  requestV1,
  requestV2,
  vectorAuthorization,
} from "./messages/wire-examples.testing.ts";

/** Every exported function that reads what strangers wrote; by name, so that none is forgotten. */
const readers = Object.entries(protocol).filter(
  (entry): entry is [string, (...inputs: unknown[]) => unknown] =>
    typeof entry[1] === "function" &&
    /^(parse|decode|find|is[A-Z]|errorCodeOf|readRequestBinding)/.test(entry[0]),
);

const messages = [
  challengeBody,
  challengeHeaderJson,
  confirmedReceipt,
  flatPayment,
  invalidVerdict,
  officialPayment,
  requestV1,
  requestV2,
].map(json);

const reads = (read: (...inputs: unknown[]) => unknown, name: string, input: unknown) => {
  if (name === "findNetworkOf") return [read(1, input), read(2, input)];
  if (name === "parseSellerStatement") return [read("offer", input), read("receipt", input)];
  if (name === "isSameAddress") return read(typeof input, "0x");
  if (name === "isHexBytes") return read(input, 65);
  // These are given what was read before: an object, hexadecimal bytes.
  if (name === "readRequestBinding") return protocol.isObject(input) && read(input);
  if (name === "isLowS") {
    const { isHexBytes, splitSignature } = protocol;
    const parts = isHexBytes(input, 65) ? splitSignature(input) : undefined;
    return parts !== undefined && read(parts);
  }
  if (name === "isSignedByPayer") {
    const { xdc, isHexBytes, signatureBytesMax } = protocol;
    return isHexBytes(input, signatureBytesMax) && read(xdc, vectorAuthorization, input);
  }
  if (["isTransactionHash", "isLoopback", "isLoopbackAddress", "isPublicAddress"].includes(name)) {
    return typeof input === "string" && read(input);
  }
  if (name === "isEventStream") {
    return read({ get: () => (typeof input === "string" ? input : null) });
  }
  if (name === "isDeeperThan") return typeof input === "string" && read(input, 32);
  return read(input);
};

test("the readers are found", () => {
  expect(readers.map(([name]) => name).sort()).toEqual([
    "decodeHeader",
    "errorCodeOf",
    "findNetwork",
    "findNetworkOf",
    "findSettlementAttestation",
    "findSignedOffers",
    "findSignedReceipt",
    "isBodiless",
    "isBookText",
    "isBytes32",
    "isChannelPayment",
    "isChannelRequest",
    "isDeeperThan",
    "isEventStream",
    "isHexBytes",
    "isLoopback",
    "isLoopbackAddress",
    "isLowS",
    "isObject",
    "isPassToken",
    "isPaymentIdentifier",
    "isPublicAddress",
    "isRefusalCode",
    "isRefusalOfPayer",
    "isRouteTemplate",
    "isRoutine",
    "isSameAddress",
    "isSignedByPayer",
    "isTransactionHash",
    "parseAddress",
    "parseAuthorization",
    "parseBalanceTerms",
    "parseChallenge",
    "parseChannelCode",
    "parseChannelConfig",
    "parseChannelPayload",
    "parseChannelPayment",
    "parseChannelRequest",
    "parseChannelRequirements",
    "parseChannelUnits",
    "parseJson",
    "parsePassTerms",
    "parsePayment",
    "parsePaymentRequest",
    "parsePrivateKey",
    "parseRefund",
    "parseRefundable",
    "parseRequirements",
    "parseSellerStatement",
    "parseSettleResponse",
    "parseSettlementAttestation",
    "parseSignIn",
    "parseSoldParts",
    "parseUint256",
    "parseUsdc",
    "parseVerifyResponse",
    "parseVoucher",
    "parseVoucherClaim",
    "parseWireAddress",
    "parseWireChannelState",
    "readRequestBinding",
  ]);
});

describe.each(readers)("%s never throws", (name, read) => {
  test("on anything", () => {
    fc.assert(
      fc.property(fc.oneof(anything, fc.string({ unit: "binary" }), fc.jsonValue()), (input) => {
        reads(read, name, input);
      }),
      { numRuns: 300 },
    );
  });

  test("on a message with one part replaced by anything", () => {
    fc.assert(
      fc.property(fc.oneof(...messages.map(spoiled)), (input) => {
        reads(read, name, input);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a spoiled message gives a refusal with a sentence, or means what it meant", () => {
  const outcomes = [
    protocol.parsePaymentRequest,
    protocol.parsePayment,
    protocol.parseRequirements,
    protocol.parseChallenge,
  ] as const;
  test.each(outcomes)("%o", (parse) => {
    fc.assert(
      fc.property(fc.oneof(...messages.map(spoiled)), (input) => {
        const outcome = parse(input);
        if (outcome.ok) return;
        expect(protocol.refusalCodes).toContain(outcome.refusal.code);
        expect(outcome.refusal.message).toMatch(/^\S.* .*\.$/);
      }),
      { numRuns: 500 },
    );
  });
});

test("a spoiled authorization or signature never passes as the one that was signed", () => {
  const request = json(requestV1);
  const sent = objectIn(request, "paymentPayload");
  const signed = protocol.parsePaymentRequest(request);
  if (!signed.ok) throw new Error("expected the captured request to be read");
  const { authorization, signature } = signed.value.payment;
  fc.assert(
    fc.property(spoiled(sent["payload"]), (payload) => {
      const paymentPayload = { ...sent, payload };
      const outcome = protocol.parsePaymentRequest({ ...request, paymentPayload });
      if (!outcome.ok) return;
      // Accepted only where the replacement is itself well-formed, such as "0" for a time.
      const read = outcome.value.payment;
      const changed = [read.signature !== signature, read.authorization.to !== authorization.to]
        .concat(read.authorization.from !== authorization.from)
        .concat(read.authorization.nonce !== authorization.nonce)
        .concat(read.authorization.value !== authorization.value)
        .concat(read.authorization.validAfter !== authorization.validAfter)
        .concat(read.authorization.validBefore !== authorization.validBefore);
      expect(changed.filter(Boolean).length).toBeLessThanOrEqual(1);
    }),
  );
});
