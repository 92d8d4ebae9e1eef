/** What was settled for an account: listed, followed back, counted by day. */
import { toLowerHex, type Address } from "@farthing/protocol";
import { sql } from "kysely";
import type {
  CarriedBy,
  HistoryFilter,
  HistoryVerbs,
  Page,
  Paging,
  TimeCursor,
  UsageDay,
} from "./account-store.ts";
import type { Settlement } from "../model/settlement.ts";
import type { Database } from "./dialect.ts";
import { fromCursor, toPage } from "./pages.ts";
import { address, numberOrNull } from "./rows.ts";
import { listed, settlements } from "./settlements.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** The store's verbs about what was settled. */
export function historyVerbs(database: Database): HistoryVerbs {
  return {
    listAccountSettlements: (account, filter, paging) =>
      listAccountSettlements(database, account, filter, paging),
    listCarriers: (settlementId) => listCarriers(database, settlementId),
    recordGas: (receipts) => recordGas(database, receipts),
    listUsage: (account, times) => listUsage(database, account, times),
  };
}

async function listAccountSettlements(
  database: Database,
  account: Address,
  filter: HistoryFilter,
  { from, limit }: Paging<TimeCursor>,
): Promise<Page<Settlement, TimeCursor>> {
  const { state, payer, keyId, chainId, transaction, since, before } = filter;
  let query = settlements(database)
    .where("account", "=", toLowerHex(account))
    .where(fromCursor(from))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (state !== undefined) query = query.where("state", "=", state);
  if (payer !== undefined) query = query.where("payer", "=", toLowerHex(payer));
  if (keyId !== undefined) query = query.where("key_id", "=", keyId);
  if (chainId !== undefined) query = query.where("chain_id", "=", chainId);
  if (transaction !== undefined) {
    query = query.where("transaction_hash", "=", toLowerHex(transaction));
  }
  if (since !== undefined) query = query.where("created_at", ">=", since);
  if (before !== undefined) query = query.where("created_at", "<", before);
  return toPage(await listed(query), limit);
}

async function listCarriers({ db }: Database, settlementId: string): Promise<CarriedBy[]> {
  const rows = await db
    .selectFrom("transaction_settlements as link")
    .innerJoin("relayer_transactions as carrier", "carrier.id", "link.transaction_id")
    .select([
      "carrier.hash",
      "carrier.lane",
      "carrier.nonce",
      "carrier.state",
      "carrier.gas_price",
      "carrier.created_at",
      "carrier.sent_at",
      "carrier.block_number",
      "carrier.gas_used",
      "carrier.gas_price_paid",
    ])
    .select(({ selectFrom }) =>
      selectFrom("transaction_settlements as other")
        .select(({ fn }) => fn.countAll<number | string>().as("count"))
        .whereRef("other.transaction_id", "=", "carrier.id")
        .as("settlements"),
    )
    .where("link.settlement_id", "=", settlementId)
    .orderBy("carrier.id")
    .execute();
  return rows.map((row) => ({
    hash: row.hash,
    lane: address(row.lane),
    nonce: Number(row.nonce),
    state: row.state,
    gasPrice: BigInt(row.gas_price),
    createdAt: Number(row.created_at),
    sentAt: numberOrNull(row.sent_at),
    blockNumber: numberOrNull(row.block_number),
    gasUsed: numberOrNull(row.gas_used),
    gasPricePaid: row.gas_price_paid === null ? null : BigInt(row.gas_price_paid),
    settlements: Number(row.settlements),
  }));
}

async function recordGas(
  { db, engine }: Database,
  receipts: Parameters<HistoryVerbs["recordGas"]>[0],
): Promise<void> {
  if (receipts.length === 0) return;
  const list = engine.list(
    receipts.map(({ hash, gasUsed, gasPrice }) => ({
      given_hash: toLowerHex(hash),
      used: gasUsed,
      paid: gasPrice.toString(),
    })),
    { given_hash: "text", used: "bigint", paid: "text" },
  );
  await db
    .updateTable("relayer_transactions")
    .from(list)
    .set(({ ref }) => ({ gas_used: ref("given.used"), gas_price_paid: ref("given.paid") }))
    .whereRef("relayer_transactions.hash", "=", "given.given_hash")
    .execute();
}

async function listUsage(
  { db }: Database,
  account: Address,
  { since, before }: { readonly since: number; readonly before: number },
): Promise<UsageDay[]> {
  const whole = sql<number | string>`created_at / ${sql.lit(dayMs)}`;
  const rows = await db
    .selectFrom("settlements")
    .select([
      whole.as("day"),
      sql<number | string>`sum(case when state = 'confirmed' then 1 else 0 end)`.as("settled"),
      sql<number | string>`sum(case when state = 'failed' then 1 else 0 end)`.as("failed"),
      sql<number | string>`sum(case when state in ('queued', 'submitted') then 1 else 0 end)`.as(
        "pending",
      ),
      // What was settled is less than all USDC there is, which is less than 64 bits.
      sql<string>`cast(sum(case when state = 'confirmed' then cast(amount as bigint) else 0 end) as text)`.as(
        "units",
      ),
      sql<number | string>`sum(case when state = 'failed' then 0 else credits end)`.as("credits"),
    ])
    .where("account", "=", toLowerHex(account))
    .where("created_at", ">=", since)
    .where("created_at", "<", before)
    .groupBy(whole)
    .orderBy("day")
    .execute();
  return rows.map((row) => ({
    day: Number(row.day),
    settled: Number(row.settled),
    failed: Number(row.failed),
    pending: Number(row.pending),
    units: BigInt(row.units),
    credits: Number(row.credits),
  }));
}
