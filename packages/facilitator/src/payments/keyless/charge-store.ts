/**
 * The charges of settlements without a key, from the claim to the outcome. A claim counts an estimate
 * of its gas. A failure returns the unused part, and all that the budget for reverted gas counts
 * instead. The estimate of a contract payer is its maximum, and is corrected to the gas limit of the
 * transaction that carried it. A plain payer's estimate stands: receipts would cost another request
 * per transaction.
 */
import { toLowerHex } from "@farthing/protocol";
import type { GasHalf, Settlement } from "@farthing/engine";
import {
  burnedGasOf,
  type CounterEntry,
  type Database,
  type EngineTransaction,
  keylessLock,
  lowerCounters,
  raiseCounters,
  readContractGas,
  type Transition,
  textList,
} from "@farthing/engine/storage";
import { chargeTable, type KeylessChargeRow } from "./tables.ts";

export interface KeylessCharge {
  readonly entries: readonly CounterEntry[];
  readonly spentSlot: number | null;
  readonly countSlot: number | null;
  readonly half: GasHalf | null;
  readonly gwei: number;
}

export async function chargeKeyless(
  inside: Database,
  created: readonly Settlement[],
  charges: ReadonlyMap<string, KeylessCharge>,
  now: number,
): Promise<void> {
  const made = created.flatMap((settlement) => {
    const charge = charges.get(settlement.id);
    return charge ? [{ settlement, charge }] : [];
  });
  if (made.length === 0) return;
  await raiseCounters(
    inside,
    made.flatMap(({ charge }) => charge.entries),
    now,
  );
  const rows = made.map(({ settlement, charge }) => ({
    settlement_id: settlement.id,
    chain_id: settlement.chainId,
    payer: toLowerHex(settlement.payer),
    spent_slot: charge.spentSlot,
    spent: charge.spentSlot === null ? 0 : Number(settlement.amount),
    count_slot: charge.countSlot,
    half: charge.half,
    // Its name has the half in it.
    caller_network: charge.entries.find(({ kind }) => kind === "network")?.name ?? null,
    gwei: charge.gwei,
  }));
  const { db, engine } = inside;
  await db
    .insertInto("keyless_charges")
    .columns(chargeTable.names)
    .expression(db.selectFrom(engine.list(rows, chargeTable.types)).select(chargeTable.names))
    .execute();
}

/** Charges refunds that are signed again; those by a key may have their first charge still. */
export async function rechargeKeyless(
  tx: EngineTransaction,
  renewed: readonly Transition[],
  charges: ReadonlyMap<string, KeylessCharge>,
): Promise<void> {
  if (renewed.length === 0) return;
  const settlements = renewed.map(({ settlement }) => settlement);
  const ids = settlements.map(({ id }) => id);
  await tx.db
    .deleteFrom("keyless_charges")
    .where("settlement_id", "in", tx.db.selectFrom(textList(tx.engine, ids)).select("given.of"))
    .execute();
  await chargeKeyless(tx, settlements, charges, tx.now);
}

/**
 * Closes the charges of settlements with a new outcome. The budget for reverted gas counts the gas of
 * some, so that reverts use up no caller's share of this one.
 */
export async function closeKeyless(
  tx: EngineTransaction,
  settled: readonly Transition[],
): Promise<void> {
  const transitions = new Map(
    settled.flatMap((transition) => {
      const { id, keyId } = transition.settlement;
      return keyId === null ? [[id, transition]] : [];
    }),
  );
  if (transitions.size === 0) return;
  const { db, engine } = tx;
  const list = textList(engine, [...transitions.keys()]);
  const charges = await db
    .deleteFrom("keyless_charges")
    .where("settlement_id", "in", db.selectFrom(list).select("given.of"))
    .returningAll()
    .execute();
  const ended = charges.flatMap((charge) => {
    const transition = transitions.get(charge.settlement_id);
    return transition ? [{ charge, transition }] : [];
  });
  const limits = await readContractGas(
    tx,
    ended.map(({ transition: { settlement, carrierId } }) => ({ ...settlement, carrierId })),
  );
  const burned = burnedGasOf(tx);
  const refunds = ended.flatMap((one) =>
    returnsOf(one, { limits, isElsewhere: burned.has(one.charge.settlement_id) }),
  );
  // As a claim does: two that change the same counters in different orders would block each other.
  const locks = refunds.map(({ chainId }) => keylessLock(chainId));
  await engine.lockNames(db, locks);
  await lowerCounters(tx, refunds);
}

interface Ended {
  readonly charge: KeylessChargeRow;
  readonly transition: Transition;
}

/** Returns the amounts that an ended settlement returns to the counters. */
function returnsOf(
  { charge, transition: { settlement, carrierId } }: Ended,
  gas: { readonly limits: ReadonlyMap<string, number>; readonly isElsewhere: boolean },
) {
  const { chain_id: chainId, payer, half, caller_network: network } = charge;
  const isFailed = settlement.state === "failed";
  // Whatever a transaction has carried may have burned gas.
  const isUnused = isFailed && carrierId === null && settlement.transaction === null;
  const charged = Number(charge.gwei);
  const limit = gas.limits.get(settlement.id);
  const isSpare = isUnused || gas.isElsewhere;
  const spare = isSpare ? charged : Math.max(0, charged - (limit ?? charged));
  const refunds: Omit<CounterEntry, "refill" | "expiresAt">[] = [];
  if (isFailed && charge.spent_slot !== null) {
    const slot = Number(charge.spent_slot);
    refunds.push({ chainId, kind: "spent", name: payer, slot, amount: Number(charge.spent) });
  }
  if (isUnused && charge.count_slot !== null) {
    const slot = Number(charge.count_slot);
    refunds.push({ chainId, kind: "count", name: payer, slot, amount: 1 });
  }
  if (spare > 0 && half !== null && network !== null) {
    refunds.push({ chainId, kind: "half", name: half, slot: 0, amount: spare });
    refunds.push({ chainId, kind: "network", name: network, slot: 0, amount: spare });
  }
  return refunds;
}
