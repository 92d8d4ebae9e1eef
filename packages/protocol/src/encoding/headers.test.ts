import { safeBase64Decode } from "@x402/core/utils";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../messages/arbitraries.testing.ts";
import { decodeHeader, encodeHeader, headerCharsMax } from "./headers.ts";
import { jsonDepthMax } from "./json.ts";
import {
  asJson,
  challengeHeader,
  challengeHeaderJson,
  json,
} from "../messages/wire-examples.testing.ts";

const nested = (depth: number) => base64("[".repeat(depth) + "]".repeat(depth));

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64");

const jsonWithAnyText = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(anyText, tie("value"), { maxKeys: 4 }),
  ),
})).value;

describe("what we write", () => {
  test("the known challenge is encoded to the known header", () => {
    expect(encodeHeader(json(challengeHeaderJson))).toBe(challengeHeader);
  });

  test("is read by us, by version 1 clients (atob) and by version 2 clients (UTF-8)", () => {
    fc.assert(
      fc.property(jsonWithAnyText, (value) => {
        const header = encodeHeader(value);
        expect(header).toMatch(/^[A-Za-z0-9+/]*={0,2}$/);
        expect(header.length % 4).toBe(0);
        const plain = asJson(value);
        expect(JSON.parse(atob(header))).toEqual(plain);
        expect(JSON.parse(Buffer.from(header, "base64").toString("utf8"))).toEqual(plain);
        expect(JSON.parse(safeBase64Decode(header))).toEqual(plain);
        expect(decodeHeader(header)).toEqual({ value: plain });
      }),
    );
  });

  test.each(["Zürich", "Ελληνικά", "支払い", "🪙", "\u007f", "\u2028", "\ud800", "\u00e9"])(
    "carries %j as ASCII",
    (text) => {
      const decoded = atob(encodeHeader({ text }));
      expect(decoded).toMatch(/^[\u0020-\u007e]*$/);
      expect(JSON.parse(decoded)).toEqual({ text });
    },
  );
});

describe("what we read", () => {
  test("UTF-8, as stock version 2 clients send it", () => {
    expect(decodeHeader(base64('{"description":"Zürich 🪙"}'))).toEqual({
      value: { description: "Zürich 🪙" },
    });
  });

  test.each(["1", "12", "123", "1234"])("padding may be missing: %s", (text) => {
    const padded = base64(text);
    expect(decodeHeader(padded)).toEqual({ value: Number(text) });
    expect(decodeHeader(padded.replace(/=+$/, ""))).toEqual({ value: Number(text) });
  });

  test.each([
    "MQ=",
    "MQ===",
    "MTI==",
    "MTIz=",
    "MTIz==",
    "M",
    "MTIzN",
    "=",
    "==",
    "M=Q=",
    "MQ==MQ==",
  ])("wrong padding is refused: %s", (text) => {
    expect(decodeHeader(text)).toBeUndefined();
  });

  test("base64url is refused", () => {
    const url = Buffer.from('{"a":"???>>>ÿÿ"}').toString("base64url");
    expect(url).toMatch(/[-_]/);
    expect(decodeHeader(url)).toBeUndefined();
    expect(decodeHeader(url.replaceAll("-", "+").replaceAll("_", "/"))).toBeDefined();
  });

  test.each([" MQ==", "MQ==\n", "M Q==", "MQ==, MQ==", "M\u0000==", "\u{ff2d}Q==", "{}"])(
    "junk is refused: %j",
    (text) => {
      expect(decodeHeader(text)).toBeUndefined();
    },
  );

  test.each([
    ["a lone continuation byte", [0x22, 0x80, 0x22]],
    ["a cut character", [0x22, 0xc3, 0x22]],
    ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["Latin-1", [0x22, 0xfc, 0x22]],
  ])("broken UTF-8 is refused: %s", (_name, bytes) => {
    expect(decodeHeader(base64(Uint8Array.from(bytes)))).toBeUndefined();
  });

  test.each(["", "{", "undefined", "abc"])("no JSON: %j", (text) => {
    expect(decodeHeader(base64(text))).toBeUndefined();
  });

  test("depth is bounded", () => {
    expect(decodeHeader(nested(jsonDepthMax))).toBeDefined();
    expect(decodeHeader(nested(jsonDepthMax + 1))).toBeUndefined();
  });

  test("length is bounded, at the boundary", () => {
    // Three bytes make four characters, so the longest header holds this many bytes of JSON.
    const bytesMax = (headerCharsMax / 4) * 3;
    const longest = base64(JSON.stringify("a".repeat(bytesMax - 2)));
    expect(longest.length).toBe(headerCharsMax);
    expect(decodeHeader(longest)).toEqual({ value: "a".repeat(bytesMax - 2) });
    expect(decodeHeader(base64(JSON.stringify("a".repeat(bytesMax - 1))))).toBeUndefined();
  });
});
