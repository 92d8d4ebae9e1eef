/** ERC-6492 wraps the signature of a smart wallet, which understands only the inner signature. */
import { hasErc6492Form, isHexBytes, toLowerHex, type Address, type Hex } from "@farthing/protocol";

const word = 64;

/** Lengths and offsets are read up to 2^32, more than any signature here has. */
const lengthDigits = 8;

/** A wrapped signature, taken apart. */
export interface Erc6492 {
  readonly factory: Address;
  /** Calldata that makes the factory deploy the wallet. */
  readonly factoryCall: Hex;
  readonly signature: Hex;
}

/** Returns the inner signature; see {@link readErc6492}. */
export function unwrapErc6492(wrapped: Hex): Hex | undefined {
  return readErc6492(wrapped)?.signature;
}

/**
 * Reads `abi.encode(address factory, bytes calldata, bytes signature)` and the magic bytes. Accepts
 * only the canonical encoding without nesting, so that no two parsers can see different signatures in
 * the same bytes.
 */
export function readErc6492(wrapped: Hex): Erc6492 | undefined {
  if (!hasErc6492Form(wrapped)) return undefined;
  const hex = toLowerHex(wrapped).slice(2, -word);
  if (hex.length % word !== 0 || !/^0{24}[0-9a-f]{40}$/.test(hex.slice(0, word))) return undefined;
  // The dynamic arguments follow the head of three words, in order and without a gap.
  if (numberAt(hex, word) !== 3 * word) return undefined;
  const calldata = bytesAt(hex, 3 * word);
  if (!calldata || numberAt(hex, 2 * word) !== calldata.end) return undefined;
  const inner = bytesAt(hex, calldata.end);
  if (!inner || inner.end !== hex.length) return undefined;
  const signature: Hex = `0x${inner.digits}`;
  const factoryCall: Hex = `0x${calldata.digits}`;
  const isReadable = isHexBytes(signature, hex.length) && isHexBytes(factoryCall, hex.length);
  if (!isReadable || hasErc6492Form(signature)) return undefined;
  return { factory: `0x${hex.slice(24, word)}`, factoryCall, signature };
}

/** Reads a length or offset in bytes; returns it in hex digits. */
function numberAt(hex: string, at: number): number | undefined {
  const digits = hex.slice(at, at + word);
  const high = digits.slice(0, word - lengthDigits);
  if (digits.length < word || !/^0+$/.test(high)) return undefined;
  return 2 * Number.parseInt(digits.slice(-lengthDigits), 16);
}

/** Reads `bytes`: the length, then the data padded with zeros to a whole word. */
function bytesAt(hex: string, at: number): { digits: string; end: number } | undefined {
  const length = numberAt(hex, at);
  if (length === undefined) return undefined;
  const start = at + word;
  const end = start + Math.ceil(length / word) * word;
  if (end > hex.length || !/^0*$/.test(hex.slice(start + length, end))) return undefined;
  return { digits: hex.slice(start, start + length), end };
}
