/**
 * Sends notices by e-mail at least once. A mail carries all notices that wait for its address, and
 * an address gets at most one in `restMs`, also when processes die between sending and recording.
 */
import type { Runtime } from "@farthing/engine/base";
import type { Mailer } from "../../http/outbound/mailer.ts";
import { pauseIfDead, startWorker } from "../webhooks/delivery-worker.ts";
import type { WebhookDelivery } from "../webhooks/model.ts";
import type { WebhookStore } from "../webhooks/store.ts";
import { groupMax } from "./digest-store.ts";
import type { Digest, EmailOutcome } from "./model.ts";
import type { EmailStore } from "./store.ts";
import { writeDigest, shownMax, firstShown, type MailContext } from "./write-mail.ts";

/** Twelve mails an hour for an address, and as many as `addressesMax` times that for an account. */
export const restMs = 5 * 60_000;

/** Attempts, and the pauses between them: a mail server that is away for a night loses nothing. */
const pausesMs = [5 * 60_000, 15 * 60_000, 60 * 60_000, 4 * 60 * 60_000, 12 * 60 * 60_000] as const;
export const triesMax = pausesMs.length + 1;

/** Concurrent mails of this process: mail servers accept few connections of one client. */
const runningMax = 4;

/** Groups of one mail: 100,000 notices, 300 a second. Later ones come with the next mail. */
const groupsMax = 200;

export interface EmailDeliveryDeps extends Runtime {
  readonly store: Pick<EmailStore, "takeDigests" | "takeFurther" | "recordDigest"> &
    Pick<WebhookStore, "pauseWebhook">;
  readonly mailer: Pick<Mailer, "send">;
  /** Read for each mail: the address of the service is known once it listens. */
  context(): MailContext;
  noteEmail(outcome: EmailOutcome): void;
}

/** Starts sending; returns a stop function. */
export function startEmails(deps: EmailDeliveryDeps): () => Promise<void> {
  const { store, clock } = deps;
  return startWorker(deps, {
    pollFailed: { event: "email_poll_failed" },
    runningMax,
    perEndpointMin: 1,
    perEndpointMax: 1,
    take(limit) {
      const now = clock.nowMs();
      return store.takeDigests({ now, until: now + restMs, limit });
    },
    attempt: (digest) => attempt(digest, deps),
  });
}

/** Returns whether the mail server accepted the mail. */
async function attempt(digest: Digest, deps: EmailDeliveryDeps): Promise<boolean> {
  const { store, clock, log, mailer, noteEmail } = deps;
  const { endpoint, leasedUntil } = digest;
  const { shown, count, attempts } = await takeAll(digest, store);
  // Its owner paused it in the meantime.
  if (count === 0) return false;
  const outcome = await mailer.send(writeDigest(endpoint, { shown, count }, deps.context()));
  const now = clock.nowMs();
  const isDelivered = outcome.kind === "accepted";
  const isGivenUp = !isDelivered && attempts >= triesMax;
  const result = {
    isDelivered,
    status: outcome.kind === "accepted" ? 250 : outcome.status,
    error: outcome.kind === "accepted" ? null : outcome.problem,
    retryAt: now + (pausesMs[attempts - 1] ?? restMs),
    triesMax,
  };
  let recorded: number;
  do recorded = await store.recordDigest({ endpoint, leasedUntil }, result, now);
  while (recorded === groupMax);
  const fields = { endpointId: endpoint.id, notices: count, attempt: attempts };
  if (outcome.kind === "accepted") {
    noteEmail("sent");
    log.debug(fields, "E-mail sent");
    return true;
  }
  const { status, problem } = outcome;
  noteEmail(isGivenUp ? "given_up" : "failed");
  if (!isGivenUp) {
    log.info({ event: "email_failed", ...fields, status, problem }, "E-mail not sent");
    return false;
  }
  log.warn({ event: "email_given_up", ...fields, status, problem }, "E-mail given up");
  await pauseIfDead(deps, endpoint.id, now);
  return false;
}

/** Takes what else waits for the address, and keeps what the mail shows. */
async function takeAll(
  { endpoint, deliveries, leasedUntil }: Digest,
  store: Pick<EmailStore, "takeFurther">,
) {
  let group = deliveries;
  let shown: readonly WebhookDelivery[] = [];
  let [count, attempts] = [0, 0];
  for (let groups = 1; ; groups++) {
    count += group.length;
    attempts = Math.max(attempts, ...group.map((delivery) => delivery.attempts));
    shown = firstShown([...shown, ...group]).slice(0, shownMax);
    if (group.length < groupMax || groups === groupsMax) return { shown, count, attempts };
    const options = { now: leasedUntil - restMs, until: leasedUntil };
    group = await store.takeFurther(endpoint.id, options);
  }
}
