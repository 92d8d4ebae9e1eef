/** What a seller knows of the finality of payments, beside what the facilitator tells. */
import type { ReadFinality } from "../finality-at.ts";

/** A payment that is not known to be final. */
export interface OpenPayment {
  /** Absent where the facilitator names no settlement. */
  readonly settlementId?: string | undefined;
  /** Absent in what earlier versions have stored. */
  readonly transaction?: string | undefined;
  readonly network: string;
}

/** How a seller learns that payments are final, beside what the facilitator tells. */
export interface FinalitySource {
  readonly read: ReadFinality | undefined;
  /** Returns what is wrong once a payment has shown that no one can tell whether it is final. */
  problem(): Error | undefined;
  /** Notes a payment. Returns what is wrong when no one can tell whether it is final. */
  note(payment: OpenPayment): Error | undefined;
}

const problemText =
  "The facilitator names no settlement, so no one can tell when a payment above finalAbove is " +
  "final, and what it has bought does not open. Set finality: finalityAt(rpcUrl), which asks a " +
  "node (rpcUrl in the gateway's file), or remove finalAbove.";

export function createFinalitySource(read: ReadFinality | undefined): FinalitySource {
  let known: Error | undefined;
  return {
    read,
    problem: () => known,
    note({ settlementId }) {
      if (settlementId !== undefined || read) return undefined;
      known ??= new Error(problemText);
      return known;
    },
  };
}
