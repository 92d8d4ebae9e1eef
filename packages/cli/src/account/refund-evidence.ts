/**
 * Compares what a facilitator says of a payment with the chain, before its refund is signed: one that
 * was taken over could name a payer who has not paid, or leave out the refunds that were made.
 */
import {
  isLoopback,
  nodesOf,
  noNode,
  readOutcomeOf,
  readRefundsOf,
  type SignedTerms,
} from "@farthing/buyer";
import {
  shortUsdc,
  isTransactionHash,
  member,
  parseUint256,
  type JsonObject,
  type RefundablePayment,
} from "@farthing/protocol";
import type { AccountFlags } from "./account-session.ts";
import { ConfigurationError } from "../command/command-errors.ts";
import { parseHttpUrl } from "../input/http-url.ts";
import { nodeUrl, type NodeFlags } from "../input/rpc-node.ts";

/** Throws unless the chain shows the payment, and that `amount` base units of it are left. */
export async function demandOnChain(
  settlement: JsonObject,
  payment: RefundablePayment,
  amount: bigint,
  flags: NodeFlags & Pick<AccountFlags, "facilitator">,
): Promise<void> {
  const url = nodeUrl(flags);
  if (url === noNode || (url === undefined && isHere(flags))) return;
  const nodes = nodesOf(url)(payment.network);
  const terms = termsOf(settlement, payment);
  const paid = await readOutcomeOf(fetch, nodes, terms);
  if (paid.state === "unknown" && paid.isContradicted !== true) throw noAnswer(paid.reason);
  if (paid.state !== "settled") {
    throw new Error(
      `The chain shows no payment of ${shortUsdc(terms.units)} USDC from ${terms.from} to ${terms.to} as the facilitator describes it. Nothing was signed: check the facilitator, or name the node of its chain with FARTHING_RPC_URL.`,
    );
  }
  if (!paid.isFinal) {
    throw new Error("The node does not show the payment as final yet. Repeat this in a minute.");
  }
  const refunded = await readRefundsOf(fetch, nodes, terms);
  if (refunded.state === "unknown") throw noAnswer(refunded.reason);
  const before = refunded.refunds.reduce((sum, { units }) => sum + units, 0n);
  if (before + amount > terms.units) {
    throw new Error(
      `The chain shows refunds of ${shortUsdc(before)} USDC of this payment, more than the facilitator says. Nothing was signed; check the facilitator.`,
    );
  }
}

/** A facilitator of this machine works on a chain that public nodes may not know. */
function isHere({ facilitator = "" }: Pick<AccountFlags, "facilitator">): boolean {
  const url = parseHttpUrl(facilitator);
  return url !== undefined && isLoopback(url.hostname);
}

function termsOf(settlement: JsonObject, payment: RefundablePayment): SignedTerms {
  const { network, payer: from, payTo: to, nonce } = payment;
  const [transaction, createdAt] = [
    member(settlement, "transaction"),
    member(settlement, "createdAt"),
  ];
  const createdMs = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN;
  const signedAfter = Number.isNaN(createdMs) ? 0 : Math.floor(createdMs / 1000);
  return {
    network,
    from,
    to,
    units: parseUint256(member(settlement, "amount")) ?? 0n,
    nonce,
    signedAfter,
    // It was used, so when it would have ended decides nothing.
    validBefore: 0,
    ...(typeof transaction === "string" && isTransactionHash(transaction) && { transaction }),
  };
}

function noAnswer(reason: string): ConfigurationError {
  return new ConfigurationError(
    `The payment could not be compared with the chain: ${reason}. Nothing was signed. Name another node with FARTHING_RPC_URL, or none to believe the facilitator.`,
  );
}
