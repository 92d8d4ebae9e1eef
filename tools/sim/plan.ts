/**
 * The plan of a run: the payments and how callers request them, and the events at the token, blocks,
 * nodes, wallets and processes. The plan counts in blocks; nothing in it depends on how the
 * facilitator behaves.
 */
import type { NodeConditions } from "@farthing/lab/ordinary-node";
import type { Keep } from "./chain-world.ts";
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
] as const;

/** One of {@link faultKinds}. */
export type FaultKind = (typeof faultKinds)[number];

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
  /** The contract wallet when undefined. */
  readonly buyer: number | undefined;
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
  | { readonly what: "gas-price"; readonly gwei: number }
  | { readonly what: "fee-cap"; readonly node: number; readonly milliXdc: number }
  | { readonly what: "nonce-distance"; readonly node: number; readonly nonces: number }
  | { readonly what: "pool-full" | "pool-free"; readonly node: number }
  | { readonly what: "wallet-used"; readonly relayer: number }
);

/** What a run is made of. */
export interface Plan {
  readonly seed: number;
  readonly faultKinds: readonly FaultKind[];
  readonly service: Service;
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
