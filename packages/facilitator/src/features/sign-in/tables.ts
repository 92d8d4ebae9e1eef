/** The tables of linked wallets, sign requests and sessions. */
import type { WalletKind } from "@farthing/engine";
import { address, type Whole, type WholeOrNull } from "@farthing/engine/storage";
import type { Address, ChainId } from "@farthing/protocol";
import type { Selectable } from "kysely";
import type { LinkedWallet, Session, SignPurpose, SignRequest } from "./model.ts";

export interface AccountWalletTable {
  account: Address;
  address: Address;
  kind: WalletKind;
  chain_id: ChainId | null;
  linked_at: Whole;
}

export interface SignRequestTable {
  id: string;
  purpose: SignPurpose;
  address: Address;
  chain_id: ChainId;
  account: Address | null;
  message: string;
  binding: string;
  details: string;
  created_at: Whole;
  expires_at: Whole;
}

export interface SessionTable {
  id_hash: string;
  id: string;
  account: Address;
  wallet: Address;
  wallet_kind: WalletKind;
  chain_id: ChainId;
  created_at: Whole;
  last_seen_at: Whole;
  expires_at: Whole;
  revoked_at: WholeOrNull;
}

declare module "@farthing/engine/storage" {
  interface Tables {
    account_wallets: AccountWalletTable;
    sign_requests: SignRequestTable;
    sessions: SessionTable;
  }
}

export function toLinkedWallet(row: Selectable<AccountWalletTable>): LinkedWallet {
  return {
    account: address(row.account),
    address: address(row.address),
    kind: row.kind,
    chainId: row.chain_id,
    linkedAt: Number(row.linked_at),
  };
}

export function toSignRequest(row: Selectable<SignRequestTable>): SignRequest {
  return {
    id: row.id,
    purpose: row.purpose,
    address: address(row.address),
    chainId: row.chain_id,
    account: row.account === null ? null : address(row.account),
    message: row.message,
    binding: row.binding,
    details: row.details,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}

export function toSession(row: Selectable<SessionTable>): Session {
  return {
    id: row.id,
    account: address(row.account),
    wallet: address(row.wallet),
    walletKind: row.wallet_kind,
    chainId: row.chain_id,
    createdAt: Number(row.created_at),
    lastSeenAt: Number(row.last_seen_at),
    expiresAt: Number(row.expires_at),
  };
}
