/**
 * The health of an endpoint: its failures, its head and its chain. A failing endpoint rests, longer
 * each time; one on another chain is excluded. XDC pauses up to a minute when a leader is missing,
 * so an endpoint counts as lagging only beside another one that is ahead.
 */
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import type { Clock } from "../base/clock.ts";

const restAfterFailure: BackOffBounds = { minMs: 250, maxMs: 30_000 };

/** An endpoint further behind the newest known head is not asked first. */
const lagBlocksMax = 3;

/** An endpoint that gave a false reply is asked last this long, time for its operator to react. */
const distrustMs = 600_000;

export class EndpointHealth {
  /** The newest block that it showed. */
  head = 0;
  /** An endpoint on another chain is excluded until it reports the right one. */
  isOurs = true;
  readonly #clock: Clock;
  #failures = 0;
  #restsUntilMs = 0;
  #distrustedUntilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  noteReply(): void {
    this.#failures = 0;
    this.#restsUntilMs = 0;
  }

  noteFailure(): void {
    this.#failures++;
    this.#restsUntilMs = this.#clock.nowMs() + backOffMs(this.#failures, restAfterFailure);
  }

  /** Ranks the endpoint last for a while, because it gave a false reply. */
  distrust(): void {
    this.#distrustedUntilMs = this.#clock.nowMs() + distrustMs;
  }

  /** 0 is best: responsive and near the head; 1 lags; 2 rests; 3 is distrusted. */
  rank(newestHead: number): number {
    const nowMs = this.#clock.nowMs();
    if (this.#distrustedUntilMs > nowMs) return 3;
    if (this.#restsUntilMs > nowMs) return 2;
    return this.head > 0 && newestHead - this.head > lagBlocksMax ? 1 : 0;
  }
}
