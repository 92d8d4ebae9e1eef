import * as fc from "fast-check";
import * as OxAddress from "ox/Address";
import { expect, test } from "vitest";
import { isSameAddress, parseAddress, parseWireAddress, toXdcAddress } from "./address.ts";
import { address } from "../messages/arbitraries.testing.ts";
import { vectorPayer } from "../messages/wire-examples.testing.ts";

const digits = vectorPayer.slice(2);
const wrongChecksum = `0x${digits.replace("C", "c")}`;

test.each([vectorPayer, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`, wrongChecksum])(
  "the wire may spell an address in any case: %s",
  (text) => {
    expect(parseWireAddress(text)).toBe(vectorPayer);
  },
);

test.each([
  `xdc${digits}`,
  digits,
  `0X${digits}`,
  `${vectorPayer}\n`,
  ` ${vectorPayer}`,
  "",
  1,
  null,
])("no wire address: %o", (text) => {
  expect(parseWireAddress(text)).toBeUndefined();
});

test.each([
  vectorPayer,
  ` ${vectorPayer}\n`,
  `0x${digits.toLowerCase()}`,
  `0x${digits.toUpperCase()}`,
  `xdc${digits}`,
  `XDC${digits.toLowerCase()}`,
  `xdc${digits.replace("C", "c")}`,
])("a person may write %j", (text) => {
  expect(parseAddress(text)).toBe(vectorPayer);
});

test.each([wrongChecksum, `xdc0x${digits}`, `xdc${digits}0`, digits, "xdc", "", null, {}, 1n])(
  "a person may not write %o",
  (text) => {
    expect(parseAddress(text)).toBeUndefined();
  },
);

test("every address is checksummed inside, and its xdc form reads back", () => {
  fc.assert(
    fc.property(address, (text) => {
      const parsed = parseWireAddress(text);
      expect(parsed).toBe(OxAddress.checksum(text));
      if (parsed === undefined) return;
      expect(parseAddress(parsed)).toBe(parsed);
      expect(toXdcAddress(parsed)).toMatch(/^xdc[0-9a-fA-F]{40}$/);
      expect(parseAddress(toXdcAddress(parsed))).toBe(parsed);
      expect(parseWireAddress(toXdcAddress(parsed))).toBeUndefined();
      expect(isSameAddress(parsed, text)).toBe(true);
    }),
  );
});

test("addresses are compared without case", () => {
  expect(isSameAddress(vectorPayer, wrongChecksum)).toBe(true);
  expect(isSameAddress(vectorPayer, `${vectorPayer.slice(0, -1)}9`)).toBe(false);
});
