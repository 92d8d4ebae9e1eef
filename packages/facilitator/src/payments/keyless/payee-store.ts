/**
 * Proven payees: final settlements from five payers on three days show that a payee sells to others.
 * From the next day on, their payments may use the second half of the gas budget.
 */
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import { hourMs, provenDays, provenPayers, type Settlement } from "@farthing/engine";
import {
  type Database,
  type EngineTransaction,
  raiseCounters,
  readCounters,
  textList,
} from "@farthing/engine/storage";

const dayMs = 24 * hourMs;

interface Fact {
  readonly kind: "payer" | "day";
  readonly value: string;
}

/** Counts settlements of one chain that have just become final for their payees. */
export async function countForPayees(
  tx: EngineTransaction,
  finalized: readonly Settlement[],
): Promise<void> {
  const { now } = tx;
  const [first] = finalized;
  if (!first) return;
  const { chainId } = first;
  const payees = [...new Set(finalized.map(({ payTo }) => toLowerHex(payTo)))];
  const ofPayee = (name: string) => ({ chainId, kind: "proven" as const, name });
  const proven = await readCounters(tx, payees.map(ofPayee), now);
  const candidates = payees.filter((payee) => proven.firstPeriod(ofPayee(payee)) === undefined);
  if (candidates.length === 0) return;
  const known = await readFacts(tx, chainId, candidates);
  const fresh: { chain_id: ChainId; pay_to: Address; kind: Fact["kind"]; value: string }[] = [];
  for (const { payTo, payer, confirmedAt } of finalized) {
    const payee = toLowerHex(payTo);
    if (!candidates.includes(payee)) continue;
    const facts = known.get(payee) ?? new Map<string, Fact>();
    known.set(payee, facts);
    const day = Math.floor((confirmedAt ?? now) / dayMs);
    const seen: Fact[] = [
      { kind: "payer", value: toLowerHex(payer) },
      { kind: "day", value: String(day) },
    ];
    for (const fact of seen) {
      const enough = fact.kind === "payer" ? provenPayers : provenDays;
      const key = `${fact.kind}:${fact.value}`;
      // Further facts are not stored, so that a payee takes a handful of rows.
      if (facts.has(key) || countOf(facts, fact.kind) >= enough) continue;
      facts.set(key, fact);
      fresh.push({ chain_id: chainId, pay_to: payee, ...fact });
    }
  }
  await insertFacts(tx, fresh);
  const nextDay = Math.floor(now / dayMs) + 1;
  const grown = candidates.filter((payee) => {
    const facts = known.get(payee) ?? new Map<string, Fact>();
    return countOf(facts, "payer") >= provenPayers && countOf(facts, "day") >= provenDays;
  });
  await raiseCounters(
    tx,
    grown.map((payee) => {
      const forever = Number.MAX_SAFE_INTEGER;
      return { ...ofPayee(payee), slot: nextDay, amount: 1, refill: 0, expiresAt: forever };
    }),
    now,
  );
}

function countOf(facts: ReadonlyMap<string, Fact>, kind: Fact["kind"]): number {
  return [...facts.values()].filter((fact) => fact.kind === kind).length;
}

async function readFacts(
  { db, engine }: Database,
  chainId: ChainId,
  payees: readonly Address[],
): Promise<Map<string, Map<string, Fact>>> {
  const list = textList(engine, payees);
  const rows = await db
    .selectFrom("keyless_payee_facts")
    .selectAll()
    .where("chain_id", "=", chainId)
    .where("pay_to", "in", db.selectFrom(list).select("given.of"))
    .execute();
  const known = new Map<string, Map<string, Fact>>();
  for (const { pay_to: payTo, kind, value } of rows) {
    const facts = known.get(payTo) ?? new Map<string, Fact>();
    known.set(payTo, facts.set(`${kind}:${value}`, { kind, value }));
  }
  return known;
}

async function insertFacts(
  { db, engine }: Database,
  facts: readonly { chain_id: ChainId; pay_to: Address; kind: Fact["kind"]; value: string }[],
): Promise<void> {
  if (facts.length === 0) return;
  // In one order, since every process that shares the database may insert the same ones.
  const inOrder = facts.toSorted((one, other) =>
    `${one.pay_to}${one.value}` < `${other.pay_to}${other.value}` ? -1 : 1,
  );
  const names = ["chain_id", "pay_to", "kind", "value"] as const;
  const list = engine.list(inOrder, {
    chain_id: "bigint",
    pay_to: "text",
    kind: "text",
    value: "text",
  });
  await db
    .insertInto("keyless_payee_facts")
    .columns(names)
    .expression(
      db
        .selectFrom(list)
        .select(names)
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.columns([...names]).doNothing())
    .execute();
}
