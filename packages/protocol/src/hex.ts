/** Hexadecimal text and bytes as x402 messages carry them. Nothing here throws. */

/** `0x` followed by hexadecimal digits. */
export type Hex = `0x${string}`;

/** Tells whether a value is `0x` and a whole number of bytes, at most `bytesMax` of them. */
export function isHexBytes(value: unknown, bytesMax: number): value is Hex {
  return (
    typeof value === "string" &&
    value.length <= 2 + 2 * bytesMax &&
    value.length % 2 === 0 &&
    /^0x[0-9a-fA-F]*$/.test(value)
  );
}

/** Tells whether a value is `0x` and exactly 32 bytes. */
export function isBytes32(value: unknown): value is Hex {
  return isHexBytes(value, 32) && value.length === 66;
}

/** The same bytes in lower case, the form that texts are compared in. */
export function toLowerHex(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
