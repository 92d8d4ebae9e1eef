import { hexDigits, isHexBytes, type Address, type Hex } from "@farthing/protocol";
import type { Connection } from "./connection.ts";
import { ask, WalletProblem } from "@farthing/buyer/wallet";

/** Enough for a contract wallet with many owners. */
const signatureBytesMax = 16_384;

/** Signs text (EIP-191). */
export async function signText(
  { wallet }: Connection,
  address: Address,
  text: string,
  signal: AbortSignal,
): Promise<Hex> {
  const hex = `0x${hexDigits(new TextEncoder().encode(text))}`;
  return signatureIn(await ask(wallet.provider, "personal_sign", [hex, address], signal));
}

/** Signs typed data (EIP-712). */
export async function signTypedData(
  { wallet }: Connection,
  address: Address,
  typedData: object,
  signal: AbortSignal,
): Promise<Hex> {
  const params = [address, JSON.stringify(typedData)];
  return signatureIn(await ask(wallet.provider, "eth_signTypedData_v4", params, signal));
}

function signatureIn(value: unknown): Hex {
  if (isHexBytes(value, signatureBytesMax)) return value;
  throw new WalletProblem("failed", "Your wallet returned an invalid signature. Try again.");
}
