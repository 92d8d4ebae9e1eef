/**
 * Audits what payees have given back: the refunds on the chain, compared with the payments and with
 * what callers were told of them.
 */
import {
  isObject,
  maxRefunds,
  networkOfChain,
  refundNonce,
  type Authorization,
  type ChainId,
  type JsonObject,
} from "@farthing/protocol";
import type { Violation } from "./evidence.ts";
import { pairOf, type LedgerEntry } from "./chain-ledger.ts";

/** A payment that may have been refunded. */
export interface RefundableSale {
  readonly payment: number;
  readonly authorization: Pick<Authorization, "from" | "to" | "value" | "nonce">;
  /** Its settlement as it was told last; undefined when nobody was told. */
  readonly told: JsonObject | undefined;
}

interface Returned {
  readonly ordinal: number;
  readonly units: bigint;
  readonly transaction: string;
}

/** Audits all refunds; whatever a payee has sent by an authorization has to be one. */
export function auditRefunds(
  chainId: ChainId,
  sales: readonly RefundableSale[],
  entries: readonly LedgerEntry[],
): Violation[] {
  const violations: Violation[] = [];
  const say = (rule: string, text: string, payment?: number) =>
    void violations.push({ rule, payment, text });
  const payees = new Set(sales.map(({ authorization }) => authorization.to.toLowerCase()));
  const sent = entries.filter(
    ({ kind, transfer, payer }) => kind === "used" && transfer !== undefined && payees.has(payer),
  );
  const sentBy = Map.groupBy(sent, pairOf);
  const known = new Set<string>();
  for (const sale of sales) {
    const { payment, authorization, told } = sale;
    const returned: Returned[] = [];
    for (const [ordinal, pair] of refundPairs(chainId, authorization).entries()) {
      known.add(pair);
      const transfers = sentBy.get(pair) ?? [];
      if (transfers.length > 1) {
        say(oneTransfer, `${transfers.length} transfers for ordinal ${ordinal}`, payment);
      }
      for (const { transaction, transfer } of transfers) {
        returned.push({ ordinal, units: transfer?.units ?? 0n, transaction });
      }
    }
    const units = returned.reduce((sum, one) => sum + one.units, 0n);
    if (units > authorization.value) {
      const text = `${units} of ${authorization.value} base units went back`;
      say("no more than was paid goes back", text, payment);
    }
    const [really, said] = [wordsOfReturned(returned), told && wordsOfTold(told)];
    if (said !== undefined && said !== really) {
      say("told is what went back", `told ${said}; the chain says ${really}`, payment);
    }
  }
  for (const [pair, [entry]] of sentBy) {
    if (!known.has(pair)) say(oneTransfer, `${entry?.transaction} is of no ordinal: ${pair}`);
  }
  return violations;
}

const oneTransfer = "one transfer for an ordinal";

/** The authorizations that can give a payment back, by ordinal. */
function refundPairs(chainId: ChainId, sale: RefundableSale["authorization"]): string[] {
  const { from: payer, to, nonce } = sale;
  const asset = networkOfChain(chainId).usdc;
  return Array.from({ length: maxRefunds }, (_, ordinal) =>
    pairOf({ payer: to, nonce: refundNonce({ chainId, asset, payer, nonce }, ordinal) }),
  );
}

function wordsOfReturned(returned: readonly Returned[]): string {
  const units = returned.reduce((sum, one) => sum + one.units, 0n);
  const parts = returned.map(
    ({ ordinal, units: part, transaction }) => `${ordinal} confirmed ${part} ${transaction}`,
  );
  return [units, ...parts.toSorted()].join("; ");
}

/** The same words of what was told; a refund that failed has given nothing back. */
function wordsOfTold({ refundedAmount, refunds }: JsonObject): string {
  const parts = (Array.isArray(refunds) ? refunds : ["no list"])
    .map((one: unknown) => (isObject(one) ? one : {}))
    .filter(({ state }) => state !== "failed")
    .map(({ ordinal, state, amount, transaction }) =>
      [ordinal, state, amount, transaction].join(" "),
    );
  return [refundedAmount, ...parts.toSorted()].join("; ");
}
