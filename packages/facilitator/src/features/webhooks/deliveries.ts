/**
 * Delivers the events of the outbox to webhooks at least once: a delivery is leased, attempted, and
 * its result recorded; when a process dies in between, another one attempts it after the lease.
 * Processes that share a database do not lease the same delivery.
 */
import type { Runtime } from "@farthing/engine/base";
import type { GuardedPost, PostOutcome } from "../../http/outbound/guarded-post.ts";
import { pauseIfDead, startWorker } from "./delivery-worker.ts";
import type { DueDelivery } from "./due-delivery-store.ts";
import type { WebhookStore } from "./store.ts";
import { signatureHeaders } from "./service.ts";

/** Attempts of a delivery, and the pauses between them: a restart, a deployment, an outage. */
export const triesMax = 5;
const pausesMs = [30_000, 2 * 60_000, 15 * 60_000, 60 * 60_000] as const;

/** Concurrent deliveries of this process: each is a socket and a body of a few kilobytes. */
const runningMax = 96;

/**
 * An endpoint that hangs occupies few of them, and one that responds in 200 ms takes 120 a second.
 * The maximum is a quarter of all, so that no endpoint delays the others.
 */
const perEndpointMin = 4;
const perEndpointMax = runningMax / 4;

/** Three times as long as an attempt may take. */
const leaseMs = 30_000;

export interface DeliveryDeps extends Runtime {
  readonly store: Pick<WebhookStore, "takeDueDeliveries" | "recordAttempt" | "pauseWebhook">;
  /** Sent to the endpoints. */
  readonly version: string;
  readonly send: GuardedPost;
}

/** Starts delivering; returns a stop function. */
export function startDeliveries(deps: DeliveryDeps): () => Promise<void> {
  const { store, clock } = deps;
  return startWorker(deps, {
    pollFailed: { event: "webhook_poll_failed" },
    runningMax,
    perEndpointMin,
    perEndpointMax,
    take: (limit, exceptEndpoints) =>
      store.takeDueDeliveries({ now: clock.nowMs(), leaseMs, limit, exceptEndpoints }),
    attempt: (due, stopping) => attempt(due, stopping, deps),
  });
}

/** Returns whether the endpoint accepted the delivery. */
async function attempt(
  { delivery, endpoint }: DueDelivery,
  stopping: AbortSignal,
  { store, clock, log, version, send }: DeliveryDeps,
): Promise<boolean> {
  const atSeconds = Math.floor(clock.nowMs() / 1000);
  const outcome = await send({
    url: endpoint.url,
    headers: {
      "content-type": "application/json",
      "user-agent": `Farthing/${version}`,
      ...signatureHeaders(delivery, endpoint.secret, atSeconds),
    },
    body: delivery.body,
    signal: stopping,
  });
  // Aborted by this process at its end; another process repeats it.
  if (stopping.aborted && outcome.kind === "unanswered") return false;
  const isDelivered = outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300;
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
  const { status, error: problem } = result;
  log.info(
    { event: "webhook_delivery_failed", ...fields, status, problem },
    "Webhook delivery failed",
  );
  if (result.retryAt === null) await pauseIfDead({ store, log }, endpoint.id, now);
  return false;
}

function problemOf(outcome: PostOutcome): string {
  if (outcome.kind === "unanswered") return outcome.problem;
  const { status } = outcome;
  return status >= 300 && status < 400
    ? `It answered ${status}; redirects are not followed, name the address itself.`
    : `It answered ${status}, and only 2xx means that it took the message.`;
}
