/** Accounts of sellers, by payout address. Times are milliseconds since 1970. */
import type { Address, ChainId } from "@farthing/protocol";

/** `active`, or `inactive` after the operator deactivated it: then nothing settles with its keys. */
export type Plan = "active" | "inactive";

/** An account as stored. Its address is the address that its sales are paid to. */
export interface Account {
  readonly address: Address;
  readonly plan: Plan;
  /** What its owner calls it; empty when it has no name. */
  readonly label: string;
  /** Credits below which its owner wants to hear of it; null for never. */
  readonly lowCreditsAt: number | null;
  /**
   * The chain on which its own address is a contract that signs in; null for a plain address, and
   * for one that has not signed in yet. The same contract elsewhere may have another owner.
   */
  readonly contractChainId: ChainId | null;
  readonly createdAt: number;
}
