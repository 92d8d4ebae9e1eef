/** Available credits, read and locked. */
import { textList, type Database } from "@farthing/engine/storage";
import { toLowerHex, type Address } from "@farthing/protocol";

/** Available credits by account in lower case, locked until the transaction ends. */
export type Funds = ReadonlyMap<Address, Fund>;

interface Fund {
  readonly available: number;
  readonly lowCreditsAt: number | null;
}

/** Reads and locks available credits. Accounts are locked in one order to avoid deadlocks. */
export async function lockFunds(
  { db, engine }: Database,
  accounts: Iterable<Address>,
): Promise<Funds> {
  const lowerCase = [...new Set([...accounts].map((account) => toLowerHex(account)))];
  if (lowerCase.length === 0) return new Map();
  const list = textList(engine, lowerCase);
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
