/** Linked wallets, the texts that wallets are asked to sign, and sessions. Times are milliseconds since 1970. */
import type { WalletKind } from "@farthing/engine";
import type { Address, ChainId } from "@farthing/protocol";

/** A further wallet that signs in and pays for an account. Its own address is none of these. */
export interface LinkedWallet {
  readonly account: Address;
  readonly address: Address;
  readonly kind: WalletKind;
  /** The chain of a contract wallet; null for a plain one. */
  readonly chainId: ChainId | null;
  readonly linkedAt: number;
}

/** The details of each action that takes a step-up signature; features declare their own here. */
export interface StepUpDetails {
  readonly link_wallet: { readonly address: Address };
  readonly unlink_wallet: { readonly address: Address };
  /** Empty: there is nothing to choose. */
  readonly revoke_sessions: object;
}

export type StepUpName = keyof StepUpDetails;

/** The purpose of a signature. */
export type SignPurpose = "sign_in" | StepUpName;

/** A text that a wallet is asked to sign. It is gone with the first answer, right or wrong. */
export interface SignRequest {
  readonly id: string;
  readonly purpose: SignPurpose;
  /** The wallet that is to sign. */
  readonly address: Address;
  readonly chainId: ChainId;
  /** The account that it is for; null while that is not said yet. */
  readonly account: Address | null;
  /** What is signed, byte for byte. */
  readonly message: string;
  /** Hash of the cookie that asked for it: nobody else may answer. */
  readonly binding: string;
  /** JSON: what the signature allows, exactly. */
  readonly details: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A browser that is signed in. What the cookie holds is stored as a hash only. */
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
  /** The end, whatever is done meanwhile; that of a long silence is reckoned from `lastSeenAt`. */
  readonly expiresAt: number;
}

declare module "../../http/session.ts" {
  interface RequestSession extends Session {}
}
