/**
 * Takes what is due from the outbox and attempts it, some at a time. A slow endpoint gets a few of
 * the concurrent attempts, never all.
 */
import { warning, type Log, type Runtime } from "@farthing/engine/base";
import type { WebhookStore } from "./store.ts";

/** Idle endpoints whose limit is remembered. */
const rememberedMax = 1_000;

/** A quicker delivery raises the limit of its endpoint by one. Milliseconds. */
const quickMs = 1_000;

/** The poll interval when nothing is due: events may be a second late. */
const pollMs = 1_000;

/** An endpoint without a delivery for a day and with at least five given up is paused. */
const quietMs = 24 * 60 * 60_000;
const failuresMin = 5;

/** Something due for one endpoint. */
export interface Due {
  readonly endpoint: { readonly id: string };
}

export interface DeliveryWork<One extends Due> {
  /** Of the log line when the outbox cannot be read. */
  readonly pollFailed: { readonly event: string };
  /** Concurrent attempts of this process. */
  readonly runningMax: number;
  /**
   * Concurrent attempts of one endpoint. The limit starts low, rises with each quick delivery and
   * falls back when one fails. One poll takes the initial limit at most.
   */
  readonly perEndpointMin: number;
  readonly perEndpointMax: number;
  /** Leases what is due; `full` endpoints have reached their limit. */
  take(limit: number, full: readonly string[]): Promise<readonly One[]>;
  /** Attempts and records the result; returns whether the endpoint accepted it. */
  attempt(due: One, stopping: AbortSignal): Promise<boolean>;
}

/** Starts the worker; returns a stop function. Aborted attempts are repeated later. */
export function startWorker<One extends Due>(
  { clock, log }: Runtime,
  work: DeliveryWork<One>,
): () => Promise<void> {
  const { runningMax, perEndpointMin, perEndpointMax } = work;
  const retryLater = warning(
    log,
    work.pollFailed,
    "Outbox poll failed; retrying with the next one",
  );
  const stopping = new AbortController();
  /** Running attempts by endpoint, and their limit. */
  const running = new Map<string, { count: number; most: number }>();
  const attempts = new Set<Promise<void>>();
  let ended = 0;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const before = ended;
      const taken = (await takeSome().catch(retryLater)) ?? 0;
      // Attempts that ended during the poll have made room.
      if (taken === 0 && ended === before) await restOrRoom();
    }
    await Promise.all(attempts);
  }

  /** Waits for the next poll, or for room at one endpoint or in the whole process. */
  async function restOrRoom(): Promise<void> {
    const rest = new AbortController();
    const rested = clock.sleep(pollMs, AbortSignal.any([stopping.signal, rest.signal]));
    await Promise.race([rested, ...attempts]);
    rest.abort();
  }

  async function takeSome(): Promise<number> {
    const limit = Math.min(perEndpointMin, runningMax - attempts.size);
    if (limit <= 0) return 0;
    const full = [...running]
      .filter(([, { count, most }]) => count + limit > most)
      .map(([id]) => id);
    const due = await work.take(limit, full);
    for (const one of due) begin(one);
    return due.length;
  }

  function begin(due: One): void {
    const { id } = due.endpoint;
    const load = running.get(id) ?? { count: 0, most: perEndpointMin };
    running.set(id, load);
    load.count++;
    const startedMs = clock.nowMs();
    const attempt = work
      .attempt(due, stopping.signal)
      .catch(retryLater)
      .then((isDelivered = false) => {
        const isQuick = isDelivered && clock.nowMs() - startedMs < quickMs;
        if (!isDelivered) load.most = perEndpointMin;
        else if (isQuick) load.most = Math.min(perEndpointMax, load.most + 1);
        return undefined;
      })
      .finally(() => {
        attempts.delete(attempt);
        ended++;
        load.count--;
        const isForgotten = load.most === perEndpointMin || running.size > rememberedMax;
        if (load.count === 0 && isForgotten) running.delete(id);
      });
    attempts.add(attempt);
  }

  const done = run();
  return async () => {
    stopping.abort();
    await done;
  };
}

/** Pauses an endpoint to which nothing could be delivered for a day. */
export async function pauseIfDead(
  { store, log }: { readonly store: Pick<WebhookStore, "pauseWebhook">; readonly log: Log },
  endpointId: string,
  now: number,
): Promise<void> {
  if (!(await store.pauseWebhook(endpointId, { quietMs, failuresMin, now }))) return;
  log.warn({ event: "webhook_paused", endpointId }, "Webhook paused: every delivery failed");
}
