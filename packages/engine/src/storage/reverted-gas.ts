/**
 * The budget for gas that contract wallets burn by reverting: claims evaluate and reserve it,
 * outcomes settle it. Its counters stand beside those of callers without a key, under the same
 * lock.
 */
import type { Address, ChainId } from "@farthing/protocol";
import { gasHalves, refillOf, type GasHalf } from "../model/keyless.ts";
import { chooseRevertedHalf, type RevertedGasTerms } from "../model/reverted-gas.ts";
import type { Claim, Settlement } from "../model/settlement.ts";
import { readContractGas } from "./contract-gas.ts";
import type { Database } from "./dialect.ts";
import {
  bucketMs,
  keylessLock,
  lowerCounters,
  raiseCounters,
  readCounters,
  type CounterName,
  type Counters,
} from "./keyless-counters.ts";
import { createLocal, type ClaimRefusal, type EngineTransaction } from "./participant.ts";
import { numberOrNull } from "./rows.ts";
import type { SettlementRow } from "./schema.ts";
import { isProvenPayer, provenPayerCounter, provenPayerMethods } from "./proven-payers.ts";

/** A payment of a contract wallet, as far as this budget is concerned. */
export interface RevertedGasQuestion {
  readonly chainId: ChainId;
  readonly payer: Address;
  readonly terms: RevertedGasTerms;
}

/** `claimSettlements` evaluates and counts claims. */
export type RevertedGasMethods = ReturnType<typeof revertedGasMethods>;

export interface RevertedGasReservation extends RevertedGasTerms {
  readonly half: GasHalf;
}

export function revertedGasMethods(database: Database) {
  return {
    ...provenPayerMethods(database),
    /** Returns, in order, whether `/verify` may still call payments valid; reserves nothing. */
    hasRevertedGas: async (questions: readonly RevertedGasQuestion[], now: number) => {
      const counters = await readCounters(database, questions.flatMap(countersOf), now);
      return questions.map(
        (question) => choose(question, counters, { now, isQuestion: true }) !== undefined,
      );
    },
    /** Burned or reserved gas of each half of a chain's budget, in gwei. */
    readRevertedGas: async (chainId: ChainId, now: number) => {
      const of = (half: GasHalf) => halfCounter(chainId, half);
      const counters = await readCounters(database, gasHalves.map(of), now);
      return { open: counters.used(of("open")), proven: counters.used(of("proven")) };
    },
  };
}

function halfCounter(chainId: ChainId, half: GasHalf): CounterName {
  return { chainId, kind: "reverted", name: half };
}

function countersOf({ chainId, payer }: RevertedGasQuestion): CounterName[] {
  return [
    ...gasHalves.map((half) => halfCounter(chainId, half)),
    provenPayerCounter(chainId, payer),
  ];
}

function choose(
  { chainId, payer, terms }: RevertedGasQuestion,
  counters: Counters,
  { now, isQuestion }: { readonly now: number; readonly isQuestion: boolean },
): GasHalf | undefined {
  return chooseRevertedHalf({
    terms,
    isProven: isProvenPayer(counters, { chainId, payer }, now),
    isQuestion,
    usedOf: (half) => counters.used(halfCounter(chainId, half)),
  });
}

/** Undefined for plain payers and without a limit. */
function questionOf({ chainId, payer, payerHasCode, revertedGas }: Claim) {
  return payerHasCode && revertedGas ? { chainId, payer, terms: revertedGas } : undefined;
}

/** Lock names of contract payers' claims, so that two cannot take the last of the budget. */
export function revertedGasLocks(claims: readonly Claim[]): string[] {
  return claims.flatMap((claim) => (questionOf(claim) ? [keylessLock(claim.chainId)] : []));
}

/**
 * Evaluates claims in their order: each that passes reserves before the next. Adds the reasons of
 * the others to `refusals`, and returns the reservations by the claim's id.
 */
export async function evaluateRevertedGas(
  inside: Database,
  claims: readonly Claim[],
  now: number,
  refusals: Map<string, ClaimRefusal>,
): Promise<Map<string, RevertedGasReservation>> {
  const reservations = new Map<string, RevertedGasReservation>();
  const asked = claims.flatMap((claim) => {
    const question = refusals.has(claim.id) ? undefined : questionOf(claim);
    return question ? [{ id: claim.id, question }] : [];
  });
  if (asked.length === 0) return reservations;
  const names = asked.flatMap(({ question }) => countersOf(question));
  const counters = await readCounters(inside, names, now);
  for (const { id, question } of asked) {
    const half = choose(question, counters, { now, isQuestion: false });
    if (half === undefined) {
      refusals.set(id, "reverted_gas_exhausted");
      continue;
    }
    const reservation = { ...question.terms, half };
    counters.add([entryOf(question.chainId, reservation, now)]);
    reservations.set(id, reservation);
  }
  return reservations;
}

function entryOf(chainId: ChainId, reservation: RevertedGasReservation, now: number) {
  return {
    ...halfCounter(chainId, reservation.half),
    slot: 0,
    amount: reservation.reserveGwei,
    refill: refillOf(reservation.budgetGwei).half,
    expiresAt: now + bucketMs,
  };
}

/** Stores the reservations of new settlements. */
export async function reserveRevertedGas(
  inside: Database,
  created: readonly Settlement[],
  reservations: ReadonlyMap<string, RevertedGasReservation>,
  now: number,
): Promise<void> {
  const made = created.flatMap(({ id, chainId }) => {
    const reservation = reservations.get(id);
    return reservation ? [{ id, chainId, reservation }] : [];
  });
  if (made.length === 0) return;
  const entries = made.map(({ chainId, reservation }) => entryOf(chainId, reservation, now));
  await raiseCounters(inside, entries, now);
  await inside.db
    .insertInto("reverted_gas_reservations")
    .values(
      made.map(({ id, reservation: { half, reserveGwei } }) => {
        return { settlement_id: id, half, gwei: reserveGwei };
      }),
    )
    .execute();
}

/** The settlements of a step whose gas stays counted by this budget. */
export const burnedGasOf = createLocal(() => new Set<string>());

/**
 * Ends the reservations of settlements with a new outcome, and notes those whose gas stays counted.
 * Gas is burned where a relayer transaction carried the payment and did not move it, also when a
 * third party did: a wallet can revert first and pay itself in the same block.
 */
export async function closeRevertedGas(
  tx: EngineTransaction,
  settled: readonly SettlementRow[],
): Promise<void> {
  const rows = new Map(settled.flatMap((row) => (row.payer_has_code === 1 ? [[row.id, row]] : [])));
  if (rows.size === 0) return;
  const reservations = await tx.db
    .deleteFrom("reverted_gas_reservations")
    .where("settlement_id", "in", [...rows.keys()])
    .returningAll()
    .execute();
  const ended = reservations.flatMap(({ settlement_id: id, half, gwei }) => {
    const row = rows.get(id);
    return row ? [{ row, half, reserved: Number(gwei), isBurned: isBurned(row) }] : [];
  });
  const burned = ended.flatMap(({ row, ...one }) => (one.isBurned ? [row] : []));
  const limits = await readContractGas(
    tx,
    burned.map((row) => ({
      id: row.id,
      payer: row.payer,
      nonce: row.nonce,
      payerHasCode: true,
      carrierId: numberOrNull(row.transaction_id),
    })),
  );
  const returns = ended.map(({ row, half, reserved, isBurned: stays }) => {
    const kept = stays ? (limits.get(row.id) ?? reserved) : 0;
    // Negative where the gas price rose after the claim, which is counted as well.
    return { ...halfCounter(row.chain_id, half), slot: 0, amount: reserved - kept };
  });
  await tx.engine.lockNames(
    tx.db,
    returns.map(({ chainId }) => keylessLock(chainId)),
  );
  await lowerCounters(tx, returns);
  for (const { id } of burned) burnedGasOf(tx).add(id);
}

function isBurned(row: SettlementRow): boolean {
  return row.transaction_id !== null && (row.state === "failed" || row.settled_by === "other");
}
