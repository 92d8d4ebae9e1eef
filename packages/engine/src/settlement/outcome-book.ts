/** The book of a network's settlements whose outcome is open, as others use it; outcome.ts keeps it. */
import type { Hex } from "@farthing/protocol";
import type { BlockInterest, ChainView, FollowedBlock } from "../chain/block-follower.ts";
import type { Settlement } from "../model/settlement.ts";
import type { FailedSimulation } from "../relayer/prepare.ts";
import type { MinedTransaction } from "../relayer/used-nonces.ts";

/** What a reorganisation took out of the chain. */
export interface Vanished {
  /** The first block that is gone. */
  readonly fromBlock: number;
  /** Settlements that are open again. */
  readonly settlementIds: readonly string[];
}

/** The open settlements of a network. */
export interface OutcomeBook {
  /** Takes a settlement in, or its newer state. */
  track(settlement: Settlement): void;
  /** Settlements whose outcome is open here. */
  openIds(): ReadonlySet<string>;
  interest(): BlockInterest;
  /** Looks a block's events up; gives the settlements found, by transaction. */
  onBlock(block: FollowedBlock): Promise<Map<Hex, Set<string>>>;
  /**
   * Ends what expired and records finality. Called for the newest block only, after the relayer has
   * seen it; what fails here is logged and tried again with the next block.
   */
  onHead(view: ChainView): Promise<void>;
  /** Puts back what vanished blocks had confirmed: those from one on, by their hashes. */
  onReorganisation(fromBlock: number, gone: readonly Hex[]): Promise<Vanished>;
  /**
   * A transaction of ours is mined for good and lacks logs of some of its settlements. Returns those
   * that are to be settled again, since only the company they were in reverted.
   */
  onMinedWithoutLog(mined: MinedTransaction): Promise<readonly string[]>;
  /** A queued settlement would fail. */
  onRefused(settlement: Settlement, failure: FailedSimulation): Promise<void>;
  /** Those of which no use is known here. */
  missing(settlementIds: readonly string[]): readonly string[];
  /** Nothing that is still open carries them: gives those back that are queued again. */
  requeue(settlementIds: readonly string[]): Promise<Settlement[]>;
  /** Takes in what is stored and not followed here yet, and searches the past for its outcome. */
  catchUp(): Promise<void>;
  /** Looks for confirmed settlements whose blocks vanished while no process was looking. */
  recheck(): Promise<Vanished | undefined>;
  /** Waits for what is being looked up and ends. */
  stop(): Promise<void>;
}
