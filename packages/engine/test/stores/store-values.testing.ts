/** Values that tests of stores are made of. */
import { apothem, type Address, type Hex } from "@farthing/protocol";
import { settlementTransitions, type Claim, type SettlementState } from "../../src/index.ts";
import type { WalletLease, TransactionPlan } from "../../src/model/relayer-transaction.ts";
import type { ClaimResult, EngineStores, Storage } from "../../src/storage.ts";

/** The stores of an engine without participants, open. */
export type TestStore = EngineStores & Pick<Storage, "ping" | "close">;

/** A database of its own; every `open` is another process's connection to it. */
export interface StoreBench<Store = TestStore> {
  open(): Promise<Store>;
  /**
   * Whether two connections of this one process can be inside transactions at once. SQLite's
   * driver waits for the other without letting this process go on.
   */
  readonly isConcurrent: boolean;
  readonly databaseUrl: string;
  /** Runs a statement past the store, as an operator could. */
  query(statement: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Tells whether the table of transitions has a settlement move from one state to the other. */
export function isAllowedMove(before: SettlementState, after: SettlementState): boolean {
  return Object.values(settlementTransitions).some(
    ({ from, to }: { readonly from: readonly SettlementState[]; readonly to: SettlementState }) =>
      to === after && from.includes(before),
  );
}

export const chainId = apothem.chainId;
export const lane: Address = `0x${"aa".repeat(20)}`;
export const otherLane: Address = `0x${"bb".repeat(20)}`;
const payer: Address = `0x${"11".repeat(20)}`;

/** Longer than any test, since PostgreSQL's leases run by its own clock. */
const leaseMs = 60_000;

let made = 0;

/** A number that was not given before. */
export function next(): number {
  return ++made;
}

/** A hash or a nonce. */
export function hex32(number: number): Hex {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

/** A claim of a payment that was not there before. */
export function claimOf(changes: Partial<Claim> = {}): Claim {
  const number = next();
  const { keyId = null } = changes;
  return {
    id: `stl_${number}`,
    chainId,
    asset: apothem.usdc,
    payer,
    nonce: hex32(number),
    payTo: `0x${"22".repeat(20)}`,
    amount: 10n,
    validAfter: 0n,
    validBefore: (1n << 256n) - 1n,
    signature: "0x1234",
    payerHasCode: false,
    seenUnusedAt: 7,
    networkName: "eip155:51",
    keyId,
    owner: null,
    priority: keyId === null ? "open" : "keyed",
    requestId: null,
    credits: 0,
    terms: {},
    claimingCall: null,
    ...changes,
  };
}

/** A transaction that carries settlements. */
export function planOf(...settlementIds: string[]): TransactionPlan {
  return { settlementIds, to: apothem.usdc, data: "0x", gasLimit: 1n, gasPrice: 1n };
}

/** Puts another transaction at a pending nonce, of which none may be mined. */
export async function replaceAt(
  store: TestStore,
  ...parameters: Parameters<TestStore["replaceTransaction"]>
) {
  const transaction = await store.replaceTransaction(...parameters);
  if (!transaction) throw new Error("A transaction is mined at the nonce");
  return transaction;
}

/** An outcome in a block. */
export function minedIn(blockNumber: number) {
  const hash = hex32(blockNumber);
  return {
    transaction: hash,
    blockNumber,
    blockHash: hash,
    logIndex: 3,
    settledBy: "relayer" as const,
  };
}

/** The settlement that a claim has made or found. */
export function idOf(result: ClaimResult | undefined): string | undefined {
  return result && "settlement" in result ? result.settlement.id : undefined;
}

/** Takes a wallet's lease; undefined when another one's still runs. */
export function take(
  store: TestStore,
  owner: string,
  options: Partial<Parameters<TestStore["takeWalletLease"]>[0]> = {},
): Promise<WalletLease | undefined> {
  return store.takeWalletLease({
    chainId,
    lane,
    owner,
    nonceFloor: 0,
    leaseMs,
    now: 0,
    ...options,
  });
}

/** Takes a wallet's lease, which must be free. */
export async function held(
  store: TestStore,
  owner = "one",
  at: Address = lane,
): Promise<WalletLease> {
  const lease = await take(store, owner, { lane: at });
  if (!lease) throw new Error("another process holds the lane");
  return lease;
}

/** Claims a settlement, and reserves the transaction that carries it under a new lease. */
export async function reserved(store: TestStore) {
  const lease = await held(store);
  const claim = claimOf();
  await store.claimSettlements([claim], 1);
  const plan = planOf(claim.id);
  const [transaction] = await store.reserveTransactions(lease, [plan], 1);
  if (!transaction) throw new Error("nothing was reserved");
  return { lease, claim, plan, transaction };
}

/** Why a claim was refused; undefined when it was not. */
export function refusalOf(result: ClaimResult | undefined): string | undefined {
  return result?.kind === "refused" ? result.reason : undefined;
}

/** Settlements confirmed in block 100. */
export function confirm(store: TestStore, ...ids: string[]) {
  return store.recordConfirmed(
    ids.map((id) => ({ id, mined: minedIn(100) })),
    6,
  );
}

/** Settlements that failed. */
export function fail(store: TestStore, ...ids: string[]) {
  return store.recordFailed(
    ids.map((id) => ({ id, code: "transaction_reverted", message: "m", transaction: null })),
    7,
  );
}
