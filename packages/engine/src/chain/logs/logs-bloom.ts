/** A header's bloom filter: a topic or address that it lacks is in none of the block's logs. */
import type { Hex } from "@farthing/protocol";
import * as Hash from "ox/Hash";

const bloomBytes = 256;
const bitsPerItem = 3;

/** The bits that an address or a topic sets, by the yellow paper's M3:2048. */
export function bloomBitsOf(item: Hex): readonly number[] {
  const hash = Hash.keccak256(item).slice(2);
  return Array.from(
    { length: bitsPerItem },
    (_, pair) => Number.parseInt(hash.slice(pair * 4, pair * 4 + 4), 16) % (bloomBytes * 8),
  );
}

/** False for a filter of another size. */
export function hasBloomBits(bloom: Hex, bits: readonly number[]): boolean {
  const digits = bloom.slice(2);
  if (digits.length !== bloomBytes * 2) return false;
  return bits.every((bit) => {
    // The lowest bit is written last.
    const digit = Number.parseInt(digits[digits.length - 1 - (bit >> 2)] ?? "0", 16);
    return (digit & (1 << (bit & 3))) !== 0;
  });
}
