import { hasErc6492Form, type Hex } from "@farthing/protocol";
import * as fc from "fast-check";
import * as SignatureErc6492 from "ox/erc6492/SignatureErc6492";
import { expect, test } from "vitest";
import { unwrapErc6492 } from "./erc6492.ts";

const bytes = (minLength: number, maxLength: number) =>
  fc
    .uint8Array({ minLength, maxLength })
    .map((value): Hex => `0x${Buffer.from(value).toString("hex")}`);

const magic = "6492".repeat(16);
const factory: Hex = `0x${"cd".repeat(20)}`;
const signature: Hex = `0x${"ab".repeat(65)}`;
const wrapped = SignatureErc6492.wrap({ to: factory, data: "0x1234", signature });

test("what another encoder wraps is unwrapped", () => {
  fc.assert(
    fc.property(bytes(20, 20), bytes(0, 200), bytes(0, 200), (to, data, inner) => {
      const whole = SignatureErc6492.wrap({ to, data, signature: inner });
      expect(hasErc6492Form(whole)).toBe(true);
      expect(unwrapErc6492(whole)).toBe(inner.endsWith(magic) ? undefined : inner);
    }),
  );
});

/** What may be anything: the factory, the calldata with its length's last byte, the signature. */
function isPayload(at: number): boolean {
  return (at >= 12 && at < 32) || (at >= 127 && at < 130) || (at >= 192 && at < 192 + 65);
}

test("any other spelling of a wrapping is refused: one changed byte outside the payloads", () => {
  const body = wrapped.slice(2, -64);
  for (let at = 0; at < body.length / 2; at++) {
    const byte = Number.parseInt(body.slice(2 * at, 2 * at + 2), 16) ^ 1;
    const changed = `${body.slice(0, 2 * at)}${byte.toString(16).padStart(2, "0")}${body.slice(2 * at + 2)}`;
    const inner = unwrapErc6492(`0x${changed}${magic}`);
    if (isPayload(at)) expect(inner).toHaveLength(signature.length);
    else expect([at, inner]).toEqual([at, undefined]);
  }
});

test.each([
  ["no wrapping", signature],
  ["only the magic bytes", `0x${magic}`],
  ["a plain signature before the magic bytes", `${signature}${magic}`],
  ["a word too little", `0x${wrapped.slice(2 + 64)}`],
  ["a word too much", `0x${wrapped.slice(2, -64)}${"0".repeat(64)}${magic}`],
  ["half a word too much", `0x${wrapped.slice(2, -64)}${"0".repeat(32)}${magic}`],
  [
    "one wrapping in another",
    SignatureErc6492.wrap({ to: factory, data: "0x", signature: wrapped }),
  ],
] as [string, Hex][])("%s is not unwrapped", (_, text) => {
  expect(unwrapErc6492(text)).toBeUndefined();
});

test("any bytes before the magic ones never throw", () => {
  fc.assert(
    fc.property(bytes(0, 300), (start) => {
      expect(() => unwrapErc6492(`${start}${magic}`)).not.toThrow();
    }),
  );
});
