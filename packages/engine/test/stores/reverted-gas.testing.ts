/** Payments of contract wallets that may burn gas by reverting, and what becomes of them. */
import type { Address } from "@farthing/protocol";
import { type Claim, hourMs } from "../../src/index.ts";
import { hoursPerDay } from "../../src/model/keyless.ts";
import type { Failure } from "../../src/storage.ts";
import {
  claimOf,
  held,
  hex32,
  lane,
  minedIn,
  next,
  planOf,
  type TestStore,
} from "./store-values.testing.ts";

export const dayMs = hoursPerDay * hourMs;

/** A time in the middle of an hour and a day. */
export const noon = 500 * dayMs + 12 * hourMs + hourMs / 2;

/** Each half holds ten payments; an hour brings five back, rounded up from 4.17. */
export const revertedGas = { budgetGwei: 200, reserveGwei: 10 };

/** A payment of a contract wallet of its own, by a caller with a key unless told otherwise. */
export function byContract(changes: Partial<Claim> = {}): Claim {
  const payer: Address = `0x${next().toString(16).padStart(40, "0")}`;
  return claimOf({ payer, payerHasCode: true, revertedGas, ...changes });
}

export const many = (count: number, make = () => byContract()) =>
  Array.from({ length: count }, make);

export async function claimAll(
  store: TestStore,
  claims: readonly Claim[],
  now = noon,
): Promise<string[]> {
  const results = await store.claimSettlements(claims, now);
  return results.map((one) => (one.kind === "refused" ? one.reason : one.kind));
}

export const created = (count: number) => Array.from({ length: count }, () => "created");
export const exhausted = (count: number) =>
  Array.from({ length: count }, () => "reverted_gas_exhausted");

/** Gives a settlement a transaction that may burn so much gas at one gwei. */
export async function carry(store: TestStore, id: string, gasLimit: bigint): Promise<void> {
  const lease = await held(store, "one", lane);
  const plan = { ...planOf(id), gasLimit, gasPrice: 1_000_000_000n };
  const [reserved] = await store.reserveTransactions(lease, [plan], 2);
  if (!reserved) throw new Error("the settlement is carried by another transaction");
  const signed = { id: reserved.id, raw: hex32(next()), hash: hex32(next()) };
  await store.recordSigned(lease, [signed], 3);
}

export async function revert(store: TestStore, id: string, pausesPayer = true): Promise<void> {
  const code = "transaction_reverted";
  const failure: Failure = { id, code, message: "m", transaction: hex32(9), pausesPayer };
  await store.recordFailed([failure], noon);
}

export const confirmBy = (settledBy: "relayer" | "other") => async (store: TestStore, id: string) =>
  store.recordConfirmed([{ id, mined: { ...minedIn(100), settledBy } }], noon);
