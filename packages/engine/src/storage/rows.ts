/** Rows to model and back. PostgreSQL gives 64-bit columns as text, SQLite as numbers. */
import { networkOfChain, parseWireAddress, toLowerHex, type Address } from "@farthing/protocol";
import { assert } from "../base/assert.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { Claim, Settlement } from "../model/settlement.ts";
import type { NewSettlementRow, RelayerTransactionRow, SettlementRow } from "./schema.ts";

export function address(text: string): Address {
  const parsed = parseWireAddress(text);
  assert(parsed, "a stored address is an address");
  return parsed;
}

export function numberOrNull(value: number | string | null): number | null {
  return value === null ? null : Number(value);
}

/** Reads a settlement. */
export function toSettlement(row: SettlementRow): Settlement {
  const chainId = row.chain_id;
  return {
    id: row.id,
    chainId,
    asset: networkOfChain(chainId).usdc,
    payer: address(row.payer),
    nonce: row.nonce,
    payTo: address(row.pay_to),
    amount: BigInt(row.amount),
    validAfter: BigInt(row.valid_after),
    validBefore: BigInt(row.valid_before),
    signature: row.signature,
    payerHasCode: row.payer_has_code === 1,
    seenUnusedAt: Number(row.seen_unused_at),
    networkName: row.network_name,
    keyId: row.key_id,
    // Whoever shows a key is served before those that show none.
    priority: row.key_id === null ? "open" : "keyed",
    state: row.state,
    transaction: row.transaction_hash,
    blockNumber: numberOrNull(row.block_number),
    blockHash: row.block_hash,
    logIndex: row.log_index,
    settledBy: row.settled_by,
    failure: row.failure,
    failureMessage: row.failure_message,
    credits: Number(row.credits),
    createdAt: Number(row.created_at),
    submittedAt: numberOrNull(row.submitted_at),
    confirmedAt: numberOrNull(row.confirmed_at),
    finalizedAt: numberOrNull(row.finalized_at),
    failedAt: numberOrNull(row.failed_at),
    owner: row.account === null ? null : address(row.account),
    requestId: row.request_id,
  };
}

/** Writes a new settlement. */
export function toSettlementRow(claim: Claim, now: number): NewSettlementRow {
  return {
    id: claim.id,
    chain_id: claim.chainId,
    asset: toLowerHex(claim.asset),
    payer: toLowerHex(claim.payer),
    nonce: toLowerHex(claim.nonce),
    pay_to: toLowerHex(claim.payTo),
    amount: claim.amount.toString(),
    valid_after: claim.validAfter.toString(),
    valid_before: claim.validBefore.toString(),
    signature: claim.signature,
    payer_has_code: claim.payerHasCode ? 1 : 0,
    seen_unused_at: claim.seenUnusedAt,
    network_name: claim.networkName,
    key_id: claim.keyId,
    state: "queued",
    credits: claim.credits,
    created_at: now,
    account: claim.owner === null ? null : toLowerHex(claim.owner),
    request_id: claim.requestId,
  };
}

/** Reads a relayer transaction. */
export function toRelayerTransaction(
  row: Omit<
    RelayerTransactionRow,
    "created_at" | "sent_at" | "block_number" | "gas_used" | "gas_price_paid"
  >,
  settlementIds: readonly string[],
): RelayerTransaction {
  return {
    id: Number(row.id),
    chainId: row.chain_id,
    lane: address(row.lane),
    nonce: Number(row.nonce),
    to: address(row.to_address),
    data: row.data,
    gasLimit: BigInt(row.gas_limit),
    gasPrice: BigInt(row.gas_price),
    state: row.state,
    raw: row.raw,
    hash: row.hash,
    settlementIds,
  };
}
