/**
 * What settlements do to credits, in the transactions that move them: a claim holds its price, a
 * confirmation charges it, a failure gives it back. Each is one statement for a whole group. The
 * database counts the balance, refuses a negative one, and lets no entry of a settlement come twice.
 */
import { toLowerHex, type Address } from "@farthing/protocol";
import type { CreditEntryKind } from "../model/credits.ts";
import type { Claim, Settlement } from "../model/settlement.ts";
import type { Database } from "./dialect.ts";
import { putIntoOutbox } from "./outbox.ts";
import type { SettlementRow } from "./schema.ts";

/** What accounts may spend, held until the transaction ends; by account in lower case. */
export type Funds = ReadonlyMap<Address, Fund>;

interface Fund {
  readonly available: number;
  readonly lowCreditsAt: number | null;
}

/** A settlement with its price, as far as the ledger is concerned. */
interface Priced {
  readonly id: string;
  readonly account: Address | null;
  readonly credits: number;
}

/** Reads what accounts may spend; nobody else spends it meanwhile. Accounts in one order. */
export async function lockFunds(
  { db, engine }: Database,
  accounts: Iterable<Address>,
): Promise<Funds> {
  const given = [...new Set([...accounts].map((account) => toLowerHex(account)))];
  if (given.length === 0) return new Map();
  const list = engine.list(
    given.map((of) => ({ of })),
    { of: "text" },
  );
  let query = db
    .selectFrom("credit_balances")
    .innerJoin("accounts", "accounts.address", "credit_balances.account")
    .select(["credit_balances.account", "credit_balances.balance", "accounts.low_credits_at"])
    .where("credit_balances.account", "in", db.selectFrom(list).select("given.of"))
    .orderBy("credit_balances.account");
  if (engine.hasRowLocks) query = query.forUpdate("credit_balances");
  const rows = await query.execute();
  return new Map(
    rows.map(({ account, balance, low_credits_at: low }) => [
      account,
      { available: Number(balance), lowCreditsAt: low === null ? null : Number(low) },
    ]),
  );
}

/** The claims that their accounts cannot pay, in their order: each takes from what is left. */
export function unpaid(claims: readonly Claim[], funds: Funds): Claim[] {
  const left = new Map([...funds].map(([account, { available }]) => [account, available]));
  return claims.filter(({ account, price }) => {
    if (price === 0) return false;
    const key = account && toLowerHex(account);
    const available = (key && left.get(key)) ?? 0;
    if (key === null || available < price) return true;
    left.set(key, available - price);
    return false;
  });
}

/** Holds the prices of settlements just made, and tells of accounts that run low by it. */
export async function holdAll(
  inside: Database,
  created: readonly Settlement[],
  funds: Funds,
  now: number,
): Promise<void> {
  const priced = created.filter(({ credits }) => credits > 0);
  if (priced.length === 0) return;
  await addEntries(
    inside,
    priced.map(({ id, account, credits }) => entryOf({ id, account, credits }, "hold", 1)),
    now,
  );
  const spent = new Map<Address, number>();
  for (const { account, credits } of priced) {
    const key = account && toLowerHex(account);
    if (key) spent.set(key, (spent.get(key) ?? 0) + credits);
  }
  const low = [...spent].flatMap(([account, credits]) => {
    const { available = 0, lowCreditsAt = null } = funds.get(account) ?? {};
    const left = available - credits;
    // Only who crosses the line is told, not everybody below it.
    if (lowCreditsAt === null || available < lowCreditsAt || left >= lowCreditsAt) return [];
    return [
      { account, type: "credits.low" as const, data: { available: left, lowAt: lowCreditsAt } },
    ];
  });
  await putIntoOutbox(inside, low, now);
}

/**
 * Charges settlements that are confirmed now, also those whose hold was given back before; gives
 * the ids of those that turned out to be free.
 */
export async function chargeAll(
  inside: Database,
  rows: readonly SettlementRow[],
  now: number,
): Promise<ReadonlySet<string>> {
  const priced = pricedOf(rows);
  const charged = await follow(inside, priced, ["hold", "reopen"], "charge", now);
  const late = priced.filter(({ id }) => !charged.has(id));
  return late.length > 0 ? chargeLate(inside, late, now) : new Set();
}

/** Gives back what failed settlements held. */
export async function releaseAll(
  inside: Database,
  rows: readonly SettlementRow[],
  now: number,
): Promise<void> {
  const priced = pricedOf(rows);
  // Before entries get their numbers, so that these stand in the order of the balance.
  await lockFunds(inside, accountsOf(priced));
  await follow(inside, priced, ["hold", "reopen"], "release", now);
}

/** Turns charges whose blocks are gone into holds again. */
export async function reopenAll(
  inside: Database,
  rows: readonly SettlementRow[],
  now: number,
): Promise<void> {
  await follow(inside, pricedOf(rows), ["charge"], "reopen", now);
}

function pricedOf(rows: readonly SettlementRow[]): Priced[] {
  return rows
    .map(({ id, account, credits }) => ({ id, account, credits: Number(credits) }))
    .filter(({ credits }) => credits > 0);
}

function accountsOf(priced: readonly Priced[]): Address[] {
  return priced.flatMap(({ account }) => account ?? []);
}

/**
 * Adds an entry behind the last one of each settlement, where that is one of `after`; gives the
 * settlements that it was added to.
 */
async function follow(
  { db, engine }: Database,
  priced: readonly Priced[],
  after: readonly CreditEntryKind[],
  kind: "charge" | "release" | "reopen",
  now: number,
): Promise<Set<string>> {
  if (priced.length === 0) return new Set();
  const list = engine.list(
    priced.map(({ id, credits }) => ({ of: id, given_back: kind === "release" ? credits : 0 })),
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
 * Somebody else submitted the authorization after ours had failed, and the hold was given back. It
 * is held again where the account can pay; else the settlement is free, since it was confirmed
 * whatever the account has.
 */
async function chargeLate(
  inside: Database,
  late: readonly Priced[],
  now: number,
): Promise<ReadonlySet<string>> {
  const { db, engine } = inside;
  const funds = await lockFunds(inside, accountsOf(late));
  const list = engine.list(
    late.map(({ id }) => ({ of: id })),
    { of: "text" },
  );
  const entries = await db
    .selectFrom("credit_entries")
    .select(["settlement_id", "step", "kind"])
    .where("settlement_id", "in", db.selectFrom(list).select("given.of"))
    .orderBy("step")
    .execute();
  const lastOf = new Map(entries.map((entry) => [entry.settlement_id, entry]));
  const left = new Map([...funds].map(([account, { available }]) => [account, available]));
  const free = new Set<string>();
  const added = late.flatMap((settlement) => {
    const { id, account, credits } = settlement;
    const { step = null, kind } = lastOf.get(id) ?? {};
    if (step === null || account === null || kind !== "release") return [];
    const available = left.get(account) ?? 0;
    if (available < credits) {
      free.add(id);
      return [{ ...entryOf(settlement, "charge", step + 1), note: freeNote }];
    }
    left.set(account, available - credits);
    return [entryOf(settlement, "hold", step + 1), entryOf(settlement, "charge", step + 2)];
  });
  await addEntries(inside, added, now);
  if (free.size > 0) {
    await db
      .updateTable("settlements")
      .set({ credits: 0 })
      .where("id", "in", [...free])
      .execute();
  }
  return free;
}

const freeNote = "Confirmed after it had failed, and the balance was short: not charged";

interface NewEntry {
  readonly account: Address | null;
  readonly kind: CreditEntryKind;
  readonly credits: number;
  readonly settlement_id: string;
  readonly step: number;
  readonly note: string | null;
}

function entryOf(settlement: Priced, kind: "hold" | "charge", step: number): NewEntry {
  return {
    account: settlement.account && toLowerHex(settlement.account),
    kind,
    credits: kind === "hold" ? -settlement.credits : 0,
    settlement_id: settlement.id,
    step,
    note: null,
  };
}

async function addEntries(
  { db, engine }: Database,
  entries: readonly NewEntry[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const list = engine.list(
    entries.map((entry) => ({ ...entry, created_at: now })),
    {
      account: "text",
      kind: "text",
      credits: "bigint",
      settlement_id: "text",
      step: "bigint",
      note: "text",
      created_at: "bigint",
    },
  );
  const columns = [
    "account",
    "kind",
    "credits",
    "settlement_id",
    "step",
    "note",
    "created_at",
  ] as const;
  await db
    .insertInto("credit_entries")
    .columns(columns)
    .expression(db.selectFrom(list).select(columns))
    .execute();
}
