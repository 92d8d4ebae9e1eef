/**
 * `farthing receipts verify`: a receipt or an attestation, by the signatures of facilitator and seller
 * and on chain.
 */
import { readFileSync } from "node:fs";
import {
  nodesOf,
  noNode,
  readOutcomeOf,
  verifyAttestation,
  type ChainOutcome,
} from "@farthing/buyer";
import {
  findSettlementAttestation,
  isObject,
  isSameAddress,
  member,
  parseJson,
  type SettlementAttestation,
} from "@farthing/protocol";
import { openLedger } from "../input/buyer-settings.ts";
import { ConfigurationError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { readKeySet } from "./key-set.ts";
import { timeOf } from "../ledger/ledger-report.ts";
import { printOne, type PrintFlags } from "../output/print-output.ts";
import { claimOfAttestation, readClaim, receiptOf, type ReceiptClaim } from "./receipt.ts";
import { demandNode, nodeUrl, type NodeFlags } from "../input/rpc-node.ts";
import { whileWaiting } from "../output/waiting.ts";
import { readSellerEvidence, verifySeller, type SellerEvidence } from "./verify-seller.ts";

export interface VerifyFlags extends PrintFlags, NodeFlags {
  /** A URL or a file. */
  readonly jwks?: string;
  /** An address, a URL or a file. */
  readonly seller?: string;
}

export async function verifyReceipt(name: string, flags: VerifyFlags): Promise<ExitCode> {
  const evidence = await findEvidence(name);
  if (!evidence) {
    console.error(
      `${name} is neither a receipt of the ledger nor a file that holds one, or an attestation.`,
    );
    return exitCodes.notFound;
  }
  const result = await whileWaiting("Verifying the receipt", () => examine(evidence, flags));
  printOne({ receipt: name, ...result }, flags);
  return exitOfVerdict[result.verdict];
}

/** What a receipt or a file contains. */
interface Evidence {
  readonly claim: ReceiptClaim | undefined;
  /** Not verified yet. */
  readonly jws: string | undefined;
  readonly signed: SellerEvidence;
}

type Verdict = "valid" | "attested" | "signed" | "not_final" | "mismatch" | "unknown";

const exitOfVerdict: Readonly<Record<Verdict, ExitCode>> = {
  valid: exitCodes.success,
  attested: exitCodes.success,
  signed: exitCodes.success,
  not_final: exitCodes.paymentOpen,
  mismatch: exitCodes.general,
  unknown: exitCodes.network,
};

interface Examined {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly transaction: string | undefined;
  readonly attestation?: string;
  readonly sellerOffer?: string;
  readonly sellerReceipt?: string;
}

async function examine(evidence: Evidence, flags: VerifyFlags): Promise<Examined> {
  const { claim } = evidence;
  const seller = await verifySeller(evidence, flags.seller);
  if (!seller.ok) return { ...mismatch(seller.reason), transaction: claim?.transaction };
  const { isVerified, texts } = seller;
  // Without a node, the signature of the seller is what there is to see.
  if (isVerified && flags.jwks === undefined && nodeUrl(flags) === noNode) {
    const { transaction } = claim ?? {};
    return { verdict: "signed", reason: "no node was asked", transaction, ...texts };
  }
  return { ...(await examinePayment(evidence, flags)), ...texts };
}

async function examinePayment({ claim, jws }: Evidence, flags: VerifyFlags): Promise<Examined> {
  const { jwks } = flags;
  if (jwks === undefined) {
    if (!claim) {
      const where = "--jwks https://facilitator.example, or a file with its keys";
      throw new ConfigurationError(`To verify an attestation, name the facilitator: ${where}.`);
    }
    const hint = "not verified: name the facilitator that you trust with --jwks";
    return { ...(await compareWithChain(claim, flags)), ...(jws && { attestation: hint }) };
  }
  if (jws === undefined) {
    return { ...mismatch("the receipt contains no attestation"), transaction: claim?.transaction };
  }
  const verified = verifyAttestation(jws, await readKeySet(jwks, "--jwks"));
  if (!verified.ok) {
    const { reason } = verified;
    return { ...mismatch(`the attestation is wrong: ${reason}`), transaction: claim?.transaction };
  }
  const { attestation } = verified;
  const { transaction } = attestation;
  if (claim && !isAbout(attestation, claim)) {
    return { ...mismatch("the attestation is about another payment"), transaction };
  }
  const text = describeAttestation(attestation);
  if (nodeUrl(flags) === noNode) {
    return { verdict: "attested", reason: "no node was asked", transaction, attestation: text };
  }
  const onChain = await compareWithChain(claim ?? claimOfAttestation(attestation), flags);
  return { ...onChain, attestation: text };
}

const mismatch = (reason: string) => ({ verdict: "mismatch" as const, reason });

function describeAttestation({ iss, iat, finalized, refundOf }: SettlementAttestation): string {
  const state = finalized ? "final" : "not final";
  const what = refundOf === undefined ? "the money moved" : `the money of ${refundOf} was refunded`;
  return `${iss ?? "the facilitator"} attests that ${what}; ${state} as of ${timeOf(iat * 1000)}`;
}

function isAbout(attestation: SettlementAttestation, claim: ReceiptClaim): boolean {
  return (
    attestation.network === claim.network.id &&
    isSameAddress(attestation.asset, claim.network.usdc) &&
    isSameAddress(attestation.payer, claim.from) &&
    isSameAddress(attestation.payTo, claim.to) &&
    attestation.amount === claim.units.toString() &&
    isSameAddress(attestation.nonce, claim.nonce) &&
    isSameAddress(attestation.transaction, claim.transaction)
  );
}

async function findEvidence(name: string): Promise<Evidence | undefined> {
  const record = await openLedger().find(name);
  if (record) return evidenceOf(receiptOf(record));
  try {
    const text = readFileSync(name, "utf8").trim();
    return evidenceOf(parseJson(text)?.value ?? { signature: text });
  } catch {
    return undefined;
  }
}

const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Reads a receipt, a settle response, the response of the facilitator, or an attestation alone. */
function evidenceOf(value: unknown): Evidence | undefined {
  if (!isObject(value)) return undefined;
  const serverReceipt = member(value, "serverReceipt");
  const alone = member(value, "signature");
  const jws =
    findSettlementAttestation(isObject(serverReceipt) && member(serverReceipt, "extensions")) ??
    findSettlementAttestation(member(value, "extensions")) ??
    (typeof alone === "string" && compactJws.test(alone) ? alone : undefined);
  const claim = readClaim(value);
  const signed = readSellerEvidence(value);
  return claim || jws !== undefined ? { claim, jws, signed } : undefined;
}

async function compareWithChain(claim: ReceiptClaim, flags: VerifyFlags) {
  const nodes = nodesOf(demandNode(flags));
  const outcome = await readOutcomeOf(fetch, nodes(claim.network), claim);
  return { ...compare(claim, outcome), transaction: claim.transaction };
}

function compare(
  claim: ReceiptClaim,
  outcome: ChainOutcome,
): { readonly verdict: Verdict; readonly reason: string } {
  if (outcome.state === "unknown") {
    const verdict = outcome.isContradicted === true ? "mismatch" : "unknown";
    return { verdict, reason: outcome.reason };
  }
  if (outcome.state === "unused") return { verdict: "mismatch", reason: outcome.reason };
  const { transaction, blockNumber, isFinal } = outcome;
  if (transaction !== claim.transaction) {
    return { verdict: "mismatch", reason: `paid by another transaction, ${transaction}` };
  }
  return isFinal
    ? { verdict: "valid", reason: `paid in block ${blockNumber}, which is final` }
    : { verdict: "not_final", reason: `paid in block ${blockNumber}, which is not final yet` };
}
