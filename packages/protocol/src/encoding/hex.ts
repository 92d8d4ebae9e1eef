/** Hexadecimal text and bytes as x402 messages carry them. Nothing here throws. */

export type Hex = `0x${string}`;

/** Tells whether a value is `0x` and a whole number of bytes, at most `bytesMax`. */
export function isHexBytes(value: unknown, bytesMax: number): value is Hex {
  return (
    typeof value === "string" &&
    value.length <= 2 + 2 * bytesMax &&
    value.length % 2 === 0 &&
    /^0x[0-9a-fA-F]*$/.test(value)
  );
}

export function isBytes32(value: unknown): value is Hex {
  return isHexBytes(value, 32) && value.length === 66;
}

export function toLowerHex(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}

/** Two digits for each byte, without `0x`. */
export function hexDigits(bytes: Uint8Array): string {
  let digits = "";
  for (const byte of bytes) digits += digitsOfByte[byte];
  return digits;
}

const digitsOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** A number as a word of 32 bytes, without `0x`. */
export function numberWord(value: bigint | number): string {
  return value.toString(16).padStart(64, "0");
}

/** A string in ABI encoding, without `0x`: that of its bytes in UTF-8. */
export function encodeString(text: string): string {
  return encodeBytes(hexDigits(new TextEncoder().encode(text)));
}

/** Bytes in ABI encoding, both without `0x`: their length, then the bytes, padded to whole words. */
export function encodeBytes(digits: string): string {
  return numberWord(digits.length / 2) + digits.padEnd(Math.ceil(digits.length / 64) * 64, "0");
}
