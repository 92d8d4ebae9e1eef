/** The run whose evidence the tests of the audit change, and what they look for in it. */
import type {
  CallerResponse,
  Evidence,
  StoredSettlement,
  StoredTransaction,
} from "@farthing/lab/audit";
import { expect } from "vitest";
import { drawPlan } from "./draw-plan.ts";
import type { Plan } from "./plan.ts";
import { alone } from "./scenario-parts.ts";

/** A short run in which one payment fails after it was claimed: its payer cancels it. */
export function shortPlan(): Plan {
  const asks = [
    {
      afterBlocks: 0,
      prefer: "",
      atOnce: 1,
      again: 0,
      surface: "self-built",
      polls: 0,
      waitSeconds: 0,
    },
  ] as const;
  const payments = [0, 1, 2].map((index) => ({
    index,
    block: 2,
    buyer: index,
    units: 10_000,
    validFor: 300,
    beginsIn: -600,
    isVerified: true,
    asks,
    isWatched: true,
  }));
  const events = [{ block: 2, what: "cancel", payment: 1, isAhead: true }] as const;
  const plan = drawPlan(1, { faultKinds: [], service: alone });
  return { ...plan, blocks: 3, buyers: 3, payments, events };
}

/** A payment that a relayer's transaction has moved, with both. */
export function paidByRelayer({ ledger, stored }: Pick<Evidence, "ledger" | "stored">) {
  for (const entry of ledger.entries) {
    const { payer, nonce, transaction } = entry;
    const settlement = stored.settlements.find(
      (one) => one.payer.toLowerCase() === payer.toLowerCase() && one.nonce === nonce,
    );
    const row = stored.transactions.find(
      ({ hash, state, settlementIds }) =>
        hash === transaction &&
        state === "mined" &&
        settlement !== undefined &&
        settlementIds.includes(settlement.id),
    );
    if (settlement && row) return { entry, settlement, row };
  }
  throw new Error("No relayer has moved a payment.");
}

/** Finds an answer with this status. */
export const told =
  (status: string, asked = "settle", isAtLast = false) =>
  (one: CallerResponse) =>
    one.asked === asked && one.body["status"] === status && (one.isLast || !isAtLast);

/** Finds a row in this state. */
export const isIn = (state: string) => (row: StoredSettlement) => row.state === state;

/** Changes of one thing in the evidence of the honest run. */
export function changesOf(honest: () => Evidence) {
  return {
    withRow(isIt: (row: StoredSettlement) => boolean, change: Partial<StoredSettlement>): Evidence {
      const { stored } = honest();
      const at = stored.settlements.findIndex(isIt);
      expect(at).toBeGreaterThanOrEqual(0);
      const settlements = stored.settlements.map((row, index) =>
        index === at ? { ...row, ...change } : row,
      );
      return { ...honest(), stored: { ...stored, settlements } };
    },
    withTransactions(change: (rows: readonly StoredTransaction[]) => StoredTransaction[]) {
      const { stored } = honest();
      return { ...honest(), stored: { ...stored, transactions: change(stored.transactions) } };
    },
    withAnswer(
      isIt: (response: CallerResponse) => boolean,
      change: CallerResponse["body"],
      status?: number,
    ) {
      const at = honest().responses.findLastIndex(isIt);
      expect(at).toBeGreaterThanOrEqual(0);
      const responses = honest().responses.map((response, index) =>
        index === at
          ? {
              ...response,
              status: status ?? response.status,
              body: { ...response.body, ...change },
            }
          : response,
      );
      return { ...honest(), responses };
    },
  };
}
