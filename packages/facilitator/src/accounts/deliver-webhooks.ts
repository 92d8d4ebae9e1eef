/**
 * Carries out what the outbox holds, at least once each: a delivery is taken for a while, tried, and
 * its end recorded; whoever dies in between leaves it to the next, who tries again. Processes that
 * share a database do not take the same one. A slow endpoint gets a few of the slots, never all.
 */
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { DueDelivery, WebhookVerbs } from "../storage/account-store.ts";
import { signatureHeaders } from "./webhooks.ts";

/** Tries of a delivery, and the pauses between them: a restart, a deployment, an outage. */
export const triesMax = 5;
const pausesMs = [30_000, 2 * 60_000, 15 * 60_000, 60 * 60_000] as const;

/** Deliveries under way in this process, and those of one endpoint among them. */
const runningMax = 32;
const perEndpointMax = 4;

/** How long a delivery is ours: three times as long as an attempt may take. */
const leaseMs = 30_000;

/** Pause between looks when there is nothing due: news may be a second old. */
const pollMs = 1_000;

/** An endpoint that took nothing for a day, five given up at least, is not tried any more. */
const quietMs = 24 * 60 * 60_000;
const failuresMin = 5;

/** How long ended deliveries are kept for their owner to look at, and how often old ones go. */
const keptMs = 30 * 24 * 60 * 60_000;
const cleanEveryMs = 60 * 60_000;
const removedMax = 10_000;

/** What an attempt came to. */
export type AttemptOutcome =
  | { readonly kind: "answered"; readonly status: number }
  | { readonly kind: "unanswered"; readonly problem: string };

/** What delivering needs. */
export interface DeliveryDeps {
  readonly store: Pick<
    WebhookVerbs,
    "takeDueDeliveries" | "recordAttempt" | "pauseWebhook" | "removeDeliveries"
  >;
  readonly clock: Clock;
  readonly log: Log;
  /** Named to the endpoints. */
  readonly version: string;
  /** Sends; never throws. */
  send(message: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
  }): Promise<AttemptOutcome>;
}

/** Starts delivering; gives what ends it. What is cut off then is tried again later. */
export function startDeliveries(deps: DeliveryDeps): () => Promise<void> {
  const { store, clock, log } = deps;
  const stopping = new AbortController();
  /** Under way, by endpoint. */
  const running = new Map<string, number>();
  const attempts = new Set<Promise<void>>();
  let cleanedAt = 0;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const taken = await guarded(takeSome, 0);
      if (taken === 0) await restOrRoom();
    }
    await Promise.all(attempts);
  }

  /** Something to do may come with the time, or with room. */
  async function restOrRoom(): Promise<void> {
    const isFull = attempts.size >= runningMax;
    if (isFull) await Promise.race(attempts);
    else await clock.sleep(pollMs, stopping.signal);
  }

  async function takeSome(): Promise<number> {
    await clean();
    const limit = Math.min(perEndpointMax, runningMax - attempts.size);
    if (limit <= 0) return 0;
    const full = [...running].filter(([, count]) => count >= perEndpointMax).map(([id]) => id);
    const now = clock.nowMs();
    const due = await store.takeDueDeliveries({ now, leaseMs, limit, exceptEndpoints: full });
    for (const one of due) begin(one);
    return due.length;
  }

  function begin(due: DueDelivery): void {
    const { id } = due.endpoint;
    running.set(id, (running.get(id) ?? 0) + 1);
    const attempt = guarded(() => attemptOf(due), undefined).finally(() => {
      attempts.delete(attempt);
      const left = (running.get(id) ?? 1) - 1;
      if (left === 0) running.delete(id);
      else running.set(id, left);
    });
    attempts.add(attempt);
  }

  async function attemptOf({ delivery, endpoint }: DueDelivery): Promise<void> {
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
    // Cut off by our own end: not the endpoint's fault, and tried again by whoever comes next.
    if (stopping.signal.aborted && outcome.kind === "unanswered") return;
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
    if (isDelivered) return log.debug(fields, "Webhook delivered");
    log.info({ ...fields, status: result.status, problem: result.error }, "Webhook not delivered");
    if (result.retryAt === null) await pauseIfDead(endpoint.id, now);
  }

  async function pauseIfDead(id: string, now: number): Promise<void> {
    if (await store.pauseWebhook(id, { quietMs, failuresMin, now })) {
      log.warn({ endpointId: id }, "Webhook paused: nothing arrives there any more");
    }
  }

  async function clean(): Promise<void> {
    const now = clock.nowMs();
    if (now - cleanedAt < cleanEveryMs) return;
    cleanedAt = now;
    await store.removeDeliveries(now - keptMs, removedMax);
  }

  async function guarded<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      log.warn({ problem: messageOf(error) }, "Could not deliver webhooks");
      return otherwise;
    }
  }

  const all = run();
  return async () => {
    stopping.abort();
    await all;
  };
}

function problemOf(outcome: AttemptOutcome): string {
  if (outcome.kind === "unanswered") return outcome.problem;
  const { status } = outcome;
  return status >= 300 && status < 400
    ? `It answered ${status}; redirects are not followed, name the address itself.`
    : `It answered ${status}, and only 2xx means that it took the message.`;
}
