/** Other ways to write a plain 65-byte signature; the token takes none of them. */
import type { Hex } from "@farthing/protocol";

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function partsOf(signature: Hex) {
  const r = signature.slice(2, 66);
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  return { r, s, parity: BigInt(`0x${signature.slice(130, 132)}`) - 27n };
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}

/** The malleable twin: `n - s` and the other parity. */
export function toHighS(signature: Hex): Hex {
  const { r, s, parity } = partsOf(signature);
  return `0x${r}${word(curveOrder - s)}${parity === 0n ? "1c" : "1b"}`;
}

/** v as 0 or 1. */
export function toParityV(signature: Hex): Hex {
  const { r, s, parity } = partsOf(signature);
  return `0x${r}${word(s)}0${parity}`;
}

/** The 64 bytes of EIP-2098: the parity in the top bit of s. */
export function toCompact(signature: Hex): Hex {
  const { r, s, parity } = partsOf(signature);
  return `0x${r}${word((parity << 255n) | s)}`;
}
