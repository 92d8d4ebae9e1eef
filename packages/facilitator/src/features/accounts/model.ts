/** Accounts of sellers, by payout address. Times are milliseconds since 1970. */
import type { Address, ChainId } from "@farthing/protocol";

/** Nothing settles with the keys of an `inactive` account; the operator deactivated it. */
export type Plan = "active" | "inactive";

/** What its owner may change; what is left out stays. */
export interface AccountChanges {
  readonly label?: string;
  readonly lowCreditsAt?: number | null;
}

/** Sales are paid to the account's own address. */
export interface Account {
  readonly address: Address;
  readonly plan: Plan;
  /** Empty when the owner gave no name. */
  readonly label: string;
  /** The owner is notified when fewer credits are left; null for never. */
  readonly lowCreditsAt: number | null;
  /**
   * The chain on which the address is a contract that signs in; null for a plain address and before
   * the first sign-in. A contract at this address on another chain may have another owner.
   */
  readonly contractChainId: ChainId | null;
  readonly createdAt: number;
}
