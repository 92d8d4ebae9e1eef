/**
 * What is kept about sellers' accounts, as verbs; see store.ts for the rest. Each is atomic: it
 * happens whole or not at all. Times are milliseconds since 1970, credits whole numbers. Lists give
 * pages: `next` is where the following page begins, null when there is none.
 */
import type { Page, Paging, TimeCursor } from "@farthing/engine/storage";
import type { Address, ChainId, Hex } from "@farthing/protocol";
import type { Account, LinkedWallet, Plan, Session, SignRequest } from "./accounts/model.ts";
import type { ApiKey } from "./api-keys/model.ts";
import type {
  CreditBalance,
  CreditEntry,
  CreditPurchase,
  PurchaseMove,
  PurchaseState,
} from "./credits/model.ts";
import type { Settlement, SettlementState, TransactionState } from "@farthing/engine";
import type { WebhookDelivery, WebhookEndpoint } from "./webhooks/model.ts";

/** Where a page of the ledger begins, and what was available after the entry it begins with. */
export interface LedgerCursor {
  readonly id: number;
  readonly balanceAfter: number;
}

/** Verbs about accounts. */
export interface AccountVerbs {
  /** Gives an account, made now when there is none. */
  ensureAccount(address: Address, now: number): Promise<Account>;
  findAccount(address: Address): Promise<Account | undefined>;
  /** Accounts by address, after one of them. */
  listAccounts(paging: Paging<Address>): Promise<Page<Account, Address>>;
  /** Changes what is given; undefined when there is no such account. */
  updateAccount(
    address: Address,
    changes: { readonly label?: string; readonly lowCreditsAt?: number | null },
  ): Promise<Account | undefined>;
  /** Gives the account as it is now; undefined when there is none. */
  setPlan(address: Address, plan: Plan): Promise<Account | undefined>;
}

/** What became of opening a session. */
export type OpenSessionResult =
  | "opened"
  /** The wallet is neither the account's own nor linked to it (on this chain, as a contract). */
  | "not_linked"
  /** The account's own address signed in as a contract of another chain before. */
  | "other_chain"
  /** As many as may run are running. */
  | "too_many";

/** Verbs about signing in. */
export interface SessionVerbs {
  /** Stores a request, and removes some that have expired. */
  createSignRequest(request: SignRequest): Promise<void>;
  /** Gives a request and deletes it, in one: whatever comes of it, it is not answered twice. */
  takeSignRequest(id: string): Promise<SignRequest | undefined>;
  /**
   * Stores a session under the hash of what the cookie holds. A session of an account's own address
   * makes the account when there is none; any other wallet must be linked at this moment.
   * `runningMax`: sessions of one account that may run at once.
   */
  openSession(
    session: Session,
    secrets: { readonly idHash: string; readonly runningMax: number },
  ): Promise<OpenSessionResult>;
  /** A session that is not revoked and whose end is not reached; idleness is the caller's to judge. */
  findSession(idHash: string, now: number): Promise<Session | undefined>;
  touchSession(id: string, now: number): Promise<void>;
  /** Running sessions of an account that were seen since a time, the latest seen first. */
  listSessions(account: Address, times: { now: number; seenSince: number }): Promise<Session[]>;
  /** Ends one of an account's sessions; false when none such runs. */
  revokeSession(account: Address, id: string, now: number): Promise<boolean>;
  /** Ends an account's sessions, all but one if one is named; gives how many. */
  revokeSessions(account: Address, options: { exceptId?: string; now: number }): Promise<number>;
}

/** Verbs about further wallets. */
export interface WalletVerbs {
  /**
   * Links a wallet to an account that is there. `known`: it was already, as it is stored.
   * `too_many`: the account has `walletsMax`.
   */
  linkWallet(
    wallet: LinkedWallet,
    bounds: { readonly walletsMax: number },
  ): Promise<"linked" | "known" | "too_many">;
  /** Unlinks a wallet and ends the sessions that it opened for this account. False when not linked. */
  unlinkWallet(account: Address, address: Address, now: number): Promise<boolean>;
  findWallet(account: Address, address: Address): Promise<LinkedWallet | undefined>;
  /** By the time they were linked. */
  listWallets(account: Address): Promise<LinkedWallet[]>;
  /** The accounts that a wallet is linked to, at most `limit`, by address. */
  listAccountsOf(wallet: Address, limit: number): Promise<LinkedWallet[]>;
}

/** How a key takes over from another one; times in ms since 1970. */
export interface RotationTerms {
  readonly endsAt: number;
  readonly now: number;
  readonly workingMax: number;
}

/** Verbs about API keys, beside those of the store. */
export interface KeyVerbs {
  /** Adds a key to an account that is there; false when it has `workingMax` that work. */
  mintApiKey(
    key: ApiKey,
    bounds: { readonly workingMax: number; readonly now: number },
  ): Promise<boolean>;
  /**
   * Adds `key` in place of another one of the same account, which works until `endsAt` at the
   * latest. `ended`: that one does not work any more, or was replaced already. `too_many`: more
   * than `workingMax` keys of the account would work.
   */
  rotateApiKey(
    oldId: string,
    key: ApiKey,
    terms: RotationTerms,
  ): Promise<"rotated" | "ended" | "too_many">;
}

/** What somebody adds to an account's ledger by hand. */
export interface Grant {
  readonly account: Address;
  /** `adjustment` may take credits, down to none. */
  readonly kind: "grant" | "adjustment";
  readonly credits: number;
  readonly actor: string;
  readonly note: string | null;
}

/** Something in the books that does not agree; there should be none. */
export interface LedgerProblem {
  /** `balance`: not the sum of the entries. `settlement`: its state and its last entry disagree. */
  readonly kind: "balance" | "settlement";
  /** The account, or the settlement's id. */
  readonly of: string;
}

/** Verbs about credits. Settlements hold, charge and release by themselves; see `Claim.price`. */
export interface CreditVerbs {
  findCredits(account: Address): Promise<CreditBalance>;
  /** Adds an entry, and the account when it is new; undefined when the balance would be negative. */
  grantCredits(grant: Grant, now: number): Promise<CreditBalance | undefined>;
  /** Newest first. */
  listCreditEntries(
    account: Address,
    paging: Paging<LedgerCursor>,
  ): Promise<Page<CreditEntry, LedgerCursor>>;
  /** Compares balances with entries and entries with settlements; gives at most `limit` differences. */
  auditCredits(limit: number): Promise<LedgerProblem[]>;
}

/** Where a page of purchases begins: with the one that has this time, by which they are listed, and id. */
export interface PurchaseCursor {
  readonly at: number;
  readonly id: string;
}

/** Verbs about purchases of credits. */
export interface PurchaseVerbs {
  /** Stores a purchase that awaits payment; false when its account has `awaitingMax` of them. */
  createPurchase(
    purchase: Pick<
      CreditPurchase,
      "id" | "account" | "chainId" | "payer" | "credits" | "units" | "createdAt" | "expiresAt"
    >,
    bounds: { readonly awaitingMax: number },
  ): Promise<boolean>;
  /** Of this account only, when one is given. */
  findPurchase(id: string, account?: Address): Promise<CreditPurchase | undefined>;
  /** Newest first. */
  listPurchases(
    account: Address,
    paging: Paging<TimeCursor>,
  ): Promise<Page<CreditPurchase, TimeCursor>>;
  /** Those of every account in a state, the longest unchanged first. */
  listPurchasesIn(
    state: PurchaseState,
    paging: Paging<PurchaseCursor>,
  ): Promise<Page<CreditPurchase, PurchaseCursor>>;
  /** Those in a state whose time ended by `now`, the earliest end first. */
  listExpiredPurchases(
    state: PurchaseState,
    now: number,
    paging: Paging<PurchaseCursor>,
  ): Promise<Page<CreditPurchase, PurchaseCursor>>;
  /** Of the next `limit` that failed, those whose payment became final after all. */
  listPaidAfterFailure(paging: {
    readonly from: PurchaseCursor;
    readonly limit: number;
  }): Promise<Page<CreditPurchase, PurchaseCursor>>;
  /**
   * Moves a purchase on, and notes when. Gives it as it is now; undefined when it is not in `from`
   * any more, or when its payment (chain, transaction, log) already paid another one. `credited`
   * puts the credits into the ledger in the same transaction; `credited` and `held` tell webhooks.
   * Throws when the move is not in `purchaseMoves`.
   */
  movePurchase(
    id: string,
    from: PurchaseState,
    move: PurchaseMove,
    now: number,
  ): Promise<CreditPurchase | undefined>;
  /** USDC base units of an account's purchases since a time that are settling or further. */
  sumPurchases(account: Address, since: number): Promise<bigint>;
}

/** Which settlements of an account are wanted; all when nothing is said. */
export interface HistoryFilter {
  readonly state?: SettlementState | undefined;
  readonly payer?: Address | undefined;
  readonly keyId?: string | undefined;
  readonly chainId?: ChainId | undefined;
  readonly transaction?: Hex | undefined;
  /** Claimed at this time or later. */
  readonly since?: number | undefined;
  /** Claimed before this time. */
  readonly before?: number | undefined;
}

/** A transaction that carried a settlement, as its story tells it. */
export interface CarriedBy {
  readonly hash: Hex | null;
  readonly lane: Address;
  readonly nonce: number;
  readonly state: TransactionState;
  /** Wei. */
  readonly gasPrice: bigint;
  readonly createdAt: number;
  readonly sentAt: number | null;
  readonly blockNumber: number | null;
  /** Of the whole transaction; null until its receipt was read. */
  readonly gasUsed: number | null;
  /** Wei per gas, as charged; null until its receipt was read. */
  readonly gasPricePaid: bigint | null;
  /** Settlements that it carried, by which its gas is shared. */
  readonly settlements: number;
}

/** Settlements of an account, claimed on one day (UTC). */
export interface UsageDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly settled: number;
  readonly failed: number;
  readonly pending: number;
  /** USDC base units of those that settled. */
  readonly units: bigint;
  /** Credits held or charged for them. */
  readonly credits: number;
}

/** Verbs about what was settled for an account. A settlement belongs to the account of its key. */
export interface HistoryVerbs {
  /** Newest first. */
  listAccountSettlements(
    account: Address,
    filter: HistoryFilter,
    paging: Paging<TimeCursor>,
  ): Promise<Page<Settlement, TimeCursor>>;
  /** The transactions that carried a settlement, oldest first; their settlements are counted. */
  listCarriers(settlementId: string): Promise<CarriedBy[]>;
  /** Notes what transactions of ours used, from their receipts. */
  recordGas(
    receipts: readonly {
      readonly hash: Hex;
      readonly gasUsed: number;
      readonly gasPrice: bigint;
    }[],
  ): Promise<void>;
  /** Days with settlements, oldest first, from `since` to before `before`. */
  listUsage(
    account: Address,
    times: { readonly since: number; readonly before: number },
  ): Promise<UsageDay[]>;
}

/** A delivery that is due, with what it takes to carry it out. */
export interface DueDelivery {
  readonly delivery: WebhookDelivery;
  readonly endpoint: WebhookEndpoint;
}

/**
 * Verbs about webhooks. What happens to settlements, credits and purchases is put into the outbox
 * by the verbs that do it, in the same transaction, for the endpoints that asked for it.
 */
export interface WebhookVerbs {
  /** Stores an endpoint of an account that is there; false when it has `endpointsMax`. */
  createWebhook(
    endpoint: WebhookEndpoint,
    bounds: { readonly endpointsMax: number },
  ): Promise<boolean>;
  /** An account's endpoints that are not disabled, oldest first. */
  listWebhooks(account: Address): Promise<WebhookEndpoint[]>;
  findWebhook(account: Address, id: string): Promise<WebhookEndpoint | undefined>;
  /** Ends an endpoint and what is on its way to it; false when there is none. */
  disableWebhook(account: Address, id: string, now: number): Promise<boolean>;
  /**
   * Pauses an endpoint to which nothing was delivered for `quietMs` and at least `failuresMin`
   * deliveries were given up; what waits for it is given up as well. False when it goes on.
   */
  pauseWebhook(
    id: string,
    terms: { readonly quietMs: number; readonly failuresMin: number; readonly now: number },
  ): Promise<boolean>;
  /** Lets a paused endpoint go on; gives it, undefined when there is none. */
  resumeWebhook(account: Address, id: string, now: number): Promise<WebhookEndpoint | undefined>;
  /** Puts one delivery into the outbox, for a test. */
  addDelivery(
    delivery: Pick<
      WebhookDelivery,
      "id" | "endpointId" | "account" | "type" | "body" | "createdAt"
    >,
  ): Promise<void>;
  /** Newest first. */
  listDeliveries(
    endpointId: string,
    paging: Paging<TimeCursor>,
  ): Promise<Page<WebhookDelivery, TimeCursor>>;
  /** Makes a delivery due again, from its first attempt; gives it, undefined when there is none. */
  resendDelivery(
    endpointId: string,
    deliveryId: string,
    now: number,
  ): Promise<WebhookDelivery | undefined>;
  /**
   * Takes deliveries that are due and counts the attempt. Until `leaseMs` later nobody else takes
   * them; then they are due again, should their end not be recorded.
   */
  takeDueDeliveries(options: {
    readonly now: number;
    readonly leaseMs: number;
    readonly limit: number;
    /** Endpoints that have enough to do. */
    readonly exceptEndpoints?: readonly string[];
  }): Promise<DueDelivery[]>;
  /**
   * Records how an attempt ended. `retryAt`: when it is due again; null when it is delivered or
   * given up. Does nothing for a delivery that is not pending any more.
   */
  recordAttempt(
    deliveryId: string,
    result: {
      readonly isDelivered: boolean;
      readonly status: number | null;
      readonly error: string | null;
      readonly retryAt: number | null;
    },
    now: number,
  ): Promise<void>;
  /**
   * Removes webhook deliveries that were made before a time, at most `limit`; returns how many.
   * `onRemoval` gets them before they are gone; where it throws, nothing is removed.
   */
  removeDeliveries(
    madeBefore: number,
    limit: number,
    onRemoval: (deliveries: readonly WebhookDelivery[]) => Promise<void>,
  ): Promise<number>;
}

/** Everything about accounts. */
export interface AccountStore
  extends
    AccountVerbs,
    SessionVerbs,
    WalletVerbs,
    KeyVerbs,
    CreditVerbs,
    PurchaseVerbs,
    HistoryVerbs,
    WebhookVerbs {}
