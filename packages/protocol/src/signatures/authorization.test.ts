import * as fc from "fast-check";
import * as Secp256k1 from "ox/Secp256k1";
import * as TypedData from "ox/TypedData";
import { describe, expect, test } from "vitest";
import { parseWireAddress } from "../networks/address.ts";
import { wireAuthorization } from "../messages/arbitraries.testing.ts";
import {
  authorizationDigest,
  authorizationTypedData,
  authorizationTypes,
  parseAuthorization,
  parseUint256,
  toWireAuthorization,
} from "./authorization.ts";
import { networks } from "../networks/networks.ts";
import {
  refusalOf,
  valueOf,
  vectorAuthorization,
  vectorPayer,
  vectors,
} from "../messages/wire-examples.testing.ts";

describe.each(vectors)("the test vector on $network.id", ({ network, digest, signature }) => {
  test("the domain separator is the one of the domain", () => {
    const { domain, chainId, usdc } = network;
    expect(network.domainSeparator).toBe(
      TypedData.domainSeparator({ ...domain, chainId, verifyingContract: usdc }),
    );
  });

  test("the digest is right", () => {
    expect(authorizationDigest(network, vectorAuthorization)).toBe(digest);
  });

  test("the signature recovers to the payer", () => {
    const signer = Secp256k1.recoverAddress({ payload: digest, signature });
    expect(parseWireAddress(signer)).toBe(vectorPayer);
  });

  test("the parsed wire form has the same digest", () => {
    const parsed = valueOf(parseAuthorization(toWireAuthorization(vectorAuthorization)));
    expect(parsed).toEqual(vectorAuthorization);
    expect(authorizationDigest(network, parsed)).toBe(digest);
  });
});

test("the digest equals that of a general typed-data encoder, for any authorization", () => {
  fc.assert(
    fc.property(wireAuthorization, fc.constantFrom(...networks), (wire, network) => {
      const authorization = valueOf(parseAuthorization(wire));
      expect(authorizationDigest(network, authorization)).toBe(
        TypedData.getSignPayload(authorizationTypedData(network, authorization)),
      );
    }),
  );
});

test("the type is the one that USDC signs", () => {
  expect(
    TypedData.encodeType({ types: authorizationTypes, primaryType: "TransferWithAuthorization" }),
  ).toBe(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)",
  );
});

test("what is read and written again means the same", () => {
  fc.assert(
    fc.property(wireAuthorization, (wire) => {
      const authorization = valueOf(parseAuthorization(wire));
      const again = toWireAuthorization(authorization);
      expect(again.value).toBe(wire.value);
      expect(again.validAfter).toBe(wire.validAfter);
      expect(again.validBefore).toBe(wire.validBefore);
      expect(again.from.toLowerCase()).toBe(wire.from.toLowerCase());
      expect(again.to.toLowerCase()).toBe(wire.to.toLowerCase());
      expect(again.nonce).toBe(wire.nonce.toLowerCase());
      expect(valueOf(parseAuthorization(JSON.parse(JSON.stringify(again))))).toEqual(authorization);
    }),
  );
});

test("one identity: the casing of addresses and nonce does not matter", () => {
  const wire = toWireAuthorization({ ...vectorAuthorization, nonce: `0x${"ab".repeat(32)}` });
  const upper = {
    ...wire,
    from: `0x${wire.from.slice(2).toUpperCase()}`,
    to: wire.to.toLowerCase(),
    nonce: `0x${"AB".repeat(32)}`,
  };
  expect(parseAuthorization(upper)).toEqual(parseAuthorization(wire));
});

describe("a malformed authorization is refused with the field's name", () => {
  const wire = toWireAuthorization(vectorAuthorization);
  const xdcForm = `xdc${vectorPayer.slice(2)}`;
  const bad: [keyof typeof wire, unknown[]][] = [
    ["from", [undefined, null, 1, "", "0x", vectorPayer.slice(0, -1), `${vectorPayer}0`, xdcForm]],
    ["to", [undefined, {}, [], `0X${vectorPayer.slice(2)}`, ` ${vectorPayer}`, `${vectorPayer}\n`]],
    ["value", ["abc", "", " 1", "1 ", "-1", "+1", "1.0", "1e3", "0x1", "1_000", 1000, 1000n, null]],
    ["validAfter", [(1n << 256n).toString(), "9".repeat(79), "١", undefined]],
    ["validBefore", [Number.NaN, Infinity, true, "1n"]],
    ["nonce", ["0x01", "01".repeat(32), `0x${"01".repeat(33)}`, `0x${"0g".repeat(32)}`, 1]],
  ];
  test.each(bad.flatMap(([key, values]) => values.map((value) => [key, value] as const)))(
    "%s: %o",
    (key, value) => {
      const refused = refusalOf(parseAuthorization({ ...wire, [key]: value }));
      expect(refused.code).toBe("invalid_payload");
      expect(refused.message).toContain(`authorization.${key} `);
    },
  );

  test.each([[null], [undefined], [[]], ["text"], [1]])("no object: %o", (input) => {
    expect(refusalOf(parseAuthorization(input)).code).toBe("invalid_payload");
  });

  test("inherited members do not count", () => {
    expect(parseAuthorization(Object.create(wire) as unknown).ok).toBe(false);
  });
});

test("a uint256 is read up to its last value", () => {
  const max = (1n << 256n) - 1n;
  expect(parseUint256(max.toString())).toBe(max);
  expect(parseUint256((max + 1n).toString())).toBeUndefined();
  expect(parseUint256("0")).toBe(0n);
  expect(parseUint256("007")).toBe(7n);
});
