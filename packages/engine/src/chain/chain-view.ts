/** What is known of a chain, and who is told about its blocks. */
import type { Hex } from "@farthing/protocol";
import type { AuthorizationEvent } from "./authorization-logs.ts";
import type { BlockHead } from "./block-headers.ts";

/** A new block with what happened in it. */
export interface FollowedBlock extends BlockHead {
  readonly events: readonly AuthorizationEvent[];
  /** Transactions in blocks and wei held, per followed wallet that was read since the last head. */
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** Whether this block is the newest one known. */
  readonly isHead: boolean;
}

/** What a wallet has done and holds. */
export interface WalletState {
  readonly transactionCount: number;
  /** Wei. */
  readonly balance: bigint;
}

/** Who is told about blocks. Each call is awaited before the next block is read. */
export interface BlockListener {
  onBlock(block: FollowedBlock): Promise<void>;
  /** The blocks from this number on, with these hashes, are gone; others take their place. */
  onReorganisation(fromBlock: number, gone: readonly Hex[]): Promise<void>;
}

/** A final block; time in Unix seconds. */
export interface Finalized {
  readonly number: number;
  readonly time: bigint;
}

/** Blocks that are there and could not be read, with what happened in them. */
export interface UnreadBlocks {
  /** For how long. */
  readonly seconds: number;
  /** The last failure; free of URLs and secrets. */
  readonly problem: string;
}

/** What is known of the chain right now. */
export interface ChainView {
  readonly head: BlockHead;
  /** Highest final block seen; it never goes back, and is never above the head. */
  readonly finalized: Finalized;
  /** The node's `eth_gasPrice`, in wei. */
  readonly gasPrice: bigint;
  /** The followed wallets, as of the last time they were read. */
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** How long ago the head was first seen. */
  readonly seenSecondsAgo: number;
  /** The last block that was read with what happened in it, or passed over with nobody waiting. */
  readonly walkedTo: number;
  /** Set while blocks cannot be read: no payment in them is told. */
  readonly unread?: UnreadBlocks;
  /**
   * This machine's clock minus the chain's, in seconds, as far as new blocks tell; negative when it
   * is behind. A block is up to a period old when it is seen.
   */
  readonly clockSkewSeconds?: number;
}

/**
 * Why somebody looks at blocks: for the outcome of a payment in flight, for the finality of one
 * that is confirmed, or not at all.
 */
export type BlockInterest = "outcome" | "finality" | "none";
