/** What a run leaves behind, and what its audit finds. */
import type { Address } from "@farthing/protocol";
import type { Loss } from "./audit-losses.ts";
import type { PriceStep, SeenBlock } from "./audit-prices.ts";
import type { Submission } from "./audit-sends.ts";
import type { CallerResponse } from "./caller-response.ts";
import type { Ledger } from "./chain-ledger.ts";
import type { Stored } from "./stored-rows.ts";
import type { SignedPayment } from "../token-calls/token-calls.ts";

/** The data of a run. */
export interface Evidence {
  readonly payments: ReadonlyMap<number, SignedPayment>;
  /** The sellers, where refunds are among the payments; all who are paid when left out. */
  readonly payees?: readonly string[];
  /** Payments made after the run's faults, which the service must still settle. */
  readonly probes: readonly number[];
  readonly responses: readonly CallerResponse[];
  readonly ledger: Ledger;
  readonly stored: Stored;
  readonly relayers: readonly string[];
  /** Transactions that a reorganisation removed from a block. */
  readonly reorganisedOut: ReadonlySet<string>;
  /** Settlements and transactions that were still open at the end. */
  readonly restless: readonly string[];
  readonly crashes: number;
  /** Whether a process was ended on purpose; only then may a response be missing. */
  readonly wasEnded: boolean;
  /** Blocks until a payment counts as confirmed; 1 when left out. */
  readonly confirmations?: number;
  /** Every transaction that was sent to a node, in order, where recorded. */
  readonly submissions?: readonly Submission[];
  /** Transactions that pay less than the base fee of a later block. */
  readonly swept?: ReadonlySet<string>;
  /** The last step of the base fee, where nothing but steps disturbed the run. */
  readonly lastStep?: PriceStep | undefined;
  /** Payments that were told as confirmed while the nodes were slow; undefined where they also failed. */
  readonly confirmedWhileSlow?: number | undefined;
  /** The blocks that the service has read, in the order of its first looks. */
  readonly seenBlocks?: readonly SeenBlock[];
  /** Whether the token was paused at some time: a payment that reverted by it is carried again. */
  readonly wasPaused?: boolean;
  /** What the database forgot then is found on the chain, and nobody is told that it failed. */
  readonly losses?: readonly Loss[];
  /** What the store wrote and neither the tables of transitions nor the model allow, in words. */
  readonly brokenSteps?: readonly string[];
  /** Processes that said they were ready while nothing could be written. */
  readonly falselyReady?: readonly string[];
  /** Whether every reply of a node reached the service that had asked; left out, it may not. */
  readonly hasAllReplies?: boolean;
  /** Transactions that another program sent from a relayer wallet. */
  readonly foreign?: ReadonlySet<string>;
  /**
   * USDC base units of payers at the end whose money moves by authorizations alone. Each began with what
   * a devnet gives a buyer.
   */
  readonly payerUnits?: ReadonlyMap<Address, bigint>;
}

/** A broken promise. */
export interface Violation {
  readonly rule: string;
  readonly payment: number | undefined;
  readonly text: string;
}
