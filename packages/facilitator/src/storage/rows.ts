/** Rows to model and back. PostgreSQL gives 64-bit columns as text, SQLite as numbers. */
import {
  networkOfChain,
  parseWireAddress,
  type Address,
  type ChainId,
  type Hex,
  type RefusalCode,
} from "@farthing/protocol";
import { assert } from "../base/assert.ts";
import type { ApiKey, KeyMode } from "../model/api-key.ts";
import type { RelayerTransaction, TransactionState } from "../model/relayer-transaction.ts";
import type { Claim, Settlement, SettlementState } from "../model/settlement.ts";
import type { ApiKeyRow, RelayerTransactionRow, SettlementRow, SettlementTable } from "./schema.ts";

function address(text: string): Address {
  const parsed = parseWireAddress(text);
  assert(parsed, "a stored address is an address");
  return parsed;
}

function numberOrNull(value: number | null): number | null {
  return value === null ? null : Number(value);
}

/** Reads a settlement. */
export function toSettlement(row: SettlementRow): Settlement {
  const chainId = Number(row.chain_id) as ChainId;
  return {
    id: row.id,
    chainId,
    asset: networkOfChain(chainId).usdc,
    payer: address(row.payer),
    nonce: row.nonce as Hex,
    payTo: address(row.pay_to),
    amount: BigInt(row.amount),
    validAfter: BigInt(row.valid_after),
    validBefore: BigInt(row.valid_before),
    signature: row.signature as Hex,
    payerHasCode: Number(row.payer_has_code) === 1,
    seenUnusedAt: Number(row.seen_unused_at),
    networkName: row.network_name,
    keyId: row.key_id,
    state: row.state as SettlementState,
    transaction: row.transaction_hash as Hex | null,
    blockNumber: numberOrNull(row.block_number),
    blockHash: row.block_hash as Hex | null,
    logIndex: numberOrNull(row.log_index),
    settledBy: row.settled_by as Settlement["settledBy"],
    failure: row.failure as RefusalCode | null,
    failureMessage: row.failure_message,
    credits: Number(row.credits),
    createdAt: Number(row.created_at),
    submittedAt: numberOrNull(row.submitted_at),
    confirmedAt: numberOrNull(row.confirmed_at),
    finalizedAt: numberOrNull(row.finalized_at),
    failedAt: numberOrNull(row.failed_at),
  };
}

/** Writes a new settlement. */
export function toSettlementRow(claim: Claim, now: number): SettlementTable {
  return {
    id: claim.id,
    chain_id: claim.chainId,
    asset: claim.asset.toLowerCase(),
    payer: claim.payer.toLowerCase(),
    nonce: claim.nonce.toLowerCase(),
    pay_to: claim.payTo.toLowerCase(),
    amount: claim.amount.toString(),
    valid_after: claim.validAfter.toString(),
    valid_before: claim.validBefore.toString(),
    signature: claim.signature,
    payer_has_code: claim.payerHasCode ? 1 : 0,
    seen_unused_at: claim.seenUnusedAt,
    network_name: claim.networkName,
    key_id: claim.keyId,
    state: "queued",
    transaction_id: null,
    transaction_hash: null,
    block_number: null,
    block_hash: null,
    log_index: null,
    settled_by: null,
    failure: null,
    failure_message: null,
    credits: 0,
    created_at: now,
    submitted_at: null,
    confirmed_at: null,
    finalized_at: null,
    failed_at: null,
  };
}

/** Reads a relayer transaction. */
export function toRelayerTransaction(
  row: RelayerTransactionRow,
  settlementIds: readonly string[],
): RelayerTransaction {
  return {
    id: Number(row.id),
    chainId: Number(row.chain_id) as ChainId,
    lane: address(row.lane),
    nonce: Number(row.nonce),
    to: address(row.to_address),
    data: row.data as Hex,
    gasLimit: BigInt(row.gas_limit),
    gasPrice: BigInt(row.gas_price),
    state: row.state as TransactionState,
    raw: row.raw as Hex | null,
    hash: row.hash as Hex | null,
    settlementIds,
  };
}

/** Reads an API key. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    account: address(row.account),
    mode: row.mode as KeyMode,
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
export function toApiKeyRow(key: ApiKey): ApiKeyRow {
  return {
    id: key.id,
    account: key.account.toLowerCase(),
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
