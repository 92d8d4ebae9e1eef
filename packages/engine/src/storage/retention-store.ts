/** What the store removes when it is over; see store.ts for the rest. */
import type { ChainId } from "@farthing/protocol";
import type { Settlement } from "../model/settlement.ts";

/** A settlement that is removed, with what participants export beside it: its part of the ledger. */
export interface RetiredSettlement extends Readonly<Record<string, unknown>> {
  readonly settlement: Omit<Settlement, "signature" | "owner" | "priority"> & {
    readonly account: Settlement["owner"];
  };
}

/** A place among settlements that are put into order by a time. */
export interface TimePlace {
  readonly at: number;
  readonly id: string;
}

/** Where a walk through what may be removed stands: from the start when left out. */
export interface RetirementCursor {
  readonly transactionId: number;
  /** Among failures. */
  readonly failed: TimePlace;
  /** Among settlements that somebody else's transaction confirmed. */
  readonly elsewhere: TimePlace;
}

/** What one step of such a walk did. */
export interface RetirementStep {
  readonly removed: number;
  /** Where to go on; null when there is nothing older left. */
  readonly next: RetirementCursor | null;
}

/** The verbs. */
export interface RetentionVerbs {
  /**
   * Removes the signed bytes of transactions in blocks up to a final one, at most `limit`; returns
   * how many. Nothing sends them again.
   */
  pruneSignedBytes(chainId: ChainId, upToBlock: number, limit: number): Promise<number>;
  /**
   * Removes settlements that are over: made before a time, final or failed, their authorization past
   * its end for a while, no participant keeps them and no one watches for their late confirmation.
   * `onRemoval` gets them before they are gone; where it throws, nothing is removed. It may be given
   * the same ones again. After an upgrade nothing is removed before the sums and the indexes that
   * this needs are there.
   */
  pruneSettlements(
    chainId: ChainId,
    options: {
      readonly madeBefore: number;
      /** Unix seconds: the authorizations ended before this. */
      readonly endedBefore: number;
      readonly limit: number;
      readonly from?: RetirementCursor;
    },
    onRemoval: (retired: readonly RetiredSettlement[]) => Promise<void>,
  ): Promise<RetirementStep>;
}
