/**
 * The state of the abstract machine of the engine: what the chain, the database and the processes
 * know. Payments, wallets and processes are numbers from 0; sets of payments or wallets are bits.
 *
 * Blocks are counted from the newest final one, whose height is 0. Only blocks above it have contents of
 * their own; what final blocks have done is summed up. When a block becomes final, all heights fall by one.
 */
import type { SettlementState } from "@farthing/engine";
import type { TransactionState, SendOutcome } from "@farthing/engine/testing/rules";

/** How large the machine is, and how often each fault may happen. */
export interface Bounds {
  readonly payments: 1 | 2;
  readonly wallets: 1 | 2;
  readonly processes: 1 | 2;
  /** Nonces of each wallet. */
  readonly nonces: number;
  /** Transactions at one nonce. */
  readonly attempts: number;
  /** Blocks until a payment counts as confirmed; 3 is final. */
  readonly confirmations: number;
  /** Whether two payments may share a transaction. */
  readonly batches: boolean;
  /** Whether one state stands for all from which the same follows. */
  readonly isReduced: boolean;
  readonly faults: Faults;
}

/** What may still go wrong. */
export interface Faults {
  crashes: number;
  reorganisations: number;
  /** Sends that are lost, or of which only the reply is lost. */
  losses: number;
  /** Steps of the chain's least price. */
  prices: number;
  /** Payments that a third party submits. */
  submissions: number;
  cancellations: number;
  /** Payers who spend their balance elsewhere. */
  drains: number;
  expiries: number;
  /** Leases that end while their holder runs. */
  freezes: number;
  /** Nonces that another program uses with a wallet's key. */
  intrusions: number;
  /** Databases that lose their last commits. */
  failovers: number;
  /** Nodes that answer with an older head. */
  delays: number;
}

/** How the token has ended an authorization. */
export interface Use {
  readonly kind: "used" | "canceled";
  /** The bytes of the transaction. */
  readonly by: string;
  height: number;
  block: number;
}

/** What the chain says as of a block. */
export interface Facts {
  uses: (Use | null)[];
  /** Mined transactions of each wallet. */
  counts: number[];
  /** Payments whose time is over. */
  expired: number;
  /** Payments whose payer has too little. */
  poor: number;
  /** The heights of relayer transactions, by their bytes. */
  receipts: Record<string, number>;
}

export interface Block {
  /** Names the block: 0 is any final one. */
  readonly id: number;
  readonly transactions: readonly string[];
  /** Payments whose time ends with this block. */
  readonly expires: number;
}

export interface ChainState {
  final: Facts;
  /** Not final, lowest first. */
  blocks: Block[];
  /** Bytes that some node has, and may put into a block at any time. */
  pool: string[];
  /** The least price that blocks accept, in wei. */
  price: number;
}

export interface SettlementRow {
  state: SettlementState;
  /** Its transaction's place in the database. */
  carrier: number | null;
  hash: string | null;
  height: number | null;
  block: number | null;
  by: "relayer" | "other" | null;
  isFinal: boolean;
  /** Confirmed, and had failed before. */
  hadFailed: boolean;
  /** Failed, and its authorization may still be used by a third party. */
  isWatched: boolean;
}

export interface TransactionRow {
  readonly wallet: number;
  readonly nonce: number;
  /** The payments that it carries; 0 for a cancellation. */
  readonly carries: number;
  readonly price: number;
  state: TransactionState;
  /** Null while nothing is signed. */
  hash: string | null;
  height: number | null;
}

export interface WalletRow {
  holder: number | null;
  next: number;
}

export interface DatabaseState {
  settlements: (SettlementRow | null)[];
  transactions: TransactionRow[];
  wallets: WalletRow[];
}

/** A nonce that a process has in hand. */
export interface PendingNonceState {
  readonly wallet: number;
  readonly nonce: number;
  /** Places in the database, oldest first. */
  attempts: number[];
  unresolved: number;
  outcome: SendOutcome | "unsent";
  mayBeOut: boolean;
  isUsedUp: boolean;
  /** Blocks since the last send and since the newest attempt, as steps of `ages`. */
  sentAge: number;
  attemptAge: number;
}

/** A commit or another step that a process has still to make, in order. */
export type Task =
  | { readonly do: "conclude" }
  | {
      readonly do: "close_resolved";
      readonly hash: string;
      readonly payments: number;
      readonly height: number;
    }
  | { readonly do: "close"; readonly mined: number; readonly height: number }
  | { readonly do: "drop"; readonly transactions: readonly number[] }
  | { readonly do: "check_used" }
  | { readonly do: "requeue"; readonly payments: number }
  | { readonly do: "fail_expired" }
  | { readonly do: "finalize" }
  | { readonly do: "reopen_from"; readonly height: number }
  | { readonly do: "revert"; readonly height: number; readonly blocks: readonly number[] }
  | { readonly do: "reopen_carriers" }
  | { readonly do: "reload" }
  /** Whether the chain has more of the wallets than the database: nothing is claimed before. */
  | { readonly do: "compare" }
  | { readonly do: "search" };

export interface ProcessState {
  isUp: boolean;
  /** The blocks above the newest final one that it has followed, by name. */
  seen: number[];
  /** Payments that it follows, and failed ones that it watches. */
  open: number;
  watched: number;
  /** What followed blocks or searches have shown, and what is not recorded yet. */
  proofs: (Use | null)[];
  /** Payments that wait for a transaction. */
  queue: number;
  /** Wallets that it holds, and those of them whose stored transactions are loaded. */
  holds: number;
  loaded: number;
  /** Next nonces of the wallets from before a failover; empty where the database has no lower ones. */
  known: number[];
  /** Past the nonces of what a failover has lost, until a final block has used them; empty without any. */
  lost: number[];
  pending: PendingNonceState[];
  /** A transaction that is to take another one's place, and whether that nonce is in hand all the time. */
  replacing: { readonly id: number; readonly isInHand: boolean } | null;
  tasks: Task[];
}

export interface State {
  chain: ChainState;
  database: DatabaseState;
  /** What a failover brings back. */
  standby: DatabaseState | null;
  /**
   * Blocks that one of the nodes is behind. It answers what does not name a block; what does, and is above
   * its head, another node answers.
   */
  behind: number;
  processes: ProcessState[];
  /** Payments that a caller was told to be confirmed, at any time, and those told to have failed. */
  toldConfirmed: number;
  toldFailed: number;
  faults: Faults;
}

/** The least price at the beginning, and after a step. */
export const prices = { before: 100, after: 400, ceiling: 100_000 };

export function has(set: number, member: number): boolean {
  return (set & (1 << member)) !== 0;
}

export function membersOf(set: number): number[] {
  return [0, 1].filter((member) => has(set, member));
}

export const paymentNames = ["A", "B"] as const;
