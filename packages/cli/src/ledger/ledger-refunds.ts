/** What sellers have refunded of the payments in the ledger, read from the chain. */
import { nodesOf, readRefunds, type LedgerRecord, type RefundsOutcome } from "@farthing/buyer";
import { findNetwork, formatUsdc } from "@farthing/protocol";

/** Payments asked about at once, few enough for any node. */
const atOnceMax = 8;

/** Asks about the settled payments. A refund changes no record and no limit. */
export async function readLedgerRefunds(
  records: readonly LedgerRecord[],
  rpcUrl: string | undefined,
): Promise<ReadonlyMap<string, RefundsOutcome>> {
  const settled = records.filter(({ state }) => state === "settled");
  const outcomes = new Map<string, RefundsOutcome>();
  for (let at = 0; at < settled.length; at += atOnceMax) {
    const some = settled.slice(at, at + atOnceMax).map(async (record) => {
      const network = findNetwork(record.network);
      const nodes = network ? nodesOf(rpcUrl)(network) : [];
      outcomes.set(record.requestId, await readRefunds(fetch, nodes, record));
    });
    await Promise.all(some);
  }
  return outcomes;
}

/** The members that a payment of the list has more. */
export function refundMembers(outcome: RefundsOutcome | undefined): object {
  if (outcome === undefined) return {};
  if (outcome.state === "unknown") return { refundsUnknown: outcome.reason };
  const { refunds } = outcome;
  const units = sumOf(outcome);
  return {
    refundedAmount: units.toString(),
    refundedUsdc: formatUsdc(units),
    refunds: refunds.map(({ units: amount, transaction, isFinal }) => {
      return { amount: amount.toString(), transaction, isFinal };
    }),
  };
}

/** The cell of the table; empty where nothing was refunded. */
export function refundCell(outcome: RefundsOutcome | undefined): string {
  if (outcome?.state === "unknown") return "unknown";
  const units = outcome ? sumOf(outcome) : 0n;
  return units === 0n ? "" : formatUsdc(units);
}

function sumOf({ refunds }: RefundsOutcome & { readonly state: "known" }): bigint {
  return refunds.reduce((sum, { units }) => sum + units, 0n);
}
