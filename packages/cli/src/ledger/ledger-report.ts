/** A payment of the ledger as it is shown, without its signature, which could be presented. */
import { openStates, type LedgerRecord } from "@farthing/buyer";
import { formatUsdc } from "@farthing/protocol";
import type { Layout, Row } from "../output/table.ts";

/** RFC 3339 of milliseconds since 1970. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function recordObject(record: LedgerRecord) {
  const { request, signed, answer } = record;
  return {
    requestId: record.requestId,
    state: record.state,
    isOpen: openStates.includes(record.state),
    method: request?.method,
    url: request?.url ?? signed?.url,
    requestBodyHash: request?.bodyHash,
    headersLeftOut: request?.headersLeftOut,
    payer: record.wallet,
    payTo: record.payTo,
    host: record.host,
    network: record.network,
    asset: record.asset,
    amount: record.amountUnits.toString(),
    amountUsdc: formatUsdc(record.amountUnits),
    reservedAt: timeOf(record.reservedAt),
    nonce: signed?.nonce,
    authorizationExpiresAt: signed && timeOf(signed.validBefore * 1000),
    attempt: record.attempt,
    transaction: record.transaction,
    evidence: record.evidence,
    settledAt: record.settledAt === undefined ? undefined : timeOf(record.settledAt),
    responseStatus: answer?.status,
    responseHash: answer?.bodyHash,
    serverReceipt: answer?.receipt,
  };
}

export function recordRow(record: LedgerRecord): Row {
  const { requestId: request, state, amountUnits, host, payTo, reservedAt } = record;
  return { time: timeOf(reservedAt), state, usdc: formatUsdc(amountUnits), host, request, payTo };
}

/** Commands take the id of a request. */
export const recordLayout: Layout = { wide: ["payTo", "transaction"], whole: ["request", "usdc"] };
