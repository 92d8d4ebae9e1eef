/**
 * Adds settlements of earlier versions to the sums while the service runs, in batches and in the
 * order of an index, up to a position that is stored with the sums. Every transition counts only
 * settlements before that position, so none is counted twice or left out, and a restart continues
 * where the last run ended. Until all are added, reports read the settlements.
 * Processes of earlier versions count nothing, so nothing is added while one is connected.
 */
import { sql } from "kysely";
import { type Log, systemClock, warning } from "@farthing/engine/base";
import { type Database, inTransaction } from "@farthing/engine/storage";
import { addToSums, isComplete } from "./participant.ts";

/** Bounds the milliseconds for which other transactions wait. */
const batchRows = 500;

/** The pause between batches, which leaves most of the time to the service. */
const pauseMs = 20;

/** The pause before the next check for older processes, or after a failure. */
const waitMs = 5_000;

/** The first schema whose processes count transitions. */
const countingSchema = "0011";

/** The running backfill. `stop` interrupts it; the next start continues. */
export type HistorySumming = Awaited<ReturnType<typeof startSummingHistory>>;

export async function startSummingHistory(database: Database, log: Log) {
  if (await isComplete(database)) return { stop: async () => undefined };
  const stopping = new AbortController();
  const work = run(database, log, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await work;
    },
  };
}

/** Never rejects. */
async function run(database: Database, log: Log, signal: AbortSignal): Promise<void> {
  const fields = { event: "usage_sums_failed" };
  const retryLater = warning(log, fields, "Usage sums failed; retrying in seconds");
  let step: "wait" | "go on" | "done" | undefined;
  while (!signal.aborted && step !== "done") {
    const before = step;
    step = await addSome(database).catch(retryLater);
    if (step === "wait" && before !== "wait") log.warn({ event: "usage_sums_wait" }, waitText);
    if (step === "go on" && before !== "go on") {
      log.info({ event: "usage_sums_started" }, "Usage sums started");
    }
    if (step !== "done") await systemClock.sleep(step === "go on" ? pauseMs : waitMs, signal);
  }
  if (step === "done") log.info({ event: "usage_sums_completed" }, "Usage sums completed");
}

const waitText =
  "Processes of an earlier version are connected; replace them, usage is summed up once they are gone";

async function addSome(database: Database): Promise<"wait" | "go on" | "done"> {
  const { engine } = database;
  if (await engine.hasOlderProcesses?.(database.db, countingSchema)) return "wait";
  return inTransaction(database, async (inside) => {
    const { db } = inside;
    let query = db.selectFrom("sums_progress").selectAll();
    // Others add or count in this row for milliseconds only.
    if (engine.hasRowLocks) query = query.forUpdate();
    const progress = await query.executeTakeFirstOrThrow();
    if (progress.is_complete === 1) return "done";
    const rows = await db
      .selectFrom("settlements")
      .select(["id", "account", "chain_id", "amount", "payer", "state", "credits", "created_at"])
      .select(["confirmed_at", "refund_of", "pay_to"])
      .where("account", "is not", null)
      .where(
        sql<boolean>`(account, created_at, id) > (${progress.account}, ${Number(progress.created_at)}, ${progress.id})`,
      )
      .orderBy("account")
      .orderBy("created_at")
      .orderBy("id")
      .limit(batchRows)
      .execute();
    await addToSums(
      inside,
      rows.map((row) => ({ row, before: null })),
    );
    const last = rows.at(-1);
    const isLast = rows.length < batchRows;
    await db
      .updateTable("sums_progress")
      .set({
        is_complete: isLast ? 1 : 0,
        ...(last && {
          account: String(last.account),
          created_at: Number(last.created_at),
          id: last.id,
        }),
      })
      .execute();
    return isLast ? "done" : "go on";
  });
}
