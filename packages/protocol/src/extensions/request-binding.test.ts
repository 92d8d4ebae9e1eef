/** The extension `request-binding`: the commitment, and what is read of a payment. */
import * as fc from "fast-check";
import { encodeAbiParameters, keccak256, sha256 } from "viem";
import { expect, test } from "vitest";
import {
  bindingNonce,
  bodyHashOf,
  declareRequestBinding,
  readRequestBinding,
  requestBindingKey,
  withBindingSalt,
  withoutRequestBinding,
} from "./request-binding.ts";
import { isBytes32, type Hex } from "../encoding/hex.ts";
import type { Address } from "../networks/address.ts";

const salt: Hex = `0x${"ab".repeat(32)}`;
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" as Address;
const types = ["string", "bytes32", "string", "string", "bytes32", "address"].map((type) => ({
  type,
}));

test("the nonce is the hash of the ABI encoding, for any request", () => {
  const text = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(
    fc.property(text, text, fc.uint8Array({ maxLength: 200 }), (method, url, body) => {
      const bodyHash = bodyHashOf(body);
      expect(bodyHash).toBe(sha256(body));
      const values = ["x402-request-binding/1", salt, method, url, bodyHash, payTo];
      const expected = keccak256(encodeAbiParameters(types, values));
      expect(bindingNonce({ salt, method, url, bodyHash, payTo })).toBe(expected);
    }),
  );
});

test("what the buyer adds to the declared extension is read back", () => {
  const extensions = { other: { info: {} }, [requestBindingKey]: declareRequestBinding("token") };
  expect(readRequestBinding(extensions)).toEqual({ token: "token" });
  const bound = withBindingSalt(extensions, salt);
  expect(readRequestBinding(bound)).toEqual({ token: "token", salt });
  expect(Object.keys(bound)).toEqual(["other", requestBindingKey]);
  expect(withoutRequestBinding(bound)).toEqual({ other: { info: {} } });
  expect(withoutRequestBinding(withBindingSalt(undefined, salt))).toBeUndefined();
});

test("whatever else is sent counts as not shown", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const shown = readRequestBinding({ [requestBindingKey]: value });
      expect(shown.salt === undefined || isBytes32(shown.salt)).toBe(true);
      expect(shown.token === undefined || shown.token.length <= 128).toBe(true);
    }),
  );
  for (const info of [
    { version: 2, salt },
    { version: 1, salt: "0x12", token: "" },
  ]) {
    expect(readRequestBinding({ [requestBindingKey]: { info } })).toEqual({});
  }
});
