/**
 * Reads from the chain what was refunded of a payment. The nonces of its refunds derive from the
 * payment itself, so neither the seller nor a facilitator has to be asked, or believed.
 */
import { isObject, maxRefunds, member, refundNonce, type Hex } from "@farthing/protocol";
import type { LedgerRecord } from "../ledger/ledger.ts";
import type { FetchFunction } from "../replayable-request.ts";
import { nodeCall, type NodeCall } from "./call-node.ts";
import { askNodes, noNodeReason } from "./nodes.ts";
import {
  addressTopic,
  finalBlock,
  findLog,
  isLogOf,
  isUsed,
  signedTermsOf,
  topics,
  type SignedTerms,
} from "./read-outcome.ts";

export interface FoundRefund {
  readonly ordinal: number;
  /** USDC base units that the transaction moved. */
  readonly units: bigint;
  readonly transaction: Hex;
  /** Its block cannot be undone. */
  readonly isFinal: boolean;
}

export type RefundsOutcome =
  | { readonly state: "known"; readonly refunds: readonly FoundRefund[] }
  /** The node failed, or a refund is there and its event was not found. */
  | { readonly state: "unknown"; readonly reason: string };

/** Ranges of 1,000 blocks that a refund's event is sought in: a week of blocks of two seconds. */
const refundRangesMax = 303;

/** Asks one node after the other; `unknown` when none has an answer. Never rejects. */
export async function readRefunds(
  fetch: FetchFunction,
  rpcUrls: readonly string[],
  record: LedgerRecord,
): Promise<RefundsOutcome> {
  const terms = signedTermsOf(record);
  return terms ? readRefundsOf(fetch, rpcUrls, terms) : unknown("the record is incomplete");
}

/** The same for the terms of a payment, such as one that a seller has received. */
export async function readRefundsOf(
  fetch: FetchFunction,
  rpcUrls: readonly string[],
  terms: SignedTerms,
): Promise<RefundsOutcome> {
  const outcome = await askNodes(
    rpcUrls,
    (url) => readRefundsAt(nodeCall(fetch, url), terms),
    ({ state }) => state === "known",
  );
  return outcome ?? unknown(noNodeReason);
}

function unknown(reason: string): RefundsOutcome {
  return { state: "unknown", reason };
}

async function readRefundsAt(call: NodeCall, terms: SignedTerms): Promise<RefundsOutcome> {
  const { network, from: payer, to: payee, nonce, signedAfter } = terms;
  const { chainId } = network;
  try {
    const served = Number(await call("eth_chainId", []));
    if (served !== chainId) return unknown(`the node serves chain ${served}, not ${chainId}`);
    const { number: finalNumber } = await finalBlock(call);
    const payment = { chainId, asset: network.usdc, payer, nonce };
    const found: FoundRefund[] = [];
    // A later refund may be there without an earlier one, which failed.
    for (let ordinal = 0; ordinal < maxRefunds; ordinal += 1) {
      const signed = { network, from: payee, nonce: refundNonce(payment, ordinal) };
      if (!(await isUsed(call, signed, "latest"))) continue;
      const refund = await findRefund(call, { ...signed, to: payer, signedAfter });
      if (refund === undefined) continue;
      const { blockNumber, ...facts } = refund;
      found.push({ ordinal, ...facts, isFinal: blockNumber <= finalNumber });
    }
    return { state: "known", refunds: found };
  } catch (cause) {
    return unknown(cause instanceof Error ? cause.message : "the node did not answer");
  }
}

type RefundTerms = Pick<SignedTerms, "network" | "from" | "to" | "nonce" | "signedAfter">;

/** Undefined when the payee has canceled the nonce, or used it to pay another than the payer. */
async function findRefund(call: NodeCall, terms: RefundTerms) {
  const log = await findLog(call, { ...terms, validBefore: Infinity }, refundRangesMax);
  if (!log) throw new Error("A refund was used or canceled, and the node shows no event of it.");
  const { transaction, blockNumber } = log;
  if (log.topic !== topics.used) return undefined;
  const units = await readTransfer(call, terms, transaction);
  return units === undefined ? undefined : { units, transaction, blockNumber };
}

/** What the authorization moved: the token emits its transfer directly behind its use. */
async function readTransfer(
  call: NodeCall,
  { network: { usdc }, from, to, nonce }: RefundTerms,
  transaction: Hex,
): Promise<bigint | undefined> {
  const receipt = await call("eth_getTransactionReceipt", [transaction]);
  const logs: unknown = isObject(receipt) ? member(receipt, "logs") : undefined;
  if (!Array.isArray(logs)) throw new Error("The node returned no receipt.");
  const used = [topics.used, addressTopic(from), nonce];
  const at = logs.findIndex((log) => isLogOf(log, usdc, used, undefined));
  const next: unknown = at < 0 ? undefined : logs[at + 1];
  const transfer = [topics.transfer, addressTopic(from), addressTopic(to)];
  if (!isObject(next) || !isLogOf(next, usdc, transfer, undefined)) return undefined;
  return BigInt(String(member(next, "data")));
}
