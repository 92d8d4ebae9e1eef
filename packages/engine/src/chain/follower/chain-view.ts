import type { Hex } from "@farthing/protocol";
import type { AuthorizationEvent } from "../contracts/authorization-events.ts";
import type { BlockHead } from "../reads/block-headers.ts";

export interface FollowedBlock extends BlockHead {
  readonly events: readonly AuthorizationEvent[];
  /** Followed wallets that were read since the last head. */
  readonly wallets: ReadonlyMap<string, WalletState>;
  readonly isHead: boolean;
}

export interface WalletState {
  readonly transactionCount: number;
  /** Wei. */
  readonly balance: bigint;
}

/** Each call is awaited before the next block is read. */
export interface BlockListener {
  onBlock(block: FollowedBlock): Promise<void>;
  /** The blocks from this number on, with these hashes, were reorganised out. */
  onReorganisation(fromBlock: number, hashes: readonly Hex[]): Promise<void>;
}

/** Time in Unix seconds. */
export interface Finalized {
  readonly number: number;
  readonly time: bigint;
}

/** Blocks that exist and could not be read with their logs. */
export interface UnreadBlocks {
  readonly seconds: number;
  /** The last failure, without URLs and secrets. */
  readonly problem: string;
}

/** What changes with blocks only. */
export interface ChainFacts {
  readonly head: BlockHead;
  /** The highest final block seen. It never goes back, and is never above the head. */
  readonly finalized: Finalized;
  /** The node's `eth_gasPrice`, in wei. */
  readonly gasPrice: bigint;
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** The last block that was read with its logs, or skipped with no one waiting. */
  readonly walkedTo: number;
}

export interface ChainView extends ChainFacts {
  readonly seenSecondsAgo: number;
  /** For how long no read of any endpoint got a reply, beyond what is usual. */
  readonly unansweredSeconds?: number;
  /** Set while blocks cannot be read: no payment in them is reported. */
  readonly unread?: UnreadBlocks;
  /** This machine's clock minus the chain's, by blocks up to a period old; negative when behind. */
  readonly clockSkewSeconds?: number;
}

/** Whether a payment in flight awaits its outcome, or a confirmed one its finality. */
export type BlockInterest = "outcome" | "finality" | "none";
