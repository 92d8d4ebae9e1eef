/**
 * Proven contract payers: a final settlement of an earlier day shows that a wallet pays. Its
 * payments may draw on the proven half of the budget for reverted gas, until one of them reverts.
 */
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { hoursPerDay, hourMs } from "../model/keyless.ts";
import { provenPayerMs } from "../model/reverted-gas.ts";
import type { Database } from "./dialect.ts";
import {
  raiseCounters,
  readCounters,
  type CounterName,
  type Counters,
} from "./keyless-counters.ts";
import type { SettlementRow } from "./schema.ts";

const dayMs = hoursPerDay * hourMs;

/** The slot of the counter is the first day on which it counts. */
export function provenPayerCounter(chainId: ChainId, payer: Address): CounterName {
  return { chainId, kind: "proven_payer", name: toLowerHex(payer) };
}

export function provenPayerMethods(database: Database) {
  return {
    /** Returns, in order, which contract payers are proven. */
    findProvenPayers: async (chainId: ChainId, payers: readonly Address[], now: number) => {
      const names = payers.map((payer) => provenPayerCounter(chainId, payer));
      const counters = await readCounters(database, names, now);
      return payers.map((payer) => isProvenPayer(counters, { chainId, payer }, now));
    },
  };
}

/** Requires that the payer's counter was read before. */
export function isProvenPayer(
  counters: Counters,
  { chainId, payer }: { readonly chainId: ChainId; readonly payer: Address },
  now: number,
): boolean {
  const since = counters.firstPeriod(provenPayerCounter(chainId, payer));
  return since !== undefined && since <= Math.floor(now / dayMs);
}

/** Counts settlements that have just become final for their contract payers. */
export async function countForPayers(
  inside: Database,
  rows: readonly SettlementRow[],
  now: number,
): Promise<void> {
  const byContract = rows.filter((row) => row.payer_has_code === 1);
  if (byContract.length === 0) return;
  const names = new Map(
    byContract.map(({ chain_id: chainId, payer }) => {
      const counter = provenPayerCounter(chainId, payer);
      return [counter.name, counter];
    }),
  );
  const known = await readCounters(inside, [...names.values()], now);
  const nextDay = Math.floor(now / dayMs) + 1;
  await raiseCounters(
    inside,
    [...names.values()].map((counter) => ({
      ...counter,
      slot: known.firstPeriod(counter) ?? nextDay,
      amount: 1,
      refill: 0,
      expiresAt: now + provenPayerMs,
    })),
    now,
  );
}

/** Payers whose transactions reverted have to prove themselves again. */
export async function forgetProvenPayers(
  { db }: Pick<Database, "db">,
  rows: readonly Pick<SettlementRow, "chain_id" | "payer">[],
): Promise<void> {
  // In the order of countForPayers, so that the two cannot deadlock.
  const inOrder = rows.toSorted((one, other) => (one.payer < other.payer ? -1 : 1));
  for (const { chain_id: chainId, payer } of inOrder) {
    await db
      .deleteFrom("keyless_counters")
      .where("chain_id", "=", chainId)
      .where("kind", "=", "proven_payer")
      .where("name", "=", toLowerHex(payer))
      .execute();
  }
}
