/** What the routes work with. */
import type { Address, ChainId, Network } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { EndpointLimits } from "../chain/endpoint-limiter.ts";
import type { ChainView } from "../chain/block-follower.ts";
import type { Plan } from "../model/account.ts";
import type { ApiKey } from "../model/api-key.ts";
import type { KeylessGas } from "../model/keyless.ts";
import type { Settlement } from "../model/settlement.ts";
import type { RelayerLoad } from "../relayer/relayer.ts";
import type { Admit } from "../settlement/admission.ts";
import type { Exchanges } from "../settlement/exchanges.ts";
import type { RefuseIdentifier } from "../settlement/payment-identifier.ts";
import type { Settle } from "../settlement/settle.ts";
import type { Waiters } from "../settlement/waiters.ts";
import type { KeylessQuestion, KeylessVerdict } from "../storage/keyless-store.ts";
import type { Verifier } from "../verification/verify.ts";
import type { RespondToExtensions } from "./extension-responses.ts";
import type { HttpObserver } from "./observe.ts";
import type { Surface } from "./surface.ts";

/** A network as the status routes see it. */
export interface NetworkStatus {
  readonly network: Network;
  readonly relayers: readonly string[];
  view(): ChainView | undefined;
  load(): RelayerLoad;
  /** What each RPC endpoint was found to take. */
  endpointLimits(): readonly EndpointLimits[];
}

/**
 * What a start is about, in this order: whether the chains are the right ones, and opening the
 * database. Requests are taken once both are done.
 */
export type StartStep = "chain" | "database" | "done";

/** Limits of the surfaces. */
export interface HttpLimits {
  /** Requests per caller and window; 0 for no limit. */
  readonly requestsMax: number;
  /** The least that is settled without a key, in USDC base units; 0 for no bound. */
  readonly unitsMin: bigint;
  /** USDC base units per payer and day on surfaces without keys; null for no cap. */
  readonly payerCapUnits: bigint | null;
  /** Settlements per payer and day on surfaces without keys; null for no bound. */
  readonly payerCountMax: number | null;
  /** Gas of a day on surfaces without keys, in gwei; null for no bound. */
  readonly keylessGasGwei: number | null;
  /** Age of the newest block, in seconds, beyond which the service is not ready; 0 for no limit. */
  readonly headAgeMaxSeconds: number;
}

/** The service behind the routes. */
export interface HttpContext {
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly surfaces: readonly Surface[];
  readonly networks: readonly NetworkStatus[];
  readonly limits: HttpLimits;
  readonly observer: HttpObserver;
  readonly verifier: Verifier;
  readonly settle: Settle;
  readonly refuseIdentifier: RefuseIdentifier;
  /** Whether a payment that would go through can be carried now. */
  readonly admit: Admit;
  readonly catalogue: RespondToExtensions;
  readonly waiters: Waiters;
  /** Seconds an authorization must still be valid to be settled. */
  readonly settleMarginSeconds: bigint;
  /** Credits that the account of a key pays for a settlement. */
  readonly creditsPerSettlement: number;
  readonly exchanges: Exchanges;
  /** What a settlement's gas costs now, in gwei: by a plain payer, by a contract. */
  gasOf(chainId: ChainId): Pick<KeylessGas, "plainGwei" | "contractGwei">;
  checkKeyless(question: KeylessQuestion): Promise<KeylessVerdict>;
  noteKeyless(question: KeylessQuestion): Promise<void>;
  findSettlement(id: string): Promise<Settlement | undefined>;
  authenticate(text: string): Promise<ApiKey | undefined>;
  /** The plan of a key's account; undefined when there is no such account. */
  planOf(account: Address): Promise<Plan | undefined>;
  pingStore(): Promise<void>;
  startStep(): StartStep;
  viewOf(chainId: ChainId): ChainView | undefined;
}
