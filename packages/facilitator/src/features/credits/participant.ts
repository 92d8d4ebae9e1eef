/**
 * Claims reserve their price, confirmations charge it, failures release it: one statement a batch.
 * The database counts balances and refuses negative ones and second entries of a kind.
 */
import { toLowerHex, type Address } from "@farthing/protocol";
import { sql } from "kysely";
import type { CreditEntryKind } from "./model.ts";
import type { Claim, Settlement } from "@farthing/engine";
import {
  type AnnotationChanges,
  type ClaimDenial,
  createLocal,
  type EngineTransaction,
  type PruneReview,
  type PruneTransaction,
  type SettlementParticipant,
  type Transition,
  unchanged,
  textList,
} from "@farthing/engine/storage";
import { settlementEntries, type CreditEntryRow } from "./tables.ts";
import { lockFunds, type Funds } from "./funds-store.ts";
import { addFreeCredits } from "./free-credits-store.ts";
import { tellLowCredits } from "./low-credits.ts";

/** The available credits of a batch's accounts: read before the claim, and reserved with it. */
const fundsOfClaims = createLocal((): { funds: Funds } => ({ funds: new Map() }));

export const creditsParticipant: SettlementParticipant = {
  name: "credits",
  beforeClaim: denyUnpaid,
  onClaimed: reserveAll,
  onTransitions: moveCredits,
  beforePrune: exportEntries,
  async onPruned({ db, engine }, ids) {
    await sql`delete from credit_entries
      where settlement_id in (select given.of from ${textList(engine, ids)})`.execute(db);
  },
};

/** Entries are exported and removed with their settlement. */
async function exportEntries(
  { db, engine }: PruneTransaction,
  ids: readonly string[],
): Promise<PruneReview> {
  const { rows } = await sql<CreditEntryRow>`
    select credit_entries.* from credit_entries join ${textList(engine, ids)} on settlement_id = given.of
    order by credit_entries.id`.execute(db);
  const rowsOf = Map.groupBy(rows, (row) => row.settlement_id);
  const exported = ids.map((id) => {
    const entries = (rowsOf.get(id) ?? []).map((row) => ({
      id: Number(row.id),
      kind: row.kind,
      credits: Number(row.credits),
      createdAt: Number(row.created_at),
    }));
    return [id, { entries }] as const;
  });
  return { exported: new Map(exported) };
}

async function denyUnpaid(
  tx: EngineTransaction,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, ClaimDenial>> {
  const priced = claims.filter(({ credits }) => credits > 0);
  const accounts = priced.flatMap(({ owner }) => owner ?? []);
  await addFreeCredits(tx, priced);
  const funds = await lockFunds(tx, accounts);
  fundsOfClaims(tx).funds = funds;
  const denial = { code: "insufficient_facilitator_credits" };
  return new Map(unpaid(priced, funds).map(({ id }) => [id, denial]));
}

async function moveCredits(
  tx: EngineTransaction,
  transitions: readonly Transition[],
): Promise<AnnotationChanges> {
  const priced = (kind: Transition["kind"]) =>
    transitions.flatMap((transition) =>
      transition.kind === kind && transition.settlement.credits > 0 ? [transition.settlement] : [],
    );
  await releaseAll(tx, priced("failed"));
  // The claim has found and locked the credits for it.
  await follow(tx, priced("renewed"), ["release"], "hold");
  await notifyLow(tx, priced("renewed"));
  await follow(tx, priced("reorganised"), ["charge"], "reopen");
  return chargeAll(tx, priced("confirmed"));
}

/** Claims that their accounts cannot pay; each claim takes from what earlier ones left. */
function unpaid(claims: readonly Claim[], funds: Funds): Claim[] {
  const left = new Map([...funds].map(([account, { available }]) => [account, available]));
  return claims.filter(({ owner, credits }) => {
    const key = owner && toLowerHex(owner);
    const available = (key && left.get(key)) ?? 0;
    if (key === null || available < credits) return true;
    left.set(key, available - credits);
    return false;
  });
}

/** Reserves prices of new settlements. */
async function reserveAll(
  tx: EngineTransaction,
  created: readonly Settlement[],
): Promise<AnnotationChanges> {
  const priced = created.filter(({ credits }) => credits > 0);
  if (priced.length === 0) return unchanged;
  await addEntries(
    tx,
    priced.map((settlement) => entryOf(settlement, "hold", 1)),
  );
  await notifyLow(tx, priced);
  return unchanged;
}

/** Notifies accounts that claims of these prices bring below their threshold. */
async function notifyLow(tx: EngineTransaction, priced: readonly Settlement[]): Promise<void> {
  if (priced.length === 0) return;
  const { funds } = fundsOfClaims(tx);
  const spent = new Map<Address, number>();
  for (const { owner, credits } of priced) {
    const key = owner && toLowerHex(owner);
    if (key) spent.set(key, (spent.get(key) ?? 0) + credits);
  }
  await tellLowCredits(tx, funds, spent, tx.now);
}

/** Charges also released reservations; returns price changes of settlements that became free. */
async function chargeAll(
  tx: EngineTransaction,
  priced: readonly Settlement[],
): Promise<AnnotationChanges> {
  const charged = await follow(tx, priced, ["hold", "reopen"], "charge");
  const late = priced.filter(({ id }) => !charged.has(id));
  return late.length > 0 ? chargeLate(tx, late) : unchanged;
}

async function releaseAll(tx: EngineTransaction, priced: readonly Settlement[]): Promise<void> {
  // The lock precedes the numbering of entries, so that their order is the order of the balance.
  await lockFunds(tx, accountsOf(priced));
  await follow(tx, priced, ["hold", "reopen"], "release");
}

function accountsOf(priced: readonly Settlement[]): Address[] {
  return priced.flatMap(({ owner }) => owner ?? []);
}

/** By which an entry changes the balance, in prices of its settlement. */
const signOf = { hold: -1, charge: 0, release: 1, reopen: 0 } as const;

/** Adds an entry to settlements whose last entry is one of `after`, and returns their ids. */
async function follow(
  { db, engine, now }: EngineTransaction,
  priced: readonly Settlement[],
  after: readonly CreditEntryKind[],
  kind: "hold" | "charge" | "release" | "reopen",
): Promise<Set<string>> {
  if (priced.length === 0) return new Set();
  const list = engine.list(
    priced.map(({ id, credits }) => ({ of: id, given_back: signOf[kind] * credits })),
    { of: "text", given_back: "bigint" },
  );
  const rows = await db
    .insertInto("credit_entries")
    .columns(["account", "kind", "credits", "settlement_id", "step", "created_at"])
    .expression(
      db
        .selectFrom(list)
        .innerJoin("credit_entries as last", "last.settlement_id", "given.of")
        .select(({ ref, val, cast, eb }) => [
          "last.account",
          cast<CreditEntryKind>(val(kind), "text").as("kind"),
          ref("given.given_back").as("credits"),
          "last.settlement_id",
          eb("last.step", "+", 1).as("step"),
          cast<number>(val(now), "bigint").as("created_at"),
        ])
        .where("last.kind", "in", [...after])
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("credit_entries as later")
                .select("later.id")
                .whereRef("later.settlement_id", "=", "last.settlement_id")
                .whereRef("later.step", ">", "last.step"),
            ),
          ),
        ),
    )
    .returning("settlement_id")
    .execute();
  return new Set(rows.flatMap(({ settlement_id: id }) => id ?? []));
}

/**
 * Charges a settlement that a third party submitted after its reservation was released. Where the
 * account can no longer pay, the settlement is free, because it is confirmed in any case.
 */
async function chargeLate(
  tx: EngineTransaction,
  late: readonly Settlement[],
): Promise<AnnotationChanges> {
  const { db, engine } = tx;
  const funds = await lockFunds(tx, accountsOf(late));
  const list = textList(
    engine,
    late.map(({ id }) => id),
  );
  const entries = await db
    .selectFrom("credit_entries")
    .select(["settlement_id", "step", "kind"])
    .where("settlement_id", "in", db.selectFrom(list).select("given.of"))
    .orderBy("step")
    .execute();
  const lastOf = new Map(entries.map((entry) => [entry.settlement_id, entry]));
  const left = new Map([...funds].map(([account, { available }]) => [account, available]));
  const free = new Map<string, { readonly credits: number }>();
  const added = late.flatMap((settlement) => {
    const { id, owner, credits } = settlement;
    const { step = null, kind } = lastOf.get(id) ?? {};
    if (step === null || owner === null || kind !== "release") return [];
    const account = toLowerHex(owner);
    const available = left.get(account) ?? 0;
    if (available < credits) {
      free.set(id, { credits: 0 });
      return [{ ...entryOf(settlement, "charge", step + 1), note: freeNote }];
    }
    left.set(account, available - credits);
    return [entryOf(settlement, "hold", step + 1), entryOf(settlement, "charge", step + 2)];
  });
  await addEntries(tx, added);
  return free;
}

const freeNote = "Confirmed after it had failed, and the balance was short: not charged";

type NewEntry = Omit<Parameters<typeof settlementEntries.write>[0], "createdAt">;

function entryOf(settlement: Settlement, kind: "hold" | "charge", step: number): NewEntry {
  return {
    account: settlement.owner,
    kind,
    credits: kind === "hold" ? -settlement.credits : 0,
    settlementId: settlement.id,
    step,
    note: null,
  };
}

async function addEntries(
  { db, engine, now }: EngineTransaction,
  entries: readonly NewEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const list = engine.list(
    entries.map((entry) => settlementEntries.write({ ...entry, createdAt: now })),
    settlementEntries.types,
  );
  await db
    .insertInto("credit_entries")
    .columns(settlementEntries.names)
    .expression(db.selectFrom(list).select(settlementEntries.names))
    .execute();
}
