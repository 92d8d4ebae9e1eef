/** Invitations to accounts, and the accounts of a wallet. Times are milliseconds since 1970. */
import type { Address, ChainId } from "@farthing/protocol";
import type { Role } from "../../http/access/permissions.ts";

/** An owner lets a wallet join the account; the wallet decides. */
export interface Invitation {
  readonly account: Address;
  readonly address: Address;
  readonly role: Role;
  /**
   * The chain of a contract wallet; null for a plain one. Another chain's contract at the same
   * address may have another owner.
   */
  readonly chainId: ChainId | null;
  readonly invitedBy: Address;
  readonly invitedAt: number;
  readonly expiresAt: number;
}

/** An account that a wallet is a member of. */
export interface Membership {
  readonly account: Address;
  /** Of the account; empty when its owner gave no name. */
  readonly label: string;
  readonly role: Role;
}

declare module "../sign-in/model.ts" {
  interface StepUpDetails {
    readonly invite_member: {
      readonly address: Address;
      readonly role: Role;
      readonly chainId: ChainId | null;
    };
    readonly change_role: { readonly address: Address; readonly role: Role };
  }
}
