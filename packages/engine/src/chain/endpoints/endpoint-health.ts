/**
 * The health of an endpoint: its failures, its head and its chain. A failing endpoint rests, longer
 * each time; one on another chain is excluded. XDC pauses up to a minute when a leader is missing,
 * so an endpoint counts as lagging only beside another one that is ahead.
 */
import { backOffMs, type BackOffBounds } from "../../base/back-off.ts";
import type { Clock } from "../../base/clock.ts";

const restAfterFailure: BackOffBounds = { minMs: 250, maxMs: 30_000 };

/** The rank of an endpoint that failed a moment ago. */
export const restingRank = 2;

/** An endpoint further behind the newest known head is not asked first. */
const lagBlocksMax = 3;

/**
 * An endpoint that has failed this long is down, and decisions are made without it. A busy moment of
 * a healthy one is shorter, and a payment that waits this long is still within its caller's wait.
 */
const downAfterMs = 10_000;

/** Recent requests that show whether an endpoint is half broken: some get a reply. */
const recentRequests = 8;

/** A new reply changes the usual latency by this share: some ten replies make a habit. */
const latencyShare = 1 / 8;

/** Replies before the latency is one to say something about. */
const latencyReplies = 8;

/** Recent latencies, of which the smallest is the distance: a busy machine or node adds to the others. */
const distanceReplies = 6;

/** Usual latency at which payments are noticeably slow, and the one that ends it. */
const slowMs = 1_000;
const fastMs = 700;

/** An endpoint that gave a false reply is asked last this long, time for its operator to react. */
const distrustMs = 600_000;

export class EndpointHealth {
  /** The newest block that it showed. */
  head = 0;
  /** An endpoint on another chain is excluded until it reports the right one. */
  isOurs = true;
  /** Whether it has reported the right chain to a probe. */
  isProven = false;
  readonly #clock: Clock;
  #failures = 0;
  #failingSinceMs: number | undefined;
  #restsUntilMs = 0;
  #distrustedUntilMs = 0;
  /** Whether the recent requests got a reply, the newest last. */
  #recent: boolean[] = [];
  #usualMs: number | undefined;
  #latencies: number[] = [];
  #replies = 0;
  #isSlow = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What a request usually takes, without its wait for a turn; undefined before the first reply. */
  get usualMs(): number | undefined {
    return this.#usualMs;
  }

  /** The least that a request took of late. */
  get distanceMs(): number {
    return this.#latencies.length === 0 ? 0 : Math.min(...this.#latencies);
  }

  /** The lesser of what the last two requests took. */
  get presentMs(): number {
    return this.#latencies.length === 0 ? 0 : Math.min(...this.#latencies.slice(-2));
  }

  /** True while some of the recent requests got a reply: a failed read is worth repeating at once. */
  get isAnswering(): boolean {
    return this.#recent.includes(true);
  }

  /** Returns true where the endpoint has become slow, false where it no longer is. */
  noteLatency(ms: number): boolean | undefined {
    const usualMs = this.#usualMs ?? ms;
    this.#usualMs = usualMs + (ms - usualMs) * latencyShare;
    this.#latencies = [...this.#latencies, ms].slice(-distanceReplies);
    this.#replies++;
    const isSlow = this.#usualMs > (this.#isSlow ? fastMs : slowMs);
    if (this.#replies < latencyReplies || isSlow === this.#isSlow) return undefined;
    this.#isSlow = isSlow;
    return isSlow;
  }

  #noteRecent(isReply: boolean): void {
    this.#recent = [...this.#recent, isReply].slice(-recentRequests);
  }

  noteReply(): void {
    this.#noteRecent(true);
    this.#failures = 0;
    this.#failingSinceMs = undefined;
    this.#restsUntilMs = 0;
  }

  noteFailure(): void {
    this.#noteRecent(false);
    this.#failures++;
    this.#failingSinceMs ??= this.#clock.nowMs();
    this.#restsUntilMs = this.#clock.nowMs() + backOffMs(this.#failures, restAfterFailure);
  }

  /** Ranks the endpoint last for a while, because it gave a false reply. */
  distrust(): void {
    this.#distrustedUntilMs = this.#clock.nowMs() + distrustMs;
  }

  get isDistrusted(): boolean {
    return this.#distrustedUntilMs > this.#clock.nowMs();
  }

  /** Whether it counts for nothing where two endpoints decide: it is distrusted, or failing for long. */
  get isDown(): boolean {
    const nowMs = this.#clock.nowMs();
    const failingMs = nowMs - (this.#failingSinceMs ?? nowMs);
    return this.isDistrusted || failingMs >= downAfterMs;
  }

  /** 0 is best: responsive and near the head; 1 lags; 2 rests; 3 is distrusted. */
  rank(newestHead: number): number {
    const nowMs = this.#clock.nowMs();
    if (this.isDistrusted) return 3;
    if (this.#restsUntilMs > nowMs) return restingRank;
    return this.head > 0 && newestHead - this.head > lagBlocksMax ? 1 : 0;
  }
}
