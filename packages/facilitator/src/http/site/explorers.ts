/** Links to block explorers. */
import type { ChainId, Hex } from "@farthing/protocol";

/** Addresses of explorers by chain; a chain without one has no links. */
export type Explorers = ReadonlyMap<ChainId, string>;

export function linkTo(
  explorers: Explorers,
  chainId: ChainId,
  transaction: Hex | null,
): string | null {
  const explorer = explorers.get(chainId);
  return transaction === null || explorer === undefined ? null : `${explorer}/tx/${transaction}`;
}
