/** The dependencies of the payment routes. */
import type { Address, ChainId, Hex, SaleKind } from "@farthing/protocol";
import type {
  Admit,
  ChainView,
  Exchanges,
  GasHalf,
  KeylessGas,
  NetworkState,
  Refund,
  RefuseIdentifier,
  Settle,
  Settlement,
  StoredRefund,
  Verifier,
  Waiters,
} from "@farthing/engine";
import type { FastifyInstance } from "fastify";
import type { Authentication } from "../http/access/authenticate.ts";
import type { Throttle } from "../http/access/limits.ts";
import type { Surface } from "../http/access/surface.ts";
import type { ServerContext } from "../http/server/server.ts";
import type {
  KeylessCall,
  KeylessCallCharge,
  KeylessQuestion,
  KeylessResult,
} from "./keyless/store.ts";
import type { Attestor } from "./attestation.ts";
import type { CallOnce } from "./channels/call-once.ts";
import type { ChannelContext, ClaimedChannels, SpentReservation } from "./channels/context.ts";
import type { RespondToExtensions } from "./extension-responses.ts";
import type { PresentFee } from "./present-fee.ts";
import type { HistoryPart } from "./service-history.ts";
import type { SettlementCost } from "./settlement-cost.ts";

/** A surface whose routes are registered. */
export interface SurfaceScope {
  readonly server: FastifyInstance;
  readonly context: PaymentContext;
  readonly surface: Surface;
  /** Counts the requests of the routes. */
  readonly throttle: Throttle;
}

export type NetworkStatus = Omit<NetworkState, "wallets">;

export interface PaymentLimits {
  /** Requests per caller and window; 0 for no limit. */
  readonly requestsMax: number;
  /** The minimum amount without a key now, in USDC base units; 0 for no bound. */
  unitsMin(): bigint;
  /** The lowest of the last minutes, for what was found valid in them. */
  unitsMinRecently(): bigint;
  /** USDC base units per payer and day on surfaces without keys; null for no cap. */
  readonly payerCapUnits: bigint | null;
  /** Settlements per payer and day on surfaces without keys; null for no bound. */
  readonly payerCountMax: number | null;
  /** Gas of a day on surfaces without keys at the present gas price, in gwei; null for no bound. */
  keylessGasGwei(chainId: ChainId): number | null;
  /** Age of the newest block, in seconds, beyond which the service is not ready; 0 for no limit. */
  readonly headAgeMaxSeconds: number;
}

export interface PaymentContext extends Omit<ServerContext, "limits">, Authentication, PresentFee {
  readonly networks: readonly NetworkStatus[];
  readonly limits: PaymentLimits;
  readonly verifier: Verifier;
  readonly settle: Settle;
  readonly refuseIdentifier: RefuseIdentifier;
  /** Tells whether a valid payment can be sent now. */
  readonly admit: Admit;
  readonly catalogue: RespondToExtensions;
  readonly waiters: Waiters;
  /** Seconds an authorization must still be valid to be settled. */
  readonly settleMarginSeconds: bigint;
  /** Credits that an account gets with its first settlement of a month. */
  readonly freeCredits: number;
  /**
   * Where mainnet is served, test keys cost nothing and share the gas budget of callers without a
   * key. A service without mainnet has no other keys; there, buying and spending is the test.
   */
  readonly areTestKeysFree: boolean;
  readonly exchanges: Exchanges;
  readonly channels: ChannelContext;
  readonly attestor: Attestor;
  /** The current gas cost of a settlement in gwei, for a plain payer and for a contract. */
  gasOf(chainId: ChainId): Pick<KeylessGas, "plainGwei" | "contractGwei">;
  /** What a settlement on a network costs and earns now. */
  costOf(status: NetworkStatus): SettlementCost;
  checkKeyless(question: KeylessQuestion): Promise<KeylessResult>;
  noteKeyless(question: KeylessQuestion): Promise<void>;
  chargeKeylessCall(call: KeylessCall): Promise<KeylessCallCharge>;
  /** Takes `gwei` of a call that was counted back. */
  returnKeylessCall(call: KeylessCall, half: GasHalf): Promise<void>;
  /** Makes a claim or a refund of channels, unless the same one is under way. */
  readonly callOnce: CallOnce;
  /** Takes the credits of claims; returns how many, and undefined where the account has fewer. */
  payForClaims(claims: ClaimedChannels): Promise<number | undefined>;
  returnClaimCredits(account: Address, credits: number): Promise<void>;
  /** The credits that are reserved for these channels are spent; returns them. */
  spendReservations(
    chainId: ChainId,
    channelIds: readonly Hex[],
  ): Promise<readonly SpentReservation[]>;
  /** Reserves again what was spent on claims that were not sent. */
  restoreReservations(chainId: ChainId, spent: readonly SpentReservation[]): Promise<void>;
  readonly refund: Refund;
  findSettlement(id: string): Promise<Settlement | undefined>;
  listRefunds(settlementIds: readonly string[]): Promise<readonly StoredRefund[]>;
  /** What a payment has opened, where its seller has stated it. */
  saleKindOf(settlementId: string): Promise<SaleKind | undefined>;
  /** Returns the plan of an account, or undefined if there is no such account. */
  planOf(account: Address): Promise<string | undefined>;
  pingStore(): Promise<void>;
  /** Why the database takes no writes, as the last periodic one found; undefined while it does. */
  writeProblem(): string | undefined;
  /** What is kept of the service's availability, by network. */
  readHistory(): Promise<ReadonlyMap<ChainId, HistoryPart>>;
  viewOf(chainId: ChainId): ChainView | undefined;
}
