/** Gas that transactions used, by their receipts. */
import { isObject, type Hex } from "@farthing/protocol";
import { quantity, resultOf, type Chain } from "../endpoints/chain.ts";

export interface GasReceipt {
  readonly hash: Hex;
  readonly gasUsed: number;
  /** Wei per gas; undefined where the node omits it: then the transaction's own price applies. */
  readonly gasPrice: bigint | undefined;
}

/** Returns the receipts that the node has. Throws RPC faults. */
export async function readGasReceipts(chain: Chain, hashes: readonly Hex[]): Promise<GasReceipt[]> {
  const method = "eth_getTransactionReceipt";
  const replies = await chain.read(hashes.map((hash) => ({ method, params: [hash] })));
  return hashes.flatMap((hash, index) => {
    const receipt = resultOf(replies[index], method);
    if (!isObject(receipt)) return [];
    const price = receipt["effectiveGasPrice"];
    return [
      {
        hash,
        gasUsed: Number(quantity(receipt["gasUsed"], "gas used")),
        gasPrice: price == null ? undefined : quantity(price, "a gas price"),
      },
    ];
  });
}
