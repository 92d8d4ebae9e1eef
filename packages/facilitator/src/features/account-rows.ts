/** Rows of accounts to model and back; see rows.ts. */
import { toLowerHex } from "@farthing/protocol";
import type { ApiKey } from "./api-keys/model.ts";
import type { Account, LinkedWallet, Session, SignRequest } from "./accounts/model.ts";
import type {
  AccountRow,
  AccountWalletRow,
  ApiKeyRow,
  NewApiKeyRow,
  SessionRow,
  SignRequestRow,
} from "./account-tables.ts";
import { address, numberOrNull } from "@farthing/engine/storage";

/** Reads an account. */
export function toAccount(row: AccountRow): Account {
  return {
    address: address(row.address),
    plan: row.plan,
    label: row.label,
    lowCreditsAt: numberOrNull(row.low_credits_at),
    contractChainId: row.contract_chain_id,
    createdAt: Number(row.created_at),
  };
}

/** Reads a linked wallet. */
export function toLinkedWallet(row: AccountWalletRow): LinkedWallet {
  return {
    account: address(row.account),
    address: address(row.address),
    kind: row.kind,
    chainId: row.chain_id,
    linkedAt: Number(row.linked_at),
  };
}

/** Reads a sign request. */
export function toSignRequest(row: SignRequestRow): SignRequest {
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

/** Reads a session. */
export function toSession(row: SessionRow): Session {
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

/** Reads an API key. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    account: address(row.account),
    mode: row.mode,
    label: row.label,
    hash: row.hash,
    lastFour: row.last_four,
    createdAt: Number(row.created_at),
    lastUsedAt: numberOrNull(row.last_used_at),
    expiresAt: numberOrNull(row.expires_at),
    revokedAt: numberOrNull(row.revoked_at),
  };
}

/** Writes an API key. */
export function toApiKeyRow(key: ApiKey): NewApiKeyRow {
  return {
    id: key.id,
    account: toLowerHex(key.account),
    mode: key.mode,
    label: key.label,
    hash: key.hash,
    last_four: key.lastFour,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
  };
}
