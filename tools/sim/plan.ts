/**
 * The plan of a run: the payments and how callers request them, and the events at the token, blocks,
 * nodes, wallets and processes. The plan counts in blocks; nothing in it depends on how the
 * facilitator behaves.
 */
import type { NodeConditions } from "@farthing/lab/ordinary-node";
import type { Keep } from "./block-maker.ts";
import type { DatabaseKind } from "./databases.ts";
import type { Surface } from "./surfaces.ts";
import type { TransportFault } from "@farthing/lab/faulty-transport";

/** Kinds of faults; a run has those that its seed draws, or those that the command names. */
export const faultKinds = [
  "road",
  "pool",
  "lag",
  "outage",
  "token",
  "reorg",
  "wallet",
  "crash",
  /** Nodes change what they accept: minimum price, fee cap, room in the pool. */
  "rules",
  /** More payments than a wallet has in flight, while the node it sends to forgets and lags. */
  "rush",
  /** Another program sends from a relayer wallet. */
  "stranger",
  /** Nodes have limits, backends that lag and replies of their own, as public ones do. */
  "ordinary",
  /** Payers are contracts: some wait with a transaction until the check has passed, and harm it. */
  "contracts",
  /** The base fee of all blocks steps up or down, for good, and pools drop what pays less. */
  "gas",
  /** The database answers and takes no writes, for some blocks: only PostgreSQL can be set so. */
  "database",
  /** The clock of a process's machine is wrong for some blocks; that of the database is right. */
  "clock",
  /** Each response of a node takes a second and a half. */
  "slow",
  /** The database loses its last commits: a standby takes over, or a backup is restored. */
  "loss",
  /** The keys of the wallets are in a key service, which is down for some blocks. */
  "signer",
] as const;

/** One of {@link faultKinds}. */
export type FaultKind = (typeof faultKinds)[number];

/** Payers of the fault kind `contracts`; there are {@link contractPayersEach} of each. */
export const contractPayerKinds = [
  "safe-1-of-1",
  "safe-2-of-3",
  /** Its factory call comes with its signature (ERC-6492). */
  "undeployed",
  /** While it is told to, it burns all its gas. */
  "burner",
  "reverter",
  /** A plain account that has code for some blocks, as a delegation of EIP-7702 gives it. */
  "gets-code",
] as const;

/** One of {@link contractPayerKinds}. */
export type ContractPayerKind = (typeof contractPayerKinds)[number];

/** Two, so that payments of the same kind meet in a batch. */
export const contractPayersEach = 2;

/** What a facilitator serves: the self-built surface alone, or the public and the hosted one. */
export const servedSurfaces = ["self-built", "public"] as const;

/** How the facilitator of a run is set up. */
export interface Service {
  readonly database: DatabaseKind;
  /** Processes that share the database. */
  readonly processes: number;
  readonly servedSurface: (typeof servedSurfaces)[number];
  /** Blocks until a payment counts as confirmed. */
  readonly confirmations: number;
  /** Maximum of open transactions of one wallet. */
  readonly inFlight: number;
}

/** How a caller asks for a settlement. */
export interface Ask {
  /** Blocks after the payment's own. */
  readonly afterBlocks: number;
  /** Value of the Prefer header; "" for none. */
  readonly prefer: "" | "respond-async" | "wait=4" | "wait=12";
  /** Callers that make this request at the same moment. */
  readonly atOnce: number;
  /** Times that it is repeated, a block later, when it got no result. */
  readonly again: number;
  readonly surface: Surface;
  /** Times that a pending settlement is polled, and how long each poll waits, in seconds. */
  readonly polls: number;
  readonly waitSeconds: number;
}

/** One authorization. */
export interface PlannedPayment {
  readonly index: number;
  readonly block: number;
  /** The sample contract wallet when undefined. */
  readonly buyer: number | undefined;
  /** A payer of this kind; `buyer` is then its place among them. */
  readonly contract?: ContractPayerKind;
  /** USDC base units. */
  readonly units: number;
  /** Seconds from its own time. */
  readonly validFor: number;
  /** Seconds from its own time until it begins; 0 and less: valid at once. */
  readonly beginsIn: number;
  readonly isVerified: boolean;
  readonly asks: readonly Ask[];
  readonly isWatched: boolean;
}

/** A payment without what depends on the served surface. */
export type DrawnPayment = Omit<PlannedPayment, "asks"> & { readonly asks: readonly DrawnAsk[] };
export type DrawnAsk = Omit<Ask, "surface" | "polls" | "waitSeconds">;

/** An event beside the payments. */
export type Event = { readonly block: number } & (
  | { readonly what: "drain" | "refill" | "blacklist" | "unblacklist"; readonly buyer: number }
  | { readonly what: "pause" | "unpause" | "wallet-refuses" | "wallet-accepts" }
  | { readonly what: "cancel" | "front-run"; readonly payment: number; readonly isAhead: boolean }
  | { readonly what: "reorganise"; readonly depth: number; readonly keep: Keep }
  | { readonly what: "no-block" }
  | { readonly what: "empty-wallet" | "fill-wallet"; readonly relayer: number }
  | { readonly what: "kill" | "stop" | "hand-over"; readonly process: number }
  /** All processes that do not run. */
  | { readonly what: "start" }
  | { readonly what: "down" | "up" | "node-restart"; readonly node: number }
  | { readonly what: "lag"; readonly node: number; readonly blocks: number }
  /** Nodes ask for more for a while; blocks do not say so. */
  | { readonly what: "gas-price"; readonly gwei: number }
  /** The base fee from the next block on. */
  | { readonly what: "gas-step"; readonly gwei: number }
  | { readonly what: "fee-cap"; readonly node: number; readonly milliXdc: number }
  | { readonly what: "nonce-distance"; readonly node: number; readonly nonces: number }
  | { readonly what: "pool-full" | "pool-free"; readonly node: number }
  | { readonly what: "wallet-used"; readonly relayer: number }
  | { readonly what: "read-only" | "writable" }
  /** Keeps a copy of the database, as a backup or a standby. */
  | { readonly what: "copy" }
  /** The copy takes the place of the database: under the processes, or while none runs. */
  | { readonly what: "fail-over" | "restore" }
  /** Seconds that the clock of a process is ahead of the time, until the next event. */
  | { readonly what: "clock-step"; readonly process: number; readonly seconds: number }
  /** All burners or reverters begin or end their harm. */
  | { readonly what: "harm" | "no-harm"; readonly contract: "burner" | "reverter" }
  | { readonly what: "code-placed" | "code-removed"; readonly account: number }
  /** The key service signs nothing, or signs again. */
  | { readonly what: "signer-down" | "signer-up" }
  /** A node shows a head so many blocks above the chain's; 0: the chain's again. */
  | { readonly what: "leap"; readonly node: number; readonly blocks: number }
  /** The seller gives a payment back, on the public surface. */
  | {
      readonly what: "refund";
      readonly payment: number;
      readonly until: "accepted" | "confirmed";
    }
  /** Another account deploys a wallet before its payment does. */
  | { readonly what: "wallet-deployed"; readonly account: number }
);

/** What a run is made of. */
export interface Plan {
  readonly seed: number;
  readonly faultKinds: readonly FaultKind[];
  readonly service: Service;
  /** Whether payments of contract wallets share transactions. */
  readonly hasBatchContract: boolean;
  readonly blocks: number;
  readonly nodes: number;
  readonly relayers: number;
  readonly buyers: number;
  /** Maximum of settlements in one transaction. */
  readonly batchMax: number;
  readonly payments: readonly PlannedPayment[];
  readonly events: readonly Event[];
  /** Of each node; missing ones are without. */
  readonly conditions: readonly NodeConditions[];
  readonly transport: { readonly percent: number; readonly faults: readonly TransportFault[] };
  /** Of a hundred transactions that a node takes. */
  readonly pool: { readonly late: number; readonly dropped: number; readonly kept: number };
}

/** Whether the issuer pauses the token at any time. */
export function hasPause({ events }: Plan): boolean {
  return events.some(({ what }) => what === "pause");
}
