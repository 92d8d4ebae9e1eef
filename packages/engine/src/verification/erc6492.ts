/**
 * ERC-6492: the wrapping in which smart wallets send a signature before they are deployed, and some
 * of them afterwards too. Once the wallet has code, only the signature inside means something to it.
 */
import { isHexBytes, toLowerHex, type Hex } from "@farthing/protocol";

/** The 32 bytes at the end that mark a wrapped signature. */
const magic = "6492".repeat(16);

/** Hex digits of one ABI word. */
const word = 64;

/** Digits of the largest length or offset that is read: 2^32 is more than any signature here has. */
const lengthDigits = 8;

/** Tells whether a signature ends as a wrapped one does. */
export function isWrapped(signature: Hex): boolean {
  return signature.toLowerCase().endsWith(magic);
}

/**
 * Returns the signature inside `abi.encode(address factory, bytes calldata, bytes signature)` and the
 * magic bytes. Only the one canonical encoding is read, so that no two readers can see different
 * signatures in the same bytes; undefined for everything else, also for a wrapping within another.
 */
export function unwrapErc6492(wrapped: Hex): Hex | undefined {
  if (!isWrapped(wrapped)) return undefined;
  const hex = toLowerHex(wrapped).slice(2, -word);
  if (hex.length % word !== 0 || !/^0{24}[0-9a-f]{40}$/.test(hex.slice(0, word))) return undefined;
  // The two dynamic arguments follow the head of three words, in order and without a gap.
  if (numberAt(hex, word) !== 3 * word) return undefined;
  const calldata = bytesAt(hex, 3 * word);
  if (!calldata || numberAt(hex, 2 * word) !== calldata.end) return undefined;
  const inner = bytesAt(hex, calldata.end);
  if (!inner || inner.end !== hex.length) return undefined;
  const signature: Hex = `0x${inner.digits}`;
  return isHexBytes(signature, hex.length) && !isWrapped(signature) ? signature : undefined;
}

/** Reads a length or an offset in bytes at a place in hex digits; gives it in hex digits too. */
function numberAt(hex: string, at: number): number | undefined {
  const digits = hex.slice(at, at + word);
  const high = digits.slice(0, word - lengthDigits);
  if (digits.length < word || !/^0+$/.test(high)) return undefined;
  return 2 * Number.parseInt(digits.slice(-lengthDigits), 16);
}

/** Reads `bytes` with its length before it and zeros up to a whole word after it. */
function bytesAt(hex: string, at: number): { digits: string; end: number } | undefined {
  const length = numberAt(hex, at);
  if (length === undefined) return undefined;
  const start = at + word;
  const end = start + Math.ceil(length / word) * word;
  if (end > hex.length || !/^0*$/.test(hex.slice(start + length, end))) return undefined;
  return { digits: hex.slice(start, start + length), end };
}
