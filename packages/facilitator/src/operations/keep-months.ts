/**
 * Keeps the tables by months on PostgreSQL: makes months ahead of time, moves what is over into them,
 * and drops old ones after their export. SQLite has none, so nothing is done there.
 */
import { startPoll, warning, type Runtime } from "@farthing/engine/base";
import type { ClosedTransactionMethods } from "@farthing/engine/storage";
import type { Retention } from "../config/retention.ts";
import type { WebhookStore } from "../features/webhooks/store.ts";
import { deliveryDays } from "./remove-old.ts";
import { createExportFile } from "./retention-export.ts";

/** Months are made two months ahead, so hours do not matter. */
const everyMs = 60 * 60_000;

/** The first look comes after the start, in which processes of a new database create its indexes. */
const pauseMs = 60_000;

/** A group takes the database some ten milliseconds. */
const maxGroup = 500;

/** Other writers proceed between groups. */
const groupPauseMs = 100;

const dayMs = 24 * 60 * 60_000;

/**
 * Younger transactions are moved when they are over. Those that an earlier version has left in one table
 * may be hundreds of millions, which an operator's command moves.
 */
const movedDays = 35;

export function startMonths(
  deps: Runtime & {
    readonly retention: Retention | undefined;
    readonly store: ClosedTransactionMethods &
      Pick<WebhookStore, "prepareDeliveryMonths" | "dropDeliveryMonths">;
  },
): { stop(): Promise<void> } {
  const { retention, store, clock, log } = deps;

  async function moveClosed(signal: AbortSignal): Promise<void> {
    const since = clock.nowMs() - movedDays * dayMs;
    let below: number | undefined;
    while (!signal.aborted) {
      const { last } = await store.moveClosedTransactions({ below, since, limit: maxGroup });
      if (last === null) return;
      below = last;
      await clock.sleep(groupPauseMs, signal);
    }
  }

  async function dropDeliveries(): Promise<void> {
    const now = clock.nowMs();
    const file = retention && createExportFile(retention.folder, "deliveries", now);
    const madeBefore = now - (retention?.days ?? deliveryDays) * dayMs;
    try {
      const dropped = await store.dropDeliveryMonths(madeBefore, maxGroup, async (some) =>
        file?.append(some.map((delivery) => ({ delivery }))),
      );
      noteDropped("webhook_deliveries", dropped);
    } finally {
      await file?.close();
    }
  }

  function noteDropped(table: string, months: number): void {
    if (months > 0) log.info({ event: "months_dropped", table, months }, "Old months dropped");
  }

  let dueAtMs = 0;

  async function tryAll(signal: AbortSignal): Promise<void> {
    const now = clock.nowMs();
    if (now < dueAtMs) return;
    dueAtMs = now + everyMs;
    await store.prepareTransactionMonths(now);
    await store.prepareDeliveryMonths(now);
    await moveClosed(signal);
    await dropDeliveries();
    if (!retention) return;
    const dropped = await store.dropTransactionMonths(now - retention.days * dayMs);
    noteDropped("relayer_transactions", dropped);
  }

  const fields = { event: "months_failed" };
  const retryLater = warning(log, fields, "Tables by months not kept; trying again in an hour");
  return startPoll({ clock, pauseMs, isDelayed: true }, (signal) =>
    tryAll(signal).catch(retryLater),
  );
}
