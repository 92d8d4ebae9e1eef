/**
 * The call that claimed a settlement, and the writer that reports its success. Both last as long as
 * the settlement. Callers and keys are stored as hashes, because they are only compared.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { firstByKey } from "../base/first-by-key.ts";
import type { Claim, ClaimingCall } from "../model/settlement.ts";
import { atomic, inTransaction, type Database, type Work } from "./dialect.ts";
import {
  exchangeKeyOf,
  keyTypes,
  type ExchangeFacts,
  type ExchangeQuestion,
  type ExchangeStore,
  type SuccessReport,
} from "./exchange-store.ts";
import type { SettlementClaimRow } from "./schema.ts";

type NewSettlementClaim = Omit<SettlementClaimRow, "success_moved_at">;

/** 128 bits keep collisions out of reach. */
const hashBytes = 16;

/** The settlement's id makes equal callers of two settlements different. */
function hashOf(settlementId: string, text: string): string {
  const hash = createHash("sha256").update(`${settlementId}\n${text}`).digest();
  return hash.subarray(0, hashBytes).toString("base64url");
}

/** Stores claiming calls in the transaction that claims their settlements. */
export async function insertClaimingCalls(
  { db, engine }: Database,
  claims: readonly Claim[],
): Promise<void> {
  const rows = claims.flatMap((claim): NewSettlementClaim[] => {
    const { id, claimingCall: call, isRecovered, owner } = claim;
    if (call !== null) return [rowOf(id, call, isRecovered === true)];
    // A refund that an account has repeated is its own, and has no call.
    return isRecovered === true && owner === null ? [{ settlement_id: id, ...unbound }] : [];
  });
  if (rows.length === 0) return;
  const list = engine.list(rows, {
    settlement_id: "text",
    caller_hash: "text",
    key_hash: "text",
    is_upfront: "bigint",
    has_several: "bigint",
    success_told_to: "text",
  });
  await sql`insert into settlement_claims
    (settlement_id, caller_hash, key_hash, is_upfront, has_several, success_told_to)
    select settlement_id, caller_hash, key_hash, is_upfront, has_several, success_told_to
    from ${list}`.execute(db);
}

/** The call of a settlement that the chain has shown is not known; no hash is empty. */
const unboundCaller = "";

/** Other exchanges may have been told of its success before it was lost. */
const unbound = {
  caller_hash: unboundCaller,
  key_hash: null,
  is_upfront: 0,
  has_several: 1,
  success_told_to: null,
};

function rowOf(id: string, call: ClaimingCall, hasSeveral: boolean): NewSettlementClaim {
  return {
    settlement_id: id,
    caller_hash: hashOf(id, call.caller),
    key_hash: call.idempotencyKey === null ? null : hashOf(id, call.idempotencyKey),
    is_upfront: call.isUpfront ? 1 : 0,
    has_several: hasSeveral ? 1 : 0,
    success_told_to: call.successWriter,
  };
}

/** Whether no caller has claimed a recovered settlement yet; locks its row until then. */
export async function isUnbound({ db, engine }: Database, id: string): Promise<boolean> {
  let query = db
    .selectFrom("settlement_claims")
    .select("settlement_id")
    .where("settlement_id", "=", id)
    .where("caller_hash", "=", unboundCaller);
  if (engine.hasRowLocks) query = query.forUpdate();
  return (await query.executeTakeFirst()) !== undefined;
}

/** Stores the call that a recovered settlement belongs to from now on; a refund has none. */
export async function bindCall(
  { db }: Database,
  id: string,
  call: ClaimingCall | null,
): Promise<void> {
  if (call === null) {
    await db.deleteFrom("settlement_claims").where("settlement_id", "=", id).execute();
    return;
  }
  const { settlement_id: _, ...row } = rowOf(id, call, true);
  await db.updateTable("settlement_claims").set(row).where("settlement_id", "=", id).execute();
}

export function claimingCallMethods(database: Database) {
  return {
    findExchangeFacts: findFacts.bind(undefined, database),
    takeSuccess: takeSuccess.bind(undefined, database),
    releaseSuccess: atomic(database, async ({ db, engine }, reports, now) => {
      const released = sql`update settlement_claims
        set success_told_to = null, success_moved_at = ${now} from ${listReports(engine, reports)}
        where settlement_claims.settlement_id = given.settlement_id
          and coalesce(settlement_claims.success_told_to, given.writer) = given.writer`;
      await released.execute(db);
    }),
  } satisfies Partial<ExchangeStore>;
}

function listReports(engine: Database["engine"], reports: readonly SuccessReport[]) {
  const inOrder = reports.toSorted((one, other) =>
    one.settlementId < other.settlementId ? -1 : 1,
  );
  return engine.list(
    inOrder.map(({ settlementId, writer }) => ({ settlement_id: settlementId, writer })),
    { settlement_id: "text", writer: "text" },
  );
}

const takeSuccess: Work<ExchangeStore["takeSuccess"]> = async (database, reports, now) => {
  // One statement changes a row once, so the first of several writers gets it.
  const first = firstByKey(reports, ({ settlementId }) => settlementId);
  const { rows } = await inTransaction(database, ({ db, engine }) =>
    sql<{ settlement_id: string }>`insert into settlement_claims
      (settlement_id, is_upfront, has_several, success_told_to, success_moved_at)
      select settlement_id, 0, 0, writer, ${now} from ${listReports(engine, [...first.values()])}
      where true
      on conflict (settlement_id) do update set success_told_to = excluded.success_told_to,
        success_moved_at = excluded.success_moved_at
        where settlement_claims.success_told_to is null
      returning settlement_id`.execute(db),
  );
  const taken = new Set(rows.map((row) => row.settlement_id));
  return reports.map(
    (report) => first.get(report.settlementId) === report && taken.has(report.settlementId),
  );
};

/** A claim's row, if any, with the count of a database that keeps it itself. */
type FactsRow = Partial<SettlementClaimRow> & {
  readonly given_id: string;
  readonly exchanges?: number | null;
  readonly forget_at?: number | string | null;
};

const findFacts: Work<ExchangeStore["findExchangeFacts"]> = async ({ db, engine }, questions) => {
  const file = engine.exchangeFile;
  const list = engine.list(
    questions.map(({ settlement }) => {
      return { given_id: settlement.id, ...exchangeKeyOf(settlement) };
    }),
    { given_id: "text", ...keyTypes },
  );
  const counts = file
    ? sql``
    : sql`left join payment_exchanges as noted using (payer, nonce, chain_id, asset)`;
  const counted = file ? sql`` : sql`, noted.exchanges, noted.forget_at`;
  const { rows } = await sql<FactsRow>`
    select given.given_id, claimed.caller_hash, claimed.key_hash, claimed.is_upfront,
      claimed.has_several, claimed.success_told_to, claimed.success_moved_at ${counted}
    from ${list}
    left join settlement_claims as claimed on claimed.settlement_id = given.given_id ${counts}
  `.execute(db);
  const byId = new Map(rows.map((row) => [row.given_id, row]));
  return questions.map((question) => {
    const { settlement } = question;
    const row = byId.get(settlement.id) ?? { given_id: settlement.id };
    const noted = file
      ? file.find(exchangeKeyOf(settlement))
      : { exchanges: row.exchanges ?? 0, forgetAt: Number(row.forget_at ?? 0) };
    return factsOf(row, question, noted);
  });
};

function factsOf(
  row: FactsRow,
  { settlement, caller, idempotencyKey }: ExchangeQuestion,
  noted: { readonly exchanges: number; readonly forgetAt: number } | undefined,
): ExchangeFacts {
  // A note that had expired before the claim does not count, even when it was not removed yet.
  const isCounted = noted !== undefined && noted.forgetAt > settlement.createdAt;
  return {
    isClaimant: row.caller_hash === hashOf(settlement.id, caller),
    hasSameKey: idempotencyKey !== null && row.key_hash === hashOf(settlement.id, idempotencyKey),
    isUpfront: row.is_upfront === 1,
    hasSeveral: row.has_several === 1 || (isCounted && noted.exchanges > 1),
    successWriter: row.success_told_to ?? null,
    successMovedAt: row.success_moved_at == null ? null : Number(row.success_moved_at),
  };
}
