/**
 * Removes signed bytes once their block is final and, by setting, old settlements and webhook
 * deliveries after their export. Works in small groups; the next process continues.
 */
import type { Retention } from "../config/retention.ts";
import type { ChainId } from "@farthing/protocol";
import type { ChainView } from "@farthing/engine";
import { startPoll, warning, type Runtime } from "@farthing/engine/base";
import type { RetentionMethods, RetirementCursor } from "@farthing/engine/storage";
import { createExportFile } from "./retention-export.ts";
import type { WebhookStore } from "../features/webhooks/store.ts";

/** Five blocks. */
const bytesEveryMs = 10_000;

/**
 * Signed bytes are kept for this many blocks after finality, four minutes of XDC: as many as the
 * follower remembers. A nonce may be stored as used in a block that was reorganised out and that a
 * process has not noticed yet; without its bytes it could not be sent again.
 */
const bytesKeptBlocks = 128;

const retireEveryMs = 60 * 60_000;

/** A group takes the database some ten milliseconds. */
const maxGroup = 500;

/** Other writers proceed between groups; at most 5,000 rows a second are removed. */
const groupPauseMs = 100;

/** Nothing is removed earlier than this after its authorization has ended. */
const marginMs = 24 * 60 * 60_000;

const dayMs = 24 * 60 * 60_000;

/** Webhook deliveries are kept this long without a setting, because sellers read them. */
export const deliveryDays = 30;

/**
 * A walk through what is old continues where the last one ended, for a day: dropping whole months
 * leaves transactions whose settlements are gone, which need not be looked at every hour.
 */
const walkAgainMs = dayMs;

export function startRemoval(
  deps: Runtime & {
    readonly engines: ReadonlyMap<ChainId, { view(): ChainView | undefined }>;
    /** If undefined, settlements are kept for ever and webhook deliveries for 30 days. */
    readonly retention: Retention | undefined;
    readonly store: RetentionMethods & Pick<WebhookStore, "removeDeliveries">;
  },
): { stop(): Promise<void> } {
  const { engines, retention, store, clock, log } = deps;
  let retireAtMs = 0;
  const walks = new Map<ChainId, { readonly from: RetirementCursor; readonly startedMs: number }>();

  async function dropBytes(chainId: ChainId, signal: AbortSignal): Promise<void> {
    const view = engines.get(chainId)?.view();
    if (!view) return;
    // Blocks that were not walked may hold a reorganisation.
    const upToBlock = Math.min(view.finalized.number, view.walkedTo) - bytesKeptBlocks;
    while (!signal.aborted) {
      const dropped = await store.pruneSignedBytes(chainId, upToBlock, maxGroup);
      if (dropped < maxGroup) return;
      await clock.sleep(groupPauseMs, signal);
    }
  }

  async function retire(
    chainId: ChainId,
    { days, folder }: Retention,
    signal: AbortSignal,
  ): Promise<void> {
    const now = clock.nowMs();
    const file = createExportFile(folder, `settlements-${chainId}`, now);
    const terms = {
      madeBefore: now - days * dayMs,
      endedBefore: Math.floor((now - marginMs) / 1000),
      limit: maxGroup,
    };
    const last = walks.get(chainId);
    const isAnew = last === undefined || now - last.startedMs >= walkAgainMs;
    const startedMs = isAnew ? now : last.startedMs;
    let from = isAnew ? undefined : last.from;
    let removed = 0;
    try {
      do {
        const options = from ? { ...terms, from } : terms;
        const step = await store.pruneSettlements(chainId, options, file.append);
        removed += step.removed;
        from = step.next ?? undefined;
        if (from) walks.set(chainId, { from, startedMs });
        if (from) await clock.sleep(groupPauseMs, signal);
      } while (from && !signal.aborted);
    } finally {
      await file.close();
    }
    if (removed > 0)
      log.info({ event: "settlements_removed", chainId, removed }, "Settlements removed");
  }

  async function removeDeliveries(signal: AbortSignal): Promise<void> {
    const now = clock.nowMs();
    const file = retention && createExportFile(retention.folder, "deliveries", now);
    const madeBefore = now - (retention?.days ?? deliveryDays) * dayMs;
    try {
      while (!signal.aborted) {
        const removed = await store.removeDeliveries(madeBefore, maxGroup, async (some) =>
          file?.append(some.map((delivery) => ({ delivery }))),
        );
        if (removed < maxGroup) return;
        await clock.sleep(groupPauseMs, signal);
      }
    } finally {
      await file?.close();
    }
  }

  async function tryAll(signal: AbortSignal): Promise<void> {
    for (const chainId of engines.keys()) await dropBytes(chainId, signal);
    if (clock.nowMs() < retireAtMs) return;
    // Set before the attempt, so that a folder without write access is not tried every ten seconds.
    retireAtMs = clock.nowMs() + retireEveryMs;
    await removeDeliveries(signal);
    if (!retention) return;
    for (const chainId of engines.keys()) await retire(chainId, retention, signal);
  }

  const fields = { event: "removal_failed" };
  const retryLater = warning(log, fields, "Removal of what is over failed; trying again later");
  return startPoll({ clock, pauseMs: bytesEveryMs, isDelayed: true }, (signal) =>
    tryAll(signal).catch(retryLater),
  );
}
