import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isHexBytes, isBytes32 } from "./hex.ts";
import { isObject, jsonDepthMax, member, parseJson } from "./json.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

test("depth is bounded, at the boundary", () => {
  expect(parseJson(nested(jsonDepthMax))).toBeDefined();
  expect(parseJson(nested(jsonDepthMax + 1))).toBeUndefined();
  expect(parseJson('{"a":'.repeat(jsonDepthMax + 1) + "1" + "}".repeat(jsonDepthMax + 1))).toBe(
    undefined,
  );
});

test("a hostile depth is refused before anything is built", () => {
  expect(parseJson("[".repeat(5_000_000))).toBeUndefined();
});

test("brackets in strings do not count, siblings do not add up", () => {
  expect(parseJson(JSON.stringify(nested(100)))?.value).toBe(nested(100));
  expect(parseJson(String.raw`["\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["]`)).toBeDefined();
  expect(parseJson(String.raw`["\\",${nested(jsonDepthMax)}]`)).toBeUndefined();
  expect(parseJson(`[${Array.from({ length: 100 }, () => nested(10)).join(",")}]`)).toBeDefined();
});

test("all JSON of little depth is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(parseJson(text)).toEqual({ value: JSON.parse(text) as unknown });
    }),
  );
});

test.each(["", "{", "undefined", "{'a':1}", "[1,]", "NaN", "1 2", "]"])("%j is no JSON", (text) => {
  expect(parseJson(text)).toBeUndefined();
});

test("members are found by own keys only", () => {
  const object = parseJson('{"a":1,"__proto__":{"b":2}}')?.value;
  if (!isObject(object)) throw new Error("expected an object");
  expect(member(object, "a")).toBe(1);
  expect(member(object, "b")).toBeUndefined();
  expect(member({}, "__proto__")).toBeUndefined();
  expect(member({}, "constructor")).toBeUndefined();
});

test("arrays and null are no objects", () => {
  expect([{}, Object.create(null), [], null, undefined, "a", 1].map(isObject)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("hexadecimal bytes: whole bytes, bounded", () => {
  expect(["0x", "0x00", "0xAbCd"].map((text) => isHexBytes(text, 2))).toEqual([true, true, true]);
  for (const text of ["", "0", "0x0", "0xabcdef", "0X00", "00", "0xgg", "0x00\n", 0, null]) {
    expect(isHexBytes(text, 2)).toBe(false);
  }
  expect(isBytes32(`0x${"0".repeat(64)}`)).toBe(true);
  expect(isBytes32(`0x${"0".repeat(62)}`)).toBe(false);
  expect(isBytes32(`0x${"0".repeat(66)}`)).toBe(false);
});
