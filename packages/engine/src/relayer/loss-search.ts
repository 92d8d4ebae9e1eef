/** What the wallets ask of, and tell, the search for transactions that the store has lost. */
import type { Address } from "@farthing/protocol";

export interface LossSearch {
  /**
   * Whether a wallet's next nonce may be raised to this count: not while transactions between the
   * two have not been looked at, since the difference shows that they are missing.
   */
  mayRaise(wallet: Address, count: number): Promise<boolean>;
  /** It is certain that transactions are missing from the store. */
  search(): void;
  /** A nonce was used by a transaction that the store does not have. */
  onUnknownUse(wallet: Address): void;
}
