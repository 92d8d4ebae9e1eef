/**
 * What the account API answers. Amounts are decimal text in base units of USDC, credits are whole
 * numbers, times are RFC 3339, everything else as its name says.
 */
import type { Address, ChainId, Hex } from "@farthing/protocol";

export type WalletKind = "plain" | "contract";

/** `GET /v1/account`. */
export interface Account {
  readonly account: Address;
  /** The wallet that signed in. */
  readonly wallet: Address;
  readonly walletKind: WalletKind;
  readonly chainId: ChainId;
  readonly plan: "active" | "inactive";
  readonly label: string;
  readonly credits: Balance;
  readonly limits: { readonly keys: number; readonly wallets: number };
  readonly creditsPerSettlement: number;
  readonly treasury: Address | null;
  readonly networks: readonly ServedNetwork[];
  readonly publicUrl: string;
  readonly version: string;
}

export interface Balance {
  readonly available: number;
  readonly held: number;
  readonly lowAt: number | null;
}

export interface ServedNetwork {
  /** CAIP-2. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  readonly chainId: ChainId;
  readonly usdc: Address;
  readonly explorer: string;
}

/** A text to sign, kept by the service until it is answered or expires. */
export interface SignRequest {
  readonly requestId: string;
  readonly message: string;
  readonly expiresAt: string;
}

/** `POST /v1/account/sign-in/complete`. */
export interface SignedIn {
  readonly account: Address;
  readonly wallet: Address;
  /** Other accounts that the wallet may administer. */
  readonly accounts: readonly Address[];
}

export interface Session {
  readonly id: string;
  readonly wallet: Address;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly expiresAt: string;
  readonly isCurrent: boolean;
}

export interface LinkedWallet {
  readonly address: Address;
  readonly kind: WalletKind;
  readonly chainId: ChainId | null;
  readonly linkedAt: string | null;
  /** The account's own address, which cannot be unlinked. */
  readonly isOwn: boolean;
}

export type KeyMode = "live" | "test";

export interface ApiKey {
  readonly id: string;
  readonly label: string;
  readonly mode: KeyMode;
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly status: "active" | "expiring" | "expired" | "revoked";
}

/** A key with its text, which is given once. */
export interface NewApiKey extends ApiKey {
  readonly key: string;
}

/** `GET /v1/account/credits`. */
export interface Credits extends Balance {
  readonly perSettlement: number;
  readonly treasury: Address | null;
  readonly minUnits: string;
  readonly reviewAboveUnits: string;
}

export interface LedgerEntry {
  readonly id: number;
  readonly kind: "purchase" | "grant" | "hold" | "charge" | "release" | "reopen" | "adjustment";
  readonly credits: number;
  readonly balanceAfter: number;
  readonly settlementId: string | null;
  readonly purchaseId: string | null;
  readonly note: string | null;
  readonly createdAt: string;
}

export type PurchaseState =
  | "awaiting_payment"
  | "settling"
  | "confirmed"
  | "credited"
  | "held"
  | "rejected"
  | "failed"
  | "expired"
  | "canceled";

export interface Purchase {
  readonly id: string;
  readonly state: PurchaseState;
  readonly credits: number;
  readonly amount: string;
  readonly payer: Address | null;
  readonly payTo: Address | null;
  readonly chainId: ChainId;
  readonly network: string;
  /** For `eth_signTypedData_v4`. */
  readonly typedData: TypedData | null;
  /** Why it is held, failed or rejected, and what to do. */
  readonly reason: string | null;
  readonly settlementId: string | null;
  readonly transaction: Hex | null;
  readonly explorer: string | null;
  readonly timeline: readonly { readonly state: PurchaseState; readonly at: string }[];
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly contact: string | null;
}

export interface TypedData {
  readonly domain: { readonly chainId: number };
  readonly primaryType: string;
  readonly types: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
}

export type SettlementState = "queued" | "submitted" | "confirmed" | "failed";

export interface SettlementRow {
  readonly id: string;
  readonly state: SettlementState;
  readonly network: string;
  readonly payer: Address;
  readonly payTo: Address;
  readonly amount: string;
  readonly transaction: Hex | null;
  readonly keyId: string | null;
  readonly credits: number;
  readonly createdAt: string;
  readonly confirmedAt: string | null;
  readonly finalizedAt: string | null;
  readonly failure: string | null;
}

export interface TimelineStep {
  readonly what: "queued" | "submitted" | "transaction" | "confirmed" | "finalized" | "failed";
  readonly at: string;
  readonly transaction?: Hex | null;
  readonly nonce?: number | null;
  readonly gasPriceWei?: string | null;
}

export interface SettlementDetail extends SettlementRow {
  readonly timeline: readonly TimelineStep[];
  /** Its share of the transaction. */
  readonly gasUsed: number | null;
  readonly gasPaidWei: string | null;
  /** Payments that its transaction carried. */
  readonly sharedBy: number | null;
  readonly blockNumber: number | null;
  /** Of its AuthorizationUsed log in that block. */
  readonly logIndex: number | null;
  readonly settledBy: "relayer" | "other" | null;
  readonly requestId: string | null;
  readonly failureMessage: string | null;
  readonly nextStep: string | null;
  readonly explorer: string | null;
}

export interface UsageDay {
  /** `2026-11-20`, in UTC. */
  readonly day: string;
  readonly settled: number;
  readonly failed: number;
  readonly pending: number;
  readonly amount: string;
  readonly credits: number;
}

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly createdAt: string;
  /** Since when nothing is sent, because nothing arrived there. */
  readonly disabledAt: string | null;
}

/** An endpoint with its secret, which is given once. */
export interface NewWebhookEndpoint extends WebhookEndpoint {
  readonly secret: string;
}

export interface WebhookDelivery {
  readonly id: string;
  readonly type: string;
  readonly state: "pending" | "delivered" | "failed";
  readonly attempts: number;
  readonly nextAt: string | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** What is sent, byte for byte. */
  readonly body: string;
  readonly createdAt: string;
  readonly deliveredAt: string | null;
}

export type ListingState = "pending" | "live" | "failing" | "hidden" | "blocked";

export interface ListingDifference {
  readonly field: "scheme" | "network" | "asset" | "payTo" | "amount" | "resourceHost" | "entry";
  readonly advertised: string;
  readonly seen: string;
}

/** A request that the endpoint can quote. */
export interface ListingSample {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What a seller says of an endpoint. */
export interface ListingTerms {
  readonly resource: string;
  readonly method: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly mimeType: string | null;
  readonly sample: ListingSample;
}

export interface Listing extends ListingTerms {
  readonly id: string;
  readonly advertised: {
    readonly network: string;
    readonly asset: Address;
    readonly amount: string;
    readonly payTo: Address;
  };
  readonly check: {
    readonly state: ListingState;
    readonly isPublic: boolean;
    /** The last check that counted. */
    readonly checkedAt: string | null;
    /** The last one that was tried, counted or not. */
    readonly triedAt: string | null;
    readonly nextAt: string | null;
    readonly failures: number;
    readonly message: string;
    readonly differences: readonly ListingDifference[];
  };
  readonly lastSeen: { readonly at: string; readonly accepts: readonly object[] } | null;
  readonly stats: {
    readonly settlements30d: number;
    readonly volume30d: string;
    readonly payers30d: number;
    readonly lastSettledAt: string | null;
  };
  readonly createdAt: string;
}

/** `POST /v1/listings/check`. */
export interface ListingTrial {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly detail: string;
  }[];
}
