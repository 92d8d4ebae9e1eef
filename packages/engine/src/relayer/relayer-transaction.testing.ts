/** Relayer transactions for tests of what is in hand. */
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import { plainTransferGas } from "./fees.ts";

/** A signed transaction of a wallet at nonce 7. */
export function signedTransaction(
  id: number,
  settlementIds: readonly string[] = ["stl_1"],
): RelayerTransaction {
  return {
    id,
    chainId: 51,
    lane: "0x1111111111111111111111111111111111111111",
    nonce: 7,
    settlementIds,
    to: "0x2222222222222222222222222222222222222222",
    data: "0x",
    gasLimit: plainTransferGas,
    gasPrice: 12_500_000_000n,
    raw: "0x00",
    hash: `0x${id.toString(16).padStart(64, "0")}`,
    state: "signed",
  };
}
