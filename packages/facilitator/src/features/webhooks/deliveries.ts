/**
 * Delivers the events of the outbox at least once: a delivery is leased, attempted, and its result
 * recorded; when a process dies in between, another one attempts it after the lease. Processes that
 * share a database do not lease the same delivery. A slow endpoint gets a few of the concurrent
 * deliveries, never all.
 */
import { warning, type Runtime } from "@farthing/engine/base";
import type { GuardedPost, PostOutcome } from "../../http/outbound/guarded-post.ts";
import type { DueDelivery } from "./due-delivery-store.ts";
import type { WebhookStore } from "./store.ts";
import { signatureHeaders } from "./service.ts";

/** Attempts of a delivery, and the pauses between them: a restart, a deployment, an outage. */
export const triesMax = 5;
const pausesMs = [30_000, 2 * 60_000, 15 * 60_000, 60 * 60_000] as const;

/** Concurrent deliveries of this process: each is a socket and a body of a few kilobytes. */
const runningMax = 96;

/**
 * Concurrent deliveries of one endpoint. The limit starts low, rises with each quick delivery and
 * falls back when one fails: an endpoint that hangs occupies few, and one that responds in 200 ms
 * takes 120 a second. The maximum is a quarter of all, so that no endpoint delays the others.
 */
const perEndpointMin = 4;
const perEndpointMax = runningMax / 4;

/** Idle endpoints whose limit is remembered. */
const rememberedMax = 1_000;

/** A quicker delivery raises the limit by one. Milliseconds. */
const quickMs = 1_000;

/** Deliveries of one poll: the initial limit of an endpoint. */
const takenMax = perEndpointMin;

/** Three times as long as an attempt may take. */
const leaseMs = 30_000;

/** The poll interval when nothing is due: events may be a second late. */
const pollMs = 1_000;

/** An endpoint without a delivery for a day and with at least five given up is paused. */
const quietMs = 24 * 60 * 60_000;
const failuresMin = 5;

export interface DeliveryDeps extends Runtime {
  readonly store: Pick<WebhookStore, "takeDueDeliveries" | "recordAttempt" | "pauseWebhook">;
  /** Sent to the endpoints. */
  readonly version: string;
  readonly send: GuardedPost;
}

/** Starts delivering; returns a stop function. Aborted attempts are repeated later. */
export function startDeliveries(deps: DeliveryDeps): () => Promise<void> {
  const { store, clock, log } = deps;
  const fields = { event: "webhook_poll_failed" };
  const retryLater = warning(log, fields, "Webhook poll failed; retrying with the next one");
  const stopping = new AbortController();
  /** Running deliveries by endpoint, and their limit. */
  const running = new Map<string, { count: number; most: number }>();
  const attempts = new Set<Promise<void>>();
  let ended = 0;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const before = ended;
      const taken = (await takeSome().catch(retryLater)) ?? 0;
      // Deliveries that ended during the poll have made room.
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
    const limit = Math.min(takenMax, runningMax - attempts.size);
    if (limit <= 0) return 0;
    const full = [...running]
      .filter(([, { count, most }]) => count + limit > most)
      .map(([id]) => id);
    const now = clock.nowMs();
    const due = await store.takeDueDeliveries({ now, leaseMs, limit, exceptEndpoints: full });
    for (const one of due) begin(one);
    return due.length;
  }

  function begin(due: DueDelivery): void {
    const { id } = due.endpoint;
    const load = running.get(id) ?? { count: 0, most: perEndpointMin };
    running.set(id, load);
    load.count++;
    const startedMs = clock.nowMs();
    const attempt = attemptOf(due)
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

  /** Returns whether the endpoint accepted the delivery. */
  async function attemptOf({ delivery, endpoint }: DueDelivery): Promise<boolean> {
    const atSeconds = Math.floor(clock.nowMs() / 1000);
    const outcome = await deps.send({
      url: endpoint.url,
      headers: {
        "content-type": "application/json",
        "user-agent": `Farthing/${deps.version}`,
        ...signatureHeaders(delivery, endpoint.secret, atSeconds),
      },
      body: delivery.body,
      signal: stopping.signal,
    });
    // Aborted by this process at its end; another process repeats it.
    if (stopping.signal.aborted && outcome.kind === "unanswered") return false;
    const isDelivered =
      outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300;
    const now = clock.nowMs();
    const pauseMs = isDelivered ? undefined : pausesMs[delivery.attempts - 1];
    const result = {
      isDelivered,
      status: outcome.kind === "answered" ? outcome.status : null,
      error: isDelivered ? null : problemOf(outcome),
      retryAt: pauseMs === undefined ? null : now + pauseMs,
    };
    await store.recordAttempt(delivery.id, result, now);
    const fields = { endpointId: endpoint.id, deliveryId: delivery.id, attempt: delivery.attempts };
    if (isDelivered) {
      log.debug(fields, "Webhook delivered");
      return true;
    }
    log.info(
      {
        event: "webhook_delivery_failed",
        ...fields,
        status: result.status,
        problem: result.error,
      },
      "Webhook delivery failed",
    );
    if (result.retryAt === null) await pauseIfDead(endpoint.id, now);
    return false;
  }

  async function pauseIfDead(id: string, now: number): Promise<void> {
    if (await store.pauseWebhook(id, { quietMs, failuresMin, now })) {
      log.warn(
        { event: "webhook_paused", endpointId: id },
        "Webhook paused: every delivery failed",
      );
    }
  }

  const done = run();
  return async () => {
    stopping.abort();
    await done;
  };
}

function problemOf(outcome: PostOutcome): string {
  if (outcome.kind === "unanswered") return outcome.problem;
  const { status } = outcome;
  return status >= 300 && status < 400
    ? `It answered ${status}; redirects are not followed, name the address itself.`
    : `It answered ${status}, and only 2xx means that it took the message.`;
}
