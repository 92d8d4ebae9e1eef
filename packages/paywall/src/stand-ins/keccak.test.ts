/** The page's own hash is that of everybody else. */
import * as fc from "fast-check";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import { expect, test } from "vitest";
import { keccak256Of } from "./keccak.ts";

test("equals ox's Keccak-256 for every length around its blocks, and for random bytes", () => {
  for (const length of [0, 1, 135, 136, 137, 271, 272, 273]) {
    const bytes: Hex.Hex = `0x${"a5".repeat(length)}`;
    expect(keccak256Of(bytes)).toBe(Hash.keccak256(bytes));
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      const hex = Hex.fromBytes(bytes);
      expect(keccak256Of(hex)).toBe(Hash.keccak256(hex));
    }),
    { numRuns: 50 },
  );
});
