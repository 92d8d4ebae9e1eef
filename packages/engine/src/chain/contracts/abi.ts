/** The ABI encodings that calldata here needs. The encoders return hex digits without `0x`. */
import type { Hex } from "@farthing/protocol";

export function word(value: bigint | number): string {
  return value.toString(16).padStart(64, "0");
}

/** Encodes `bytes`: the length, then the data padded with zeros to a whole word. */
export function encodeBytes(bytes: Hex): string {
  const digits = bytes.slice(2);
  return `${word(digits.length / 2)}${digits.padEnd(Math.ceil(digits.length / 64) * 64, "0")}`;
}

/** Encodes an array of elements of dynamic size: the length, the offsets, then the elements. */
export function encodeArray(elements: readonly string[]): string {
  let offset = elements.length * 32;
  const offsets = elements.map((element) => {
    const here = word(offset);
    offset += element.length / 2;
    return here;
  });
  return `${word(elements.length)}${offsets.join("")}${elements.join("")}`;
}

/** Reads ABI-encoded data by the position of a byte. */
export function readAbi(encoded: string) {
  const hex = encoded.slice(2);
  const wordAt = (byte: number) => hex.slice(byte * 2, byte * 2 + 64);
  const numberAt = (byte: number) => Number.parseInt(wordAt(byte), 16);
  const bytesAt = (byte: number): Hex =>
    `0x${hex.slice((byte + 32) * 2, (byte + 32 + numberAt(byte)) * 2)}`;
  return { length: hex.length, wordAt, numberAt, bytesAt };
}

/** Reads the array that is the only value; `read` gets the position of each element. */
export function readArray<T>(
  encoded: string,
  read: (abi: ReturnType<typeof readAbi>, position: number) => T,
): T[] {
  const abi = readAbi(encoded);
  const start = abi.numberAt(0) + 32;
  const count = abi.numberAt(start - 32);
  // Each element takes a word at least, so a wrong count cannot exceed the data.
  if (!(count >= 0) || count > abi.length / 64) return [];
  return Array.from({ length: count }, (_, index) =>
    read(abi, start + abi.numberAt(start + index * 32)),
  );
}
