/** Other ways to write a plain 65-byte signature; the token takes none of them. */
import type { Hex } from "@farthing/protocol";
import * as SignatureErc6492 from "ox/erc6492/SignatureErc6492";

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

/** Wrapped as smart wallets do before they are deployed (ERC-6492), for a factory of nobody's. */
export function toErc6492(signature: Hex): Hex {
  return SignatureErc6492.wrap({ to: `0x${"fa".repeat(20)}`, data: "0xc0ffee", signature });
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
