/** What a wallet says of its accounts and of its network, read with care. */
import { parseWireAddress, type Address } from "@farthing/protocol";

/** Addresses in the answer of `eth_accounts` and in `accountsChanged`; what is none is left out. */
export function readAddresses(value: unknown): Address[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [];
  return texts.map(parseWireAddress).filter((address) => address !== undefined);
}

/** A chain id as wallets write it: `0x33`. */
export function readChainId(value: unknown): number | undefined {
  const chainId = typeof value === "string" || typeof value === "number" ? Number(value) : NaN;
  return Number.isSafeInteger(chainId) ? chainId : undefined;
}
