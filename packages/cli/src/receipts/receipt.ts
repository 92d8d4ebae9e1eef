/** The receipt of a settled payment: what shows, and proves, that it was paid. */
import { verifySellerStatement, type LedgerRecord, type SignedTerms } from "@farthing/buyer";
import {
  csvCell,
  apothem,
  decodeHeader,
  defined,
  explorerLink,
  findNetwork,
  findSignedOffers,
  isBytes32,
  isObject,
  isTransactionHash,
  member,
  parseAddress,
  parseUint256,
  xdc,
  type Hex,
  type SettlementAttestation,
} from "@farthing/protocol";
import { recordObject, timeOf } from "../ledger/ledger-report.ts";

/** The columns of an export, in order; `serverReceipt` is JSON. */
const receiptColumns = [
  "requestId",
  "method",
  "url",
  "requestBodyHash",
  "payer",
  "payTo",
  "network",
  "asset",
  "amount",
  "amountUsdc",
  "nonce",
  "validBefore",
  "transaction",
  "explorerUrl",
  "evidence",
  "responseStatus",
  "responseHash",
  "serverReceipt",
  "createdAt",
  "settledAt",
] as const;

/** A receipt as it is printed; amounts as digits, times in RFC 3339. */
export type Receipt = Readonly<Partial<Record<(typeof receiptColumns)[number], unknown>>> & {
  /** As the seller signed it, of the terms that were paid; not in CSV. */
  readonly sellerOffer?: unknown;
};

export function receiptOf(record: LedgerRecord): Receipt {
  const { transaction, signed, reservedAt } = record;
  const network = findNetwork(record.network);
  const all: Readonly<Record<string, unknown>> = {
    ...recordObject(record),
    validBefore: signed?.validBefore,
    explorerUrl: network && transaction && explorerLink(network, transaction, record.host),
    createdAt: timeOf(reservedAt),
  };
  const columns = Object.fromEntries(receiptColumns.map((column) => [column, all[column]]));
  return { ...columns, ...defined({ sellerOffer: signed && paidOffer(signed.headerValue) }) };
}

/** Returns the signed offer whose terms a payment echoes; undefined without one. */
function paidOffer(paymentHeader: string): unknown {
  const payment = decodeHeader(paymentHeader)?.value;
  if (!isObject(payment)) return undefined;
  const terms = member(payment, "accepted");
  return findSignedOffers(member(payment, "extensions")).find((offer) => {
    const read = verifySellerStatement("offer", offer);
    const isSame = (name: string) =>
      read.ok && isObject(terms) && member(read.statement, name) === member(terms, name);
    return ["scheme", "network", "asset", "payTo", "amount"].every(isSame);
  });
}

/** Receipts as CSV by RFC 4180, with a header line. */
export function receiptsCsv(receipts: readonly Receipt[]): string {
  const lines = receipts.map((receipt) => receiptColumns.map((column) => receipt[column]));
  return [receiptColumns, ...lines].map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return csvCell(typeof value === "string" ? value : JSON.stringify(value));
}

/** The part of a receipt that the chain can confirm. */
export type ReceiptClaim = SignedTerms & { readonly transaction: Hex };

/** Reads the claim of a receipt; undefined when the value is not a receipt. */
export function readClaim(value: unknown): ReceiptClaim | undefined {
  if (!isObject(value)) return undefined;
  const network = findNetwork(value["network"]);
  const from = parseAddress(value["payer"]);
  const to = parseAddress(value["payTo"]);
  const units = parseUint256(value["amount"]);
  const { nonce, validBefore, createdAt, transaction } = value;
  const signedAfter = typeof createdAt === "string" ? Date.parse(createdAt) / 1000 : Number.NaN;
  const isComplete = network && from && to && units !== undefined && isBytes32(nonce);
  if (!isComplete || typeof validBefore !== "number" || Number.isNaN(signedAfter)) return undefined;
  if (typeof transaction !== "string" || !isTransactionHash(transaction)) return undefined;
  return { network, from, to, units, nonce, validBefore, signedAfter, transaction };
}

/** Buyers sign a payment minutes before it is settled, and most attestations follow at once. */
const hourSeconds = 3600;

/** An attestation as the claim that it makes; the payment was used before it was attested. */
export function claimOfAttestation(attestation: SettlementAttestation): ReceiptClaim {
  const { iat, payer: from, payTo: to, nonce, transaction } = attestation;
  return {
    network: attestation.network === xdc.id ? xdc : apothem,
    from,
    to,
    units: BigInt(attestation.amount),
    nonce,
    transaction,
    validBefore: iat,
    signedAfter: iat - hourSeconds,
  };
}
