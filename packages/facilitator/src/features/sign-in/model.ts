/** Linked wallets, sign requests and sessions. Times are milliseconds since 1970. */
import type { WalletKind } from "@farthing/engine";
import type { Address, ChainId } from "@farthing/protocol";
import type { Role } from "../../http/access/permissions.ts";

/** A member of an account besides its own address: signs in to it and may pay for it. */
export interface LinkedWallet {
  readonly account: Address;
  readonly address: Address;
  readonly kind: WalletKind;
  /** The chain of a contract wallet; null for a plain one. */
  readonly chainId: ChainId | null;
  readonly role: Role;
  readonly linkedAt: number;
}

/** The details of each action that requires a step-up signature; features declare theirs here. */
export interface StepUpDetails {
  readonly link_wallet: { readonly address: Address };
  readonly unlink_wallet: { readonly address: Address };
  /** Empty: there is nothing to choose. */
  readonly revoke_sessions: object;
}

export type StepUpName = keyof StepUpDetails;

export type SignPurpose = "sign_in" | StepUpName;

/** A text for a wallet to sign. The first response deletes it, right or wrong. */
export interface SignRequest {
  readonly id: string;
  readonly purpose: SignPurpose;
  /** The wallet that signs. */
  readonly address: Address;
  readonly chainId: ChainId;
  /** The account that it concerns; null until that is known. */
  readonly account: Address | null;
  /** The signed text, byte for byte. */
  readonly message: string;
  /** Hash of the requesting browser's cookie; no other browser may respond. */
  readonly binding: string;
  /** JSON: exactly what the signature allows. */
  readonly details: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A signed-in browser. The cookie's token is stored as a hash only. */
export interface Session {
  /** Names the session in lists; not secret. */
  readonly id: string;
  readonly account: Address;
  /** The wallet that signed. */
  readonly wallet: Address;
  readonly walletKind: WalletKind;
  readonly chainId: ChainId;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** The absolute end; an idle session ends earlier, counted from `lastSeenAt`. */
  readonly expiresAt: number;
}

/** A running session with the role that its wallet has in the account now. */
export interface MemberSession extends Session {
  readonly role: Role;
}

declare module "../../http/access/session.ts" {
  interface RequestSession extends MemberSession {}
}
